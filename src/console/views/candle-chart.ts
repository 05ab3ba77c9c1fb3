/** Candles, with one's own orders as lines and fills as arrows. */

import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type uPlot from "uplot";
import { figure } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { axes, CHART_PADDING, chart, ink, isDark } from "../parts/chart.ts";
import { section } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { type ApiCandle, type Candles, chooseInterval, INTERVALS } from "../state/candles.ts";
import { botNames } from "../state/timeline-lists.ts";
import { triangle } from "./fills-chart.ts";
import { proposeMove } from "./modify-order.ts";
import { type ChartLevel, drawLevels, isDragging, isNearPrice, levelOf, makeDraggable } from "./order-lines.ts";
import { mayWrite } from "./positions.ts";

const HEIGHT_PX = 260;

export function candleChart(app: App): TemplateResult {
  const { candles, watched } = app.state;
  const isShown = candles !== null && watched !== null && candles.market === watched.market;
  const content = isShown ? drawn(app, candles) : html`<p class="empty">Reading…</p>`;
  const title = watched === null ? "Candles" : shownMarket(app.state.markets.value, watched.market);
  return section(title, content, intervals(app));
}

function intervals(app: App): TemplateResult {
  const { interval } = app.state.forms;
  function changed({ target }: Event): void {
    const chosen = INTERVALS.find((each) => target instanceof HTMLSelectElement && each === target.value);
    if (chosen !== undefined) chooseInterval(app, chosen);
  }
  return html`
    <label class="inline"><span class="hidden">Interval of a candle</span>
      <select name="interval" @change=${changed}>${INTERVALS.map((each) => html`<option value=${each} .selected=${live(each === interval)}>${each}</option>`)}</select>
    </label>`;
}

function drawn(app: App, { rows, market, interval, failure, readAtMs }: Candles): TemplateResult {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined)
    return html`<p class="empty">${failure ?? (readAtMs === null ? "Reading…" : "No candle yet.")}</p>`;
  const orders = (app.state.openOrders.value ?? []).filter((order) => order.market === market);
  const all = orders.map(levelOf);
  const levels = all.filter((level) => isNearPrice(level, Number(last.close)));
  const marks = marksOf(app, market, Date.parse(first.opened_at));
  const letters = lettersOf(marks);
  const seconds = (iso: string) => Date.parse(iso) / 1_000;
  const version = [
    market,
    interval,
    readAtMs,
    isDark(),
    marks.length,
    ...letters.keys(),
    ...levels.map(({ words, price }) => `${words} ${price}`),
  ].join(" ");
  return html`
    ${chart({
      version,
      isHeld: isDragging,
      words: `${rows.length} candles of ${shownMarket(app.state.markets.value, market)}, ${interval} each; the last closed at ${figure(last.close)}; ${levels.length} orders of your own`,
      data: () => [
        rows.map(({ opened_at: at }) => seconds(at)),
        rows.map(({ low }) => Number(low)),
        rows.map(({ high }) => Number(high)),
        rows.map(({ open }) => Number(open)),
        rows.map(({ close }) => Number(close)),
      ],
      options: (width) => optionsOf(app, width, { levels, marks, letters, span: spanOf(first, last) }),
    })}
    ${failure === null ? "" : html`<p class="late" role="status">Not up to date: ${failure}</p>`}
    <p class="note">dashed: your open orders and triggers${mayWrite(app) ? html`<span class="mouse-only">, to be dragged</span><span class="touch-only">, moved in the table of open orders</span>` : ""}${outsideWords(all.length - levels.length)} · ▲ you bought · ▼ you sold${whoseWords(letters)}</p>`;
}

/** A line that is not there must not look like an order that is not. */
function outsideWords(count: number): string {
  return count === 0 ? "" : ` · ${count} ${count === 1 ? "is" : "are"} too far off to be drawn`;
}

/** `whose`: the bot or key that placed it, as it is called here; empty for what was not placed here. */
type Mark = { atS: number; price: number; isBuy: boolean; whose: string };

