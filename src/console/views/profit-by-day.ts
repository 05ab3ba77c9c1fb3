/** What each of the last days has brought, as the gateway has booked it. */
import { html, type TemplateResult } from "lit-html";
import type { Performance } from "../api/resources.ts";
import { subtract } from "../figures/decimal.ts";
import { dateAndTime, figure, money, signedMoney, tone } from "../figures/format.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { PROFIT_DAYS } from "../state/performance.ts";

type ProfitLine = Performance["data"][number];

export function signed(value: string): TemplateResult {
  return html`<span class=${tone(value)}>${signedMoney(value)}</span>`;
}

const COLUMNS: readonly Column<ProfitLine>[] = [
  { name: "Day", cell: ({ day }) => day ?? "" },
  { name: "Fills", isFigure: true, rank: 2, cell: ({ fills }) => figure(String(fills)) },
  { name: "Volume", isFigure: true, rank: 2, cell: ({ volume }) => money(volume, 0) },
  { name: "Realised", isFigure: true, cell: ({ realized_pnl: realized }) => signed(realized) },
  { name: "Funding", isFigure: true, rank: 2, cell: ({ funding }) => signed(funding) },
  { name: "Fees", isFigure: true, cell: ({ fees }) => signed(subtract("0", fees)) },
  { name: "Net", isFigure: true, cell: ({ net_pnl: net }) => signed(net) },
];

export function profitByDay(app: App): TemplateResult {
  const { byDay } = app.state.performance;
  return section(
    "Profit by day",
    whenLoaded(byDay, ({ data, total }) =>
      table<ProfitLine>({
        caption: "Profit by day",
        columns: COLUMNS,
        rows: data,
        id: ({ day }) => day ?? "",
        empty: total === null ? "Nothing is booked yet." : `Nothing was traded in the last ${PROFIT_DAYS} days.`,
      }),
    ),
    byDay.value === null ? "" : bookedWords(byDay.value),
  );
}

/** Days are of UTC; what is newer is not in it yet. */
function bookedWords({ complete_to: to }: Performance): string {
  return to === null ? "nothing is booked yet" : `days of UTC, booked up to ${dateAndTime(to)}`;
}
