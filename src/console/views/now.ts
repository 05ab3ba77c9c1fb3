/** Am I all right? What needs the owner, what is held, how the total has gone, and what the bots have done today. */
import { html, type TemplateResult } from "lit-html";
import type { KeyLimits, ListedApiKey } from "../api/resources.ts";
import { subtract } from "../figures/decimal.ts";
import { ageOf, figure, lossOf, money, NOTHING } from "../figures/format.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { attentionOf, type Matter } from "../state/attention.ts";
import { type Made, madeToday } from "../state/performance.ts";
import { equityChart, spans } from "./equity-chart.ts";
import { openTrades } from "./open-trades.ts";
import { positions } from "./positions.ts";
import { profitByDay, signed } from "./profit-by-day.ts";
import { unknownOrders } from "./unknown-orders.ts";

export function nowScreen(app: App): TemplateResult {
  return html`
    ${needs(attentionOf(app.state))}
    ${unknownOrders(app)}
    ${positions(app)}
    ${openTrades(app)}
    ${section("Total", equityChart(app), spans(app))}
    ${profitByDay(app)}
    ${section(
      "Bots of today",
      whenLoaded(app.state.keys, (keys) => botsOfToday(app, keys)),
      "since 00:00 UTC",
    )}`;
}

function needs(matters: readonly Matter[]): TemplateResult {
  const rows = matters.map(
    ({ words, where, link }) => html`<li><span class="warn">${words}</span> <a href=${where}>${link}</a></li>`,
  );
  const content =
    rows.length === 0 ? html`<p class="empty">Nothing needs you.</p>` : html`<ul class="matters">${rows}</ul>`;
  return section("Needs you", content);
}

type BotOfToday = { limits: KeyLimits; lastUsedAt: string | null };

/** Of a bot with two keys what it did is counted for both together. */
function botsOf(keys: readonly ListedApiKey[]): BotOfToday[] {
  const bots = new Map<string, BotOfToday>();
  for (const { limits, state, last_used_at: usedAt } of keys) {
    if (limits === null || state !== "active") continue;
    const before = bots.get(limits.bot)?.lastUsedAt ?? null;
    const lastUsedAt = [before, usedAt ?? null].reduce((one, other) => ((one ?? "") > (other ?? "") ? one : other));
    bots.set(limits.bot, { limits, lastUsedAt });
  }
  return [...bots.values()].sort((one, other) => one.limits.bot.localeCompare(other.limits.bot));
}

function botsOfToday(app: App, keys: readonly ListedApiKey[]): TemplateResult {
  return table<BotOfToday>({
    caption: "Bots of today",
    columns: columnsOf(app),
    rows: botsOf(keys),
    id: ({ limits }) => limits.bot,
    empty: "No bot has a key.",
  });
}

function columnsOf(app: App): readonly Column<BotOfToday>[] {
  const { nowMs } = app.state;
  return [
    { name: "Bot", cell: ({ limits }) => html`<a href="#/bots">${limits.bot}</a>` },
    { name: "State", cell: ({ limits }) => stateOf(limits) },
    {
      name: "Turnover",
      isFigure: true,
      cell: ({ limits: { use, rails } }) => of(use.turnover_today, rails.max_turnover_per_day),
    },
    {
      name: "Loss",
      isFigure: true,
      cell: ({ limits: { use, rails } }) => of(lossOf(use.loss_today), rails.max_loss_per_day),
    },
    {
      name: "Fills",
      isFigure: true,
      rank: 2,
      cell: ({ limits }) => made(app, limits.bot, ({ fills }) => figure(String(fills))),
    },
    {
      name: "Fees",
      isFigure: true,
      rank: 3,
      cell: ({ limits }) => made(app, limits.bot, ({ fees }) => signed(subtract("0", fees))),
    },
    { name: "Net", isFigure: true, cell: ({ limits }) => made(app, limits.bot, ({ net }) => signed(net)) },
    { name: "Orders", isFigure: true, rank: 2, cell: ({ limits: { use } }) => String(use.actions_today ?? NOTHING) },
    { name: "Open", isFigure: true, rank: 2, cell: ({ limits: { use } }) => String(use.open_orders) },
    {
      name: "Last seen",
      rank: 2,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? NOTHING : `${ageOf(lastUsedAt, nowMs)} ago`),
    },
  ];
}

function made(app: App, bot: string, show: (made: Made) => unknown): unknown {
  const today = madeToday(app, (line) => line.bot === bot);
  return today === null ? NOTHING : show(today);
}

function stateOf({ trip }: KeyLimits): TemplateResult | string {
  return trip === null ? "on" : html`<span class="warn">tripped</span>`;
}

function of(amount: string | null, limit: string): TemplateResult | string {
  if (amount === null) return "not known";
  const [most = ""] = limit.split(" ");
  return limit === "any" ? money(amount) : html`${money(amount)} <span class="note">of ${money(most, 0)}</span>`;
}
