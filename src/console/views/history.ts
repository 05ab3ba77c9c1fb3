/** What was it? All that is recorded as one line of time; a row leads to the story of its order. */

import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { type Filter, type HistoryEntry, KINDS } from "../../core/history.ts";
import { madeOnce } from "../../core/made-once.ts";
import { figure, NOTHING, signedMoney, time, tone } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { side, state } from "../parts/badges.ts";
import { section } from "../parts/section.ts";
import { type Column, isNearEnd, longTable, newWindow } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { takeFile } from "../state/history-file.ts";
import { changeFilter, filtered, readNewest, readOlder, timelineOf } from "../state/timeline.ts";
import { botNames } from "../state/timeline-lists.ts";
import { unknownOrders } from "./unknown-orders.ts";

const view = newWindow();

export function historyScreen(app: App): TemplateResult {
  const { timeline } = app.state;
  const { entries, hasMore } = timelineOf(app.state);
  const rows = filtered(app.state, entries);
  function moved(): void {
    if (hasMore && isNearEnd(view, timeline.putAway + rows.length)) void readOlder(app);
    app.changed();
  }
  const about = {
    caption: "History",
    columns: columnsOf(app),
    rows,
    skipped: timeline.putAway,
    id: ({ kind, id }: HistoryEntry) => `${kind}-${id}`,
    empty: entries.length === 0 ? "Nothing was done here yet." : "Nothing fits.",
  };
  return html`
    ${unknownOrders(app)}
    ${section(
      "History",
      html`
        ${filterForm(app, entries)}
        ${timeline.putAway === 0 ? nothing : html`<p class="words note">The newest ${figure(String(timeline.putAway))} are put away. <button type="button" @click=${() => readNewest(app)}>To the newest</button></p>`}
        ${timeline.failure === null ? nothing : html`<p class="late" role="status">Not complete: ${timeline.failure}</p>`}
        ${longTable<HistoryEntry>(about, view, moved)}
        ${hasMore ? html`<button type="button" ?disabled=${timeline.isReading} @click=${() => void readOlder(app)}>${timeline.isReading ? "Reading…" : "Read older ones"}</button>` : nothing}`,
      count(app, rows.length, hasMore),
    )}`;
}

