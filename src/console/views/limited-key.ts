/** A bot's key: what it is held to, what that bounds, and what the owner's wallet shows, before anything is signed. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { type RailsText, type RailVerb, VERBS } from "../../core/rails/rails.ts";
import { limitedGrantTypedData } from "../../wire/limited-grant-data.ts";
import { compare, SENT_DECIMAL } from "../figures/decimal.ts";
import { choice, isChecked, typed } from "../parts/fields.ts";
import { ownersWord } from "../parts/owners-word.ts";
import { section, warning } from "../parts/section.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import type { App } from "../state/app.ts";
import { endLimitedKey, formChanged, registerLimitedKey, writeGrant } from "../state/limited-key.ts";
import { besideNow, grantChanged, lookAnew, type RailBeside, railsNow } from "../state/rails-base.ts";
import {
  boundWords,
  type LimitedKey,
  marketsFault,
  offeredVerbs,
  type RailsDraft,
  type RailsForm,
  type RailsFormReading,
  wishOf,
} from "../state/rails-form.ts";
import { readKeys } from "../state/read.ts";
import { ownerOf } from "../state/session.ts";
import { shownOnce } from "./new-key.ts";

export function limitedKeySection(app: App): TemplateResult {
  const form = app.state.forms.limitedKey;
  const title = form.replaces === null ? "New key for a bot, held to rails" : `Rails of ${form.draft.bot}`;
  return section(title, content(app, form), "everything that it may do is in what the owner signs");
}

function content(app: App, form: RailsForm): TemplateResult {
  const { made } = form;
  if (made === null) return wished(app, form);
  if (made.isRegistered && made.apiKey !== null) return shownOnce(made.apiKey, () => endLimitedKey(app));
  return grantIt(app, form, made);
}

type DraftField = { name: keyof RailsDraft; words: string; hint: string };

const AMOUNTS: readonly DraftField[] = [
  { name: "maxOrder", words: "One order", hint: "USD, at most" },
  { name: "maxPosition", words: "Each position", hint: "USD, at most" },
  { name: "maxExposure", words: "All positions", hint: "USD, at most" },
  { name: "maxTurnoverPerDay", words: "Turnover a day", hint: "USD, at most" },
  { name: "maxLossPerDay", words: "Loss a day", hint: "USD, best effort" },
  { name: "maxActionsPerDay", words: "Actions a day", hint: "orders, modifies" },
  { name: "maxOpenOrders", words: "Open orders", hint: "at most" },
  { name: "maxDistance", words: "Price off the market", hint: "%" },
  { name: "maxStopDistance", words: "Stop off its trigger", hint: "%" },
  { name: "maxLeverage", words: "Leverage", hint: "or any" },
];

const TOUCHES: readonly (readonly ["own" | "all", string])[] = [
  ["own", "its own"],
  ["all", "the account's"],
];

function wished(app: App, form: RailsForm): TemplateResult {
  const { draft, replaces, isBusy } = form;
  const wish = wishOf(draft);
  function change(change: Partial<RailsDraft>): void {
    Object.assign(draft, change);
    form.isTouched = true;
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void writeGrant(app, form);
  }
  const beside = wish.kind === "wish" ? besideOf(app, wish.rails) : [];
  const changed = formChanged(app, form);
  const named = marketsFault(app.state.markets.value, draft);
  const misnamed = named?.isRefused === true ? named.words : null;
  const text = textFields(draft, beside, change);
  return html`
    <form class="rails" @submit=${submit} aria-label="New key for a bot" autocomplete="off">
      ${replaces === null ? text({ name: "bot", words: "Bot", hint: "a-z, 0-9 and -" }) : nothing}
      ${text({ name: "markets", words: "Markets", hint: "names, xyz:*, or any" })}
      ${AMOUNTS.map(text)}
      ${choice({ words: "Orders it may change", name: "touches", value: draft.touches === "all" ? "all" : "own", options: TOUCHES }, (touches) => change({ touches }))}
      ${text({ name: "sources", words: "May ask from", hint: sourceHint(form) })}
      ${text({ name: "days", words: "Days", hint: "365 at most" })}
      ${verbs(draft, change)}
      <div class="wide" aria-live="polite">${bound(wish, form.isTouched)}</div>
      <p class="note wide">No amount is unlimited that does not say <code>any</code>. What only reduces is never refused for an amount.</p>
      <div class="wide">${warning(elsewhere(app, form))}</div>
      ${misnamed === null ? nothing : html`<p class="late wide" role="alert">${misnamed}</p>`}
      ${widening(beside)}
      <div class="wide">${withdrawn(changed, () => takeOver(app, form))}</div>
      ${form.failure === null ? nothing : html`<p class="late wide" role="alert">${form.failure}</p>`}
      <div class="buttons wide">
        <button class="primary" ?disabled=${wish.kind === "fault" || isBusy || changed !== null || misnamed !== null}>${replaces === null ? "Make a limited key" : "Write the new rails"}</button>
        ${replaces === null ? nothing : html`<button type="button" @click=${() => endLimitedKey(app)}>Leave them as they are</button>`}
      </div>
    </form>`;
}

type Change = (change: Partial<RailsDraft>) => void;

function takeOver(app: App, form: RailsForm): void {
  lookAnew(app.state, form);
  app.changed();
}

/** Where a bot of that name is held to something else, what it is. */
function besideOf({ state }: App, wish: RailsText): RailBeside[] {
  const now = railsNow(state, wish.bot);
  return now === null ? [] : besideNow(now, wish);
}

