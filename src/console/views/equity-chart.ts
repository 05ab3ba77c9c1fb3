import { html, type TemplateResult } from "lit-html";
import { money } from "../figures/format.ts";
import { axes, CHART_HEIGHT_PX, CHART_PADDING, chart, ink, isDark } from "../parts/chart.ts";
import type { App } from "../state/app.ts";
import { readEquity, shownEquity } from "../state/equity.ts";

export function equityChart(app: App): TemplateResult {
  const equity = shownEquity(app.state);
  const { equityDays } = app.state.forms;
  const [first, last] = [equity[0], equity.at(-1)];
  if (first === undefined || last === undefined || equity.length < 2) {
    return html`<p class="empty">Drawn as soon as the gateway has noted two of it, five minutes apart.</p>`;
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

/** How far back; the gateway notes it every five minutes from when it first knew the account. */
export function spans(app: App): TemplateResult {
  function choose(days: (typeof SPANS)[number]): void {
    app.state.forms.equityDays = days;
    app.changed();
    void readEquity(app);
  }
  const { equityDays } = app.state.forms;
  return html`<span class="actions"><span class="second">every dex and spot, USDC</span>
    ${SPANS.map((days) => html`<button type="button" aria-pressed=${days === equityDays} @click=${() => choose(days)}>${days} d</button>`)}</span>`;
}
