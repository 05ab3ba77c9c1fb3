/** One chart in the page: drawn by uPlot, kept while its place stays, given new figures when they change. */
import { html, noChange, type TemplateResult } from "lit-html";
import { AsyncDirective } from "lit-html/async-directive.js";
import { directive, type ElementPart } from "lit-html/directive.js";
import uPlot from "uplot";
import { dateAndTime } from "../figures/format.ts";

/** The figures of a chart are for the eye alone: here, and only here, they become floats. */
export type Drawing = {
  /** Says when it has to be drawn again. */
  version: string;
  options: (width: number) => uPlot.Options;
  /** Asked for only when it is drawn. */
  data: () => uPlot.AlignedData;
  /** True while somebody holds something of it: it is not made anew under the hand. */
  isHeld?: () => boolean;
  /** What it shows, for those who do not see it. */
  words: string;
};

type Drawn = { plot: uPlot; version: string; width: number; atMs: number };

/** Milliseconds between two drawings of one chart; the page draws itself once a second in any case. */
const REDRAW_MS = 900;

export function chart(drawing: Drawing): TemplateResult {
  return html`<div class="chart" role="img" aria-label=${drawing.words} ${drawnIn(drawing)}></div>`;
}

/** What is drawn in one element, as long as that is in the page. */
class DrawnIn extends AsyncDirective {
  #drawn: Drawn | null = null;

  override render(_drawing: Drawing): typeof noChange {
    return noChange;
  }

  override update({ element }: ElementPart, [drawing]: [Drawing]): typeof noChange {
    const width = element.clientWidth;
    const before = this.#drawn;
    const isSame = before?.version === drawing.version && before.width === width;
    const isRecent = before !== null && before.width === width && performance.now() - before.atMs < REDRAW_MS;
    if (isSame || isRecent || (before !== null && drawing.isHeld?.() === true) || !(element instanceof HTMLElement))
      return noChange;
    before?.plot.destroy();
    const plot = new uPlot(drawing.options(width), drawing.data(), element);
    this.#drawn = { plot, version: drawing.version, width, atMs: performance.now() };
    return noChange;
  }

  protected override disconnected(): void {
    this.#drawn?.plot.destroy();
    this.#drawn = null;
  }
}

const drawnIn = directive(DrawnIn);

export const CHART_HEIGHT_PX = 180;

/** A colour of the style sheet, as it is at this moment: light or dark. */
export function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function axes(): uPlot.Axis[] {
  const line = {
    stroke: ink("muted"),
    grid: { stroke: ink("line"), width: 1 },
    ticks: { stroke: ink("line"), width: 1 },
  };
  const font = "11px system-ui, sans-serif";
  return [
    { ...line, font, space: 96, values: (_plot, splits) => splits.map((at) => timeLabel(at, spanOf(splits))) },
    { ...line, font, size: 84, values: (_plot, splits) => splits.map((value) => valueLabel(value, stepOf(splits))) },
  ];
}

/** CSS pixels around the drawing: the last label of an axis needs its half. */
export const CHART_PADDING: uPlot.Padding = [8, 40, 0, 0];

function stepOf(splits: readonly number[]): number {
  return Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
}

function spanOf(splits: readonly number[]): number {
  return (splits.at(-1) ?? 0) - (splits[0] ?? 0);
}

const MAX_DECIMALS = 8;

/** All labels of one axis have the same decimals. */
function valueLabel(value: number, step: number): string {
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, -Math.floor(Math.log10(step))));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

const DAY_S = 86_400;

function timeLabel(atS: number, spanS: number): string {
  const [date = "", clock = ""] = dateAndTime(new Date(atS * 1_000).toISOString()).split(" ");
  if (spanS > 3 * DAY_S) return date;
  if (spanS > DAY_S) return `${date.slice(5)} ${clock}`;
  return spanS > 600 ? clock : `${clock}:${String(Math.floor(atS % 60)).padStart(2, "0")}`;
}

export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