function nowWords(beside: readonly RailBeside[], name: string): TemplateResult | typeof nothing {
  const found = beside.find((each) => each.name === name);
  if (found === undefined) return nothing;
  return html` <small class=${found.isWider ? "warn" : ""}>now ${found.now}${found.isWider ? ": wider" : ""}</small>`;
}

/** What the bot may do once this is signed, and may not do now. */
function widening(beside: readonly RailBeside[]): TemplateResult | typeof nothing {
  const wider = beside.filter(({ isWider }) => isWider);
  if (wider.length === 0) return nothing;
  const lines = wider.map(({ name, now }) => `${WORDS.get(name) ?? name} (now ${now})`);
  return html`<p class="late wide" role="status">What is signed WIDENS what holds now: ${lines.join("; ")}.</p>`;
}

function textFields(draft: RailsDraft, beside: readonly RailBeside[], change: Change) {
  return ({ name, words, hint }: DraftField): TemplateResult => html`
    <label><span>${words} <small>${hint}</small>${nowWords(beside, name)}</span>
      <input name=${name} spellcheck="false" .value=${live(draft[name])} @input=${(event: Event) => change({ [name]: typed(event) })} />
    </label>`;
}

function sourceHint({ asksFrom }: RailsForm): string {
  return typeof asksFrom === "string" ? `this page: ${asksFrom}` : "networks, or any";
}

const VERB_WORDS: Partial<Record<RailVerb, string>> = {
  increase: "open and increase",
  reduce: "reduce and close",
  modify: "modify",
  cancel: "cancel",
  leverage: "set leverage",
  margin: "move margin",
  twap: "run TWAPs",
  stop: "stop itself",
};

function verbs(draft: RailsDraft, change: Change): TemplateResult {
  const may = draft.may.split(",");
  function toggle(verb: RailVerb, isOn: boolean): void {
    change({ may: VERBS.filter((each) => (each === verb ? isOn : may.includes(each))).join(",") });
  }
  const boxes = offeredVerbs().map(
    (verb) =>
      html`<label class="check"><input type="checkbox" name=${`may-${verb}`} .checked=${live(may.includes(verb))} @change=${(event: Event) => toggle(verb, isChecked(event))} /> ${VERB_WORDS[verb] ?? verb}</label>`,
  );
  return html`<fieldset class="wide verbs"><legend>It may</legend>${boxes}</fieldset>`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ...AMOUNTS.map(({ name, words }) => [name, words] as const),
  ["bot", "Bot"],
  ["markets", "Markets"],
  ["sources", "May ask from"],
  ["days", "Days"],
  ["may", "It may"],
  ["touches", "Orders it may change"],
]);

function bound(wish: RailsFormReading, isTouched: boolean): TemplateResult | typeof nothing {
  if (wish.kind === "wish") return html`<p class="bound">${wish.bound}</p>`;
  return isTouched ? html`<p class="late">${WORDS.get(wish.member) ?? wish.member}: ${wish.rule}.</p>` : nothing;
}

/** What a newer grant changes besides, and names that are no markets here. */
function elsewhere({ state: { keys, markets } }: App, { draft, replaces }: RailsForm): string | null {
  const others = (keys.value ?? []).filter(
    ({ limits, state, key_hash: hash }) =>
      limits?.bot === draft.bot.trim() && state === "active" && hash !== replaces?.key_hash,
  );
  const named = marketsFault(markets.value, draft);
  const said = [
    ...(others.length === 0 ? [] : [`${draft.bot.trim()} has a key already: these rails will hold for it as well.`]),
    ...(named === null || named.isRefused ? [] : [named.words]),
    ...(isTwapRefused(draft) ? [`A TWAP may go 3 % off the market: with less than that none is taken.`] : []),
  ];
  return said.length === 0 ? null : said.join(" ");
}

/** The slices of a TWAP go that far, percent. */
const TWAP_DISTANCE = "3";

function isTwapRefused({ may, maxDistance }: RailsDraft): boolean {
  return may.split(",").includes("twap") && SENT_DECIMAL.test(maxDistance) && compare(maxDistance, TWAP_DISTANCE) < 0;
}

function grantIt(app: App, form: RailsForm, key: LimitedKey): TemplateResult {
  const { bot } = key.text;
  const beside = besideOf(app, key.text);
  return html`
    <p class="words">${key.apiKey === null ? `The rails of ${bot} hold once the owner has signed them.` : `A key for ${bot} is ready. It works once the owner has signed its grant.`}
    </p>
    ${widening(beside)}
    <p class="words bound">${boundWords(key.text)}</p>
    ${ownersWord(app, {
      signing: key.signing,
      owner: ownerOf(app),
      purpose: "grant the key",
      write: () => limitedGrantTypedData(key.text),
      beside: (name) => nowWords(beside, name),
      withdrawn: () => grantChanged(app.state, key),
      refresh: () => readKeys(app),
      signed: (signature) => registerLimitedKey(app, { form, key, signature }),
    })}
    <button type="button" @click=${() => giveUp(app, form)}>Back to the form</button>`;
}

function giveUp(app: App, form: RailsForm): void {
  form.made = null;
  app.changed();
}