/** Fills within the time of the chart. */
function marksOf({ state }: App, market: string, sinceMs: number): Mark[] {
  const { fills } = state;
  const nameOf = botNames(state);
  const marks: Mark[] = [];
  for (const { fill } of fills.byMarket.get(market) ?? []) {
    const atMs = Date.parse(fill.created_at);
    if (atMs < sinceMs) break;
    marks.push({
      atS: atMs / 1_000,
      price: Number(fill.price),
      isBuy: fill.side === "buy",
      whose: nameOf(fill.key_hash),
    });
  }
  return marks;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** By who placed what; none where it was one alone, or more than there are letters for. */
function lettersOf(marks: readonly Mark[]): ReadonlyMap<string, string> {
  const names = [...new Set(marks.map(({ whose }) => whose))].sort();
  const isTold = names.length > 1 && names.length <= LETTERS.length;
  return new Map(isTold ? names.map((name, index) => [name, LETTERS[index] ?? ""]) : []);
}

function whoseWords(letters: ReadonlyMap<string, string>): string {
  return [...letters].map(([name, letter]) => ` · ${letter} ${name === "" ? "placed elsewhere" : name}`).join("");
}

type ChartSpan = { fromS: number; toS: number; candleS: number };

/** Candles for which there is always room: a market that has just begun is not drawn as one block. */
const LEAST_CANDLES = 60;

function spanOf(first: ApiCandle, last: ApiCandle): ChartSpan {
  const toS = Date.parse(last.closes_at) / 1_000;
  const candleS = toS - Date.parse(last.opened_at) / 1_000;
  const fromS = Math.min(Date.parse(first.opened_at) / 1_000, toS - LEAST_CANDLES * candleS);
  return { fromS, toS, candleS };
}

type CandleLines = {
  levels: readonly ChartLevel[];
  marks: readonly Mark[];
  letters: ReadonlyMap<string, string>;
  span: ChartSpan;
};

function optionsOf(app: App, width: number, { levels, marks, letters, span }: CandleLines): uPlot.Options {
  const hidden = { points: { show: false }, stroke: "transparent", width: 0 };
  return {
    width,
    height: HEIGHT_PX,
    padding: CHART_PADDING,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    axes: axes(),
    scales: {
      x: { range: () => [span.fromS, span.toS] },
      y: { range: (_plot, low, high) => rangeOf(low, high, levels) },
    },
    series: [{}, hidden, hidden, hidden, hidden],
    hooks: {
      ready: [
        (plot) => {
          if (mayWrite(app)) makeDraggable(plot, levels, (order, price) => proposeMove(app, order, price));
        },
      ],
      draw: [
        (plot) => candlesOn(plot, span),
        (plot) => drawLevels(plot, levels),
        (plot) => {
          for (const { atS, price, isBuy, whose } of marks) {
            const at = { x: plot.valToPos(atS, "x", true), y: plot.valToPos(price, "y", true) };
            const colour = ink(isBuy ? "buy" : "sell");
            triangle(plot, at, { colour, up: isBuy ? 1 : -1 });
            letterAt(plot, at, { letter: letters.get(whose) ?? "", colour });
          }
        },
      ],
    },
  };
}

const LETTER_PX = 10;

function letterAt(
  { ctx }: uPlot,
  { x, y }: { x: number; y: number },
  { letter, colour }: Record<"letter" | "colour", string>,
) {
  if (letter === "") return;
  ctx.fillStyle = colour;
  ctx.font = `${LETTER_PX * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(letter, x + (LETTER_PX / 2) * devicePixelRatio, y);
}

/** Part of the height that is left free above and below. */
const MARGIN = 0.08;

function rangeOf(low: number, high: number, levels: readonly ChartLevel[]): [number, number] {
  const prices = levels.map(({ price }) => price);
  const [bottom, top] = [Math.min(low, ...prices), Math.max(high, ...prices)];
  const spare = (top - bottom || top) * MARGIN;
  return [bottom - spare, top + spare];
}

/** Part of the room of a candle that its body takes. */
const BODY = 0.6;

function candlesOn(plot: uPlot, { fromS, toS, candleS }: ChartSpan): void {
  const [times = [], lows = [], highs = [], opens = [], closes = []] = plot.data;
  const { ctx, bbox } = plot;
  const body = Math.max(1, (bbox.width * candleS * BODY) / (toS - fromS));
  const at = (value: number | null | undefined) => plot.valToPos(value ?? 0, "y", true);
  for (const [index, time] of times.entries()) {
    const [open, close] = [opens[index] ?? 0, closes[index] ?? 0];
    const x = plot.valToPos(time + candleS / 2, "x", true);
    const [top, bottom] = [at(Math.max(open, close)), at(Math.min(open, close))];
    ctx.fillStyle = ink(close >= open ? "gain" : "loss");
    ctx.fillRect(x - devicePixelRatio / 2, at(highs[index]), devicePixelRatio, at(lows[index]) - at(highs[index]));
    ctx.fillRect(x - body / 2, top, body, Math.max(devicePixelRatio, bottom - top));
  }
}
