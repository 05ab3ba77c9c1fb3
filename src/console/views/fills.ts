import { html, nothing, type TemplateResult } from "lit-html";
import { figure, money, shortId, signedMoney, time, tone } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { side } from "../parts/badges.ts";
import { section } from "../parts/section.ts";
import { type Column, longTable, newWindow, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { type FillRow, type FillSums, MAX_FILLS, netOf, PROFIT_TOKEN } from "../state/fills.ts";
import { fillsChart } from "./fills-chart.ts";

const view = newWindow();

function columnsOf({ state: { markets, nowMs } }: App): readonly Column<FillRow>[] {
  return [
    { name: "Time", cell: ({ fill }) => time(fill.created_at, nowMs) },
    { name: "Market", cell: ({ fill }) => shownMarket(markets.value, fill.market) },
    { name: "Side", cell: ({ fill }) => side(fill.side) },
    { name: "Size", isFigure: true, cell: ({ fill }) => figure(fill.size) },
    { name: "Price", isFigure: true, cell: ({ fill }) => figure(fill.price) },
    { name: "Fee", isFigure: true, rank: 2, cell: ({ fill }) => `${figure(fill.fee)} ${fill.fee_token}` },
    { name: "Realised", isFigure: true, rank: 2, cell: ({ fill }) => signed(fill.realized_pnl) },
    { name: "Running", isFigure: true, cell: ({ runningPnl }) => signed(runningPnl) },
    { name: "Running fees", isFigure: true, rank: 3, cell: ({ runningFees }) => money(runningFees) },
    { name: "As", rank: 3, cell: ({ fill }) => fill.liquidity },
    {
      name: "What",
      rank: 3,
      cell: ({ fill }) => (fill.liquidation ? html`<span class="warn">liquidation</span>` : fill.direction),
    },
  ];
}

export function fillsScreen(app: App): TemplateResult {
  const { fills } = app.state;
  const columns = columnsOf(app);
  return html`
    ${section("Fills on price", fillsChart(app))}
    ${section("By bot and key", perKey(app), `realised profit without fees, ${PROFIT_TOKEN}`)}
    ${section(
      "Fills",
      html`
        ${fills.failure === null ? nothing : html`<p class="late" role="status">Not complete: ${fills.failure}</p>`}
        ${longTable<FillRow>(
          {
            caption: "Fills",
            columns,
            rows: fills.rows,
            id: ({ fill }) => fill.id,
            empty: fills.isLoading ? "Reading…" : "No fill yet.",
          },
          view,
          app.changed,
        )}`,
      count(app),
    )}`;
}

function count({ state: { fills } }: App): string {
  const rows = fills.rows.length === 1 ? "1 fill" : `${figure(String(fills.rows.length))} fills`;
  if (fills.isLoading) return `${rows}, reading more…`;
  return fills.isCut
    ? `the newest ${rows}; this page keeps ${figure(String(MAX_FILLS))}, running from the oldest of them`
    : `${rows}, all of them`;
}

function signed(value: string): TemplateResult {
  return html`<span class=${tone(value)}>${signedMoney(value)}</span>`;
}

type KeySums = { keyHash: string; sums: FillSums };

function perKey(app: App): TemplateResult {
  const { fills, keys } = app.state;
  const rows = [...fills.byKey].map(([keyHash, sums]) => ({ keyHash, sums }));
  const scopes = new Map((keys.value ?? []).map((key) => [key.key_hash, key.scopes.join(", ")]));
  const own = app.state.session?.me.key_hash;
  const bots = new Map(
    (keys.value ?? []).flatMap(({ key_hash: hash, limits }) => (limits === null ? [] : [[hash, limits.bot] as const])),
  );
  return table<KeySums>({
    caption: "Fills by key",
    columns: [
      {
        name: "Key",
        cell: ({ keyHash }) =>
          keyHash === ""
            ? "TWAPs and elsewhere"
            : html`<span title=${keyHash}>${bots.get(keyHash) ?? html`<code>${shortId(keyHash)}</code>`}</span>${keyHash === own ? " (this page's)" : ""}`,
      },
      { name: "Scopes", rank: 3, cell: ({ keyHash }) => scopes.get(keyHash) ?? "" },
      { name: "Fills", isFigure: true, cell: ({ sums }) => figure(String(sums.count)) },
      { name: "Realised", isFigure: true, cell: ({ sums }) => signed(sums.realizedPnl) },
      { name: "Fees", isFigure: true, cell: ({ sums }) => feesOf(sums) },
      {
        name: "Net",
        isFigure: true,
        cell: ({ sums }) => signed(netOf(sums.realizedPnl, sums.fees.get(PROFIT_TOKEN) ?? "0")),
      },
    ],
    rows,
    id: ({ keyHash }) => `key-${keyHash}`,
    empty: "No fill yet.",
  });
}

function feesOf({ fees }: FillSums): string {
  return [...fees].map(([token, sum]) => `${token === PROFIT_TOKEN ? money(sum) : figure(sum)} ${token}`).join(" + ");
}
