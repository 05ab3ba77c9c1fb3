/** One chart in the page: drawn by uPlot, kept while its place stays, given new figures when they change. */
import { html, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import uPlot from "uplot";

/** The figures of a chart are for the eye alone: here, and only here, they become floats. */
export type Drawing = {
  /** Says when it has to be drawn again. */
  version: string;
  options: (width: number) => uPlot.Options;
  data: uPlot.AlignedData;
  /** What it shows, for those who do not see it. */
  words: string;
};

type Drawn = { plot: uPlot; version: string; width: number };

const drawn = new WeakMap<Element, Drawn>();

export function chart(drawing: Drawing): TemplateResult {
  function draw(element: Element | undefined): void {
    if (!(element instanceof HTMLElement)) return;
    const width = element.clientWidth;
    const before = drawn.get(element);
    if (before?.version === drawing.version && before.width === width) return;
    before?.plot.destroy();
    const plot = new uPlot(drawing.options(width), drawing.data, element);
    drawn.set(element, { plot, version: drawing.version, width });
  }
  return html`<div class="chart" role="img" aria-label=${drawing.words} ${ref(draw)}></div>`;
}

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
    { ...line, font },
    { ...line, font, size: 76, values: (_plot, splits) => splits.map((value) => value.toLocaleString("en-US")) },
  ];
}

export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}
