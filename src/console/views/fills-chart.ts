import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type uPlot from "uplot";
import type { ApiFill } from "../api/resources.ts";
import { shownMarket } from "../figures/market-name.ts";
import { axes, CHART_HEIGHT_PX, CHART_PADDING, chart, ink, isDark } from "../parts/chart.ts";
import type { App } from "../state/app.ts";

/** Points of one chart. */
const MAX_POINTS = 1_000;
const POINT_PX = 6;

/** The markets with fills, and the fills of the chosen one on the prices at which they happened. */
export function fillsChart(app: App): TemplateResult {
  const { fills: book, forms } = app.state;
  const newest = book.rows[0]?.fill.market;
  if (newest === undefined) return html`<p class="empty">No fill yet.</p>`;
  const market = book.byMarket.has(forms.chartMarket) ? forms.chartMarket : newest;
  const rows = (book.byMarket.get(market) ?? []).slice(0, MAX_POINTS);
  const drawn =
    rows.length < 2
      ? html`<p class="empty">Drawn from the second fill on.</p>`
      : chart({
          version: `${market}-${book.version}-${isDark()}`,
          words: `${rows.length} fills of ${shownMarket(app.state.markets.value, market)} on price`,
          data: () => dataOf(rows.map(({ fill }) => fill).toReversed()),
          options: optionsOf,
        });
  return html`
    <label class="inline">Market
      <select name="chartMarket" @change=${(event: Event) => choose(app, event)}>
        ${[...book.byMarket.keys()].sort().map((name) => html`<option value=${name} .selected=${live(name === market)}>${shownMarket(app.state.markets.value, name)}</option>`)}
      </select>
    </label>
    ${drawn}
    <p class="note"><span class="buy">▲ buy</span> · <span class="sell">▼ sell</span> · the line joins the prices of the fills</p>`;
}

function choose(app: App, event: Event): void {
  if (event.target instanceof HTMLSelectElement) app.state.forms.chartMarket = event.target.value;
  app.changed();
}

function dataOf(fills: readonly ApiFill[]): uPlot.AlignedData {
  const prices = fills.map(({ price }) => Number(price));
  return [
    fills.map(({ created_at }) => Date.parse(created_at) / 1_000),
    prices,
    fills.map(({ side }, index) => (side === "buy" ? (prices[index] ?? null) : null)),
    fills.map(({ side }, index) => (side === "sell" ? (prices[index] ?? null) : null)),
  ];
}

function optionsOf(width: number): uPlot.Options {
  return {
    width,
    height: CHART_HEIGHT_PX,
    padding: CHART_PADDING,
    legend: { show: false },
    axes: axes(),
    series: [
      {},
      { label: "Price", stroke: ink("muted"), width: 1, points: { show: false } },
      { label: "Buy", points: { show: false } },
      { label: "Sell", points: { show: false } },
    ],
    hooks: {
      draw: [
        (plot) => triangles(plot, { series: 2, colour: ink("buy"), up: 1 }),
        (plot) => triangles(plot, { series: 3, colour: ink("sell"), up: -1 }),
      ],
    },
  };
}

type ArrowMarks = { series: number; colour: string; up: 1 | -1 };

/** Buys point up, sells point down: the difference does not hang on the colour. */
function triangles(plot: uPlot, { series, colour, up }: ArrowMarks): void {
  const [times = [], values = []] = [plot.data[0], plot.data[series]];
  for (const [index, value] of values.entries()) {
    const time = times[index];
    if (value === null || value === undefined || time === undefined) continue;
    const [x, y] = [plot.valToPos(time, "x", true), plot.valToPos(value, "y", true)];
    triangle(plot, { x, y }, { colour, up });
  }
}

type CanvasPoint = { x: number; y: number };

/** Both in pixels of the canvas. */
export function triangle({ ctx }: uPlot, { x, y }: CanvasPoint, { colour, up }: Omit<ArrowMarks, "series">): void {
  const size = POINT_PX * devicePixelRatio;
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y - (up * size) / 2);
  ctx.lineTo(x - size / 2, y + (up * size) / 2);
  ctx.lineTo(x + size / 2, y + (up * size) / 2);
  ctx.fill();
}
