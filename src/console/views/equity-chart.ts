import { html, type TemplateResult } from "lit-html";
import { money } from "../figures/format.ts";
import { axes, CHART_HEIGHT_PX, CHART_PADDING, chart, ink, isDark } from "../parts/chart.ts";
import type { App } from "../state/app.ts";
import { shownEquity } from "../state/equity.ts";

export function equityChart(app: App): TemplateResult {
  const equity = shownEquity(app.state);
  const { equityDays } = app.state.forms;
  const [first, last] = [equity[0], equity.at(-1)];
  if (first === undefined || last === undefined || equity.length < 2) {
    return html`<p class="empty">Drawn as soon as this page has seen two readings.</p>`;
  }
  return chart({
    version: `${equityDays}-${equity.length}-${last.atMs}-${isDark()}`,
    words: `Total from ${money(first.equity)} to ${money(last.equity)} over ${equity.length} readings of the last ${equityDays} d`,
    data: () => [equity.map(({ atMs }) => atMs / 1_000), equity.map((sample) => Number(sample.equity))],
    options: (width) => ({
      width,
      height: CHART_HEIGHT_PX,
      padding: CHART_PADDING,
      legend: { show: false },
      cursor: { y: false },
      axes: axes(),
      series: [{}, { label: "Total", stroke: ink("accent"), width: 1.5, points: { show: false } }],
    }),
  });
}

const SPANS = [1, 7, 30] as const;

/** How far back; a page that was closed has seen nothing. */
export function spans(app: App): TemplateResult {
  function choose(days: (typeof SPANS)[number]): void {
    app.state.forms.equityDays = days;
    app.changed();
  }
  const { equityDays } = app.state.forms;
  return html`<span class="actions"><span class="second">every dex and spot, USDC, while this page was open</span>
    ${SPANS.map((days) => html`<button type="button" aria-pressed=${days === equityDays} @click=${() => choose(days)}>${days} d</button>`)}</span>`;
}
