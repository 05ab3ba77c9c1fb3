import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { askedWords, takenAt } from "../../core/history.ts";
import type { ApiOperation, ApiTwap } from "../api/resources.ts";
import { divide, multiply } from "../figures/decimal.ts";
import { duration, figure, money, NOTHING, shortId, time } from "../figures/format.ts";
import { side, state } from "../parts/badges.ts";
import { typed } from "../parts/fields.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import type { TwapForm } from "../state/forms.ts";

export function twapsScreen(app: App): TemplateResult {
  const { twaps, operations, nowMs } = app.state;
  return html`
    <div class="columns">
      <div>
        ${section(
          "TWAPs",
          whenLoaded(twaps, (rows) =>
            table({
              caption: "TWAPs",
              columns: twapColumns(app),
              rows,
              id: ({ exchange_id: id }) => id,
              empty: "No TWAP.",
            }),
          ),
          "executed by the exchange over time",
        )}
        ${section(
          "Operations",
          whenLoaded(operations, (rows) =>
            table({
              caption: "Operations",
              columns: operationColumns(nowMs),
              rows,
              id: ({ id }) => id,
              empty: "No operation yet.",
            }),
          ),
          "leverage, margin and TWAPs, newest first",
        )}
      </div>
      <div class="side">${twapForm(app)}</div>
    </div>`;
}

function twapColumns(app: App): readonly Column<ApiTwap>[] {
  const { nowMs } = app.state;
  return [
    { name: "Started", cell: ({ created_at }) => time(created_at, nowMs) },
    { name: "Market", cell: ({ market }) => market },
    { name: "Side", cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Progress", isFigure: true, cell: progress },
    { name: "Average", isFigure: true, rank: 2, cell: ({ average_price }) => figure(average_price) },
    { name: "Time left", isFigure: true, rank: 2, cell: (row) => timeLeft(row, nowMs) },
    { name: "Status", cell: (row) => state(row.status) },
    { name: "Reason", rank: 3, cell: ({ error }) => error ?? "" },
    { name: "", cell: (row) => (row.ended_at === null ? stopButton(app, row) : nothing) },
  ];
}

function progress({ size, filled_size: filled }: ApiTwap): TemplateResult | string {
  if (filled === null) return NOTHING;
  const percent = divide(multiply(filled, "100"), size, 1) ?? "0";
  return html`<progress max="100" value=${percent} aria-label="filled"></progress> ${money(percent, 1)} %`;
}

const MINUTE_S = 60;

function timeLeft(
  { ended_at: endedAt, created_at: createdAt, duration_minutes: minutes }: ApiTwap,
  nowMs: number,
): string {
  if (endedAt !== null) return NOTHING;
  return duration(minutes * MINUTE_S - (nowMs - Date.parse(createdAt)) / 1_000);
}

function stopButton(app: App, twap: ApiTwap): TemplateResult {
  const words = `stop TWAP ${twap.exchange_id} (${twap.side} ${twap.size} ${twap.market})`;
  const body = { market: twap.market, twap_id: Number(twap.exchange_id) };
  return html`<button type="button" aria-label=${words} @click=${() => void act(app, { path: "/v1/twaps/cancel", body, words })}>Stop</button>`;
}

function operationColumns(nowMs: number): readonly Column<ApiOperation>[] {
  return [
    { name: "Taken", cell: ({ id }) => time(takenAt(id), nowMs) },
    { name: "Market", cell: ({ market }) => market ?? "" },
    { name: "What", cell: askedWords },
    { name: "Status", cell: (row) => state(row.status) },
    { name: "Exchange id", rank: 2, cell: ({ exchange_id: id }) => id ?? NOTHING },
    { name: "Reason", rank: 2, cell: ({ error }) => error ?? "" },
    { name: "Id", rank: 3, cell: ({ id }) => html`<code title=${id}>${shortId(id)}</code>` },
  ];
}

function twapForm(app: App): unknown {
  if (app.state.session?.me.scopes.includes("trading:write") !== true) return nothing;
  const { twap: draft } = app.state.forms;
  function edit(change: Partial<TwapForm>): void {
    Object.assign(draft, change);
    app.changed();
  }
  const isWhole = /^\d{1,5}$/.test(draft.minutes) && /^\d+(\.\d+)?$/.test(draft.size);
  return section(
    "New TWAP",
    html`
    <form class="order" autocomplete="off" @submit=${(event: Event) => submit(app, draft, event)}>
      <label>Market<input name="twapMarket" spellcheck="false" .value=${live(draft.market)} @input=${(event: Event) => edit({ market: typed(event) })} /></label>
      <fieldset class="sides"><legend class="hidden">Side of the TWAP</legend>
        ${(["buy", "sell"] as const).map((word) => html`<label class=${word}><input type="radio" name="twapSide" .checked=${live(draft.side === word)} @change=${() => edit({ side: word })} /> ${word === "buy" ? "Buy" : "Sell"}</label>`)}
      </fieldset>
      <label>Size<input class="figure" name="twapSize" inputmode="decimal" .value=${live(draft.size)} @input=${(event: Event) => edit({ size: typed(event) })} /></label>
      <label><span>Minutes <small>5 to 10080</small></span><input class="figure" name="twapMinutes" inputmode="numeric" .value=${live(draft.minutes)} @input=${(event: Event) => edit({ minutes: typed(event) })} /></label>
      <button class="primary ${draft.side}" ?disabled=${!isWhole || draft.isBusy}>${draft.isBusy ? "Sending…" : "Start TWAP"}</button>
    </form>`,
  );
}

async function submit(app: App, draft: TwapForm, event: Event): Promise<void> {
  event.preventDefault();
  if (draft.isBusy) return;
  draft.isBusy = true;
  app.changed();
  const { market, side: word, size, minutes } = draft;
  const body = { market, side: word, size, duration_minutes: Number(minutes) };
  const outcome = await act(app, {
    path: "/v1/twaps",
    body,
    words: `TWAP: ${word} ${size} ${market} over ${minutes} min`,
  });
  draft.isBusy = false;
  if (outcome?.kind === "done") draft.size = "";
  app.changed();
}