function columnsOf(app: App): readonly Column<HistoryEntry>[] {
  const nameOf = botNames(app.state);
  return [
    { name: "Time", cell: (row) => timeOf(app, row) },
    { name: "What", cell: whatOf },
    { name: "Market", cell: ({ market }) => shownMarket(app.state.markets.value, market) },
    { name: "Side", cell: (row) => (row.side === null ? NOTHING : side(row.side)) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Price", isFigure: true, cell: ({ price }) => figure(price) },
    { name: "Status", rank: 2, cell: ({ status }) => state(status) },
    { name: "Fee", isFigure: true, rank: 3, cell: ({ fee }) => fee ?? "" },
    {
      name: "Realised",
      isFigure: true,
      rank: 2,
      cell: ({ realized }) =>
        realized === null ? "" : html`<span class=${tone(realized)}>${signedMoney(realized)}</span>`,
    },
    { name: "Bot", rank: 3, cell: ({ keyHash }) => nameOf(keyHash) },
    { name: "Said", rank: 2, cell: ({ words }) => html`<span class="reason" title=${words}>${words}</span>` },
    { name: "", rank: 2, cell: (row) => explain(app, row) },
  ];
}

/** On a phone it is the way to the story. */
function timeOf({ state: { nowMs } }: App, { at, orderId }: HistoryEntry): TemplateResult | string {
  return orderId === null
    ? time(at, nowMs)
    : html`<a class="plain" href=${`#/story/${orderId}`}>${time(at, nowMs)}</a>`;
}

/** What went wrong says so where there is no room for a column of its own, and what was granted or stopped. */
const WRONG: ReadonlySet<string> = new Set(["rejected", "unknown", "canceled", "failed", "liquidation"]);

function whatOf({ kind, status }: HistoryEntry): TemplateResult | string {
  return WRONG.has(status) || kind === "audit"
    ? html`<span class="second">${kind}</span><span class="first-only">${state(status)}</span>`
    : kind;
}

function explain(
  { state: { markets } }: App,
  { orderId, side: which, size, market: named, price }: HistoryEntry,
): unknown {
  if (orderId === null) return nothing;
  const market = shownMarket(markets.value, named);
  return html`<a href=${`#/story/${orderId}`} aria-label=${size === null ? `Explain order ${orderId}` : `Explain ${which} ${size} ${market} at ${price}`}>Explain</a>`;
}

function count({ state: { timeline } }: App, rows: number, hasMore: boolean): TemplateResult {
  const seen = figure(String(timeline.putAway + rows));
  return html`<span role="status">${seen}${hasMore ? " so far" : ""}${timeline.isReading ? ", reading…" : ""}</span>`;
}

/** Asked for with every frame that is scrolled, and worked out where what was read is new. */
const metIn = madeOnce((entries: readonly HistoryEntry[]) => {
  const met = (pick: (entry: HistoryEntry) => string) =>
    [...new Set(entries.map(pick))].filter((word) => word !== "").sort();
  const keyHashes = [...new Set(entries.map(({ keyHash }) => keyHash))];
  return { markets: met(({ market }) => market), statuses: met(({ status }) => status), keyHashes };
});

/** The last option of each is what was met in what was read. */
function filterForm(app: App, entries: readonly HistoryEntry[]): TemplateResult {
  const { forms } = app.state;
  const { filter } = app.state.timeline;
  const nameOf = botNames(app.state);
  const met = metIn(entries);
  return html`
    <form class=${app.state.forms.isFilterShown ? "filters" : "filters folded"} aria-label="What of the history" autocomplete="off" @submit=${(event: Event) => event.preventDefault()}>
      <div class="phone-only"><button type="button" aria-expanded=${app.state.forms.isFilterShown} @click=${() => unfold(app)}>${filterWords(app)}</button></div>
      ${day(app, "from", "From")}
      ${day(app, "to", "To")}
      ${picked(app, { name: "kind", words: "What", options: KINDS })}
      ${picked(app, { name: "market", words: "Market", options: met.markets, shown: (name) => shownMarket(app.state.markets.value, name) })}
      ${picked(app, {
        name: "bot",
        words: "Bot or key",
        options: whose(app, met.keyHashes.map(nameOf)),
      })}
      ${picked(app, { name: "status", words: "Status", options: met.statuses })}
      <label>Text<input name="historyText" type="search" spellcheck="false" .value=${live(filter.text)} @input=${(event: Event) => void changeFilter(app, { text: chosenIn(event) })} /></label>
      <div class="buttons">
        ${(["csv", "jsonl"] as const).map((format) => html`<button type="button" ?disabled=${forms.isFileMade} @click=${() => void takeFile(app, format)}>${format === "csv" ? "CSV" : "JSON Lines"}</button>`)}
      </div>
    </form>`;
}

/** On a phone the table comes first. */
function unfold(app: App): void {
  app.state.forms.isFilterShown = !app.state.forms.isFilterShown;
  app.changed();
}

function filterWords({ state: { timeline } }: App): string {
  const set = Object.values(timeline.filter).filter((word) => word !== "").length;
  return set === 0 ? "Filter and files" : `Filter and files: ${set} set`;
}

/** Every bot, and what was met besides. */
function whose({ state: { keys } }: App, met: readonly string[]): string[] {
  const bots = (keys.value ?? []).flatMap(({ limits }) => limits?.bot ?? []);
  return [...new Set([...bots, ...met])].filter((name) => name !== "").sort();
}

function day(app: App, name: "from" | "to", words: string): TemplateResult {
  const { filter } = app.state.timeline;
  return html`<label>${words}<input name=${name} type="date" .value=${live(filter[name])} @change=${(event: Event) => void changeFilter(app, { [name]: chosenIn(event) })} /></label>`;
}

type Picked = { name: keyof Filter; words: string; options: readonly string[]; shown?: (option: string) => string };

function spaced(word: string): string {
  return word.replaceAll("_", " ");
}

function picked(app: App, { name, words, options, shown = spaced }: Picked): TemplateResult {
  const chosen = app.state.timeline.filter[name];
  const all = options.includes(chosen) || chosen === "" ? options : [...options, chosen];
  return html`
    <label>${words}
      <select name=${`filter-${name}`} @change=${(event: Event) => void changeFilter(app, { [name]: chosenIn(event) })}>
        <option value="" .selected=${live(chosen === "")}>all</option>
        ${all.map((word) => html`<option value=${word} .selected=${live(word === chosen)}>${shown(word)}</option>`)}
      </select>
    </label>`;
}

function chosenIn({ target }: Event): string {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.value.trim() : "";
}

/** Whether the file is whole is said before it is taken. */
