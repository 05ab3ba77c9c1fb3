/** What a bot is held to, what it has used of it, and what is left. */
import { html, nothing, type TemplateResult } from "lit-html";
import { NO_FILTER } from "../../core/history.ts";
import type { KeyLimits, ListedApiKey } from "../api/resources.ts";
import { add, subtract } from "../figures/decimal.ts";
import { ageOf, dateAndTime, figure, lossOf, money, NOTHING } from "../figures/format.ts";
import { facts } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { changeRails, isPaused, pauseRails } from "../state/limited-key.ts";
import { madeToday } from "../state/performance.ts";
import { boundWords, railsTextOf } from "../state/rails-form.ts";
import { changeFilter } from "../state/timeline.ts";
import { signed } from "./profit-by-day.ts";

/** Whose key it is; one that may trade without limits is named. */
export function botOf({ limits, scopes, state }: ListedApiKey): TemplateResult | string {
  if (limits !== null) return limits.bot;
  const isUnlimited = scopes.includes("trading:write") && state === "active";
  return isUnlimited ? html`<span class="warn">no limits</span>` : NOTHING;
}

export function botLimits(app: App, key: ListedApiKey): TemplateResult | null {
  const { limits, state } = key;
  if (limits === null || state !== "active") return null;
  const { rails } = limits;
  const inMs = Date.parse(limits.expires_at) - app.state.nowMs;
  return html`
    <div class="limits">
      ${halted(limits)}
      ${facts(uses(limits))}
      ${facts(todayOf(app, limits.bot))}
      ${facts([
        ["It may", rails.may.replaceAll(",", ", ")],
        ["Markets", rails.markets.replaceAll(",", ", ")],
        ["One order", amountWords(rails.max_order)],
        ["Price off the market", `${rails.max_distance}; a stop off its trigger ${rails.max_stop_distance}`],
        ["Leverage", rails.max_leverage],
        ["Orders it may change", rails.touches],
        ["May ask from", rails.sources.replaceAll(",", ", ")],
        [
          "Until",
          `${dateAndTime(limits.expires_at)}${inMs > 0 ? ` (in ${ageOf(new Date(app.state.nowMs).toISOString(), Date.parse(limits.expires_at))})` : ": it is over"}`,
        ],
      ])}
      <p class="words">${boundWords(railsTextOf(limits))}</p>
      <div class="buttons">
        <button type="button" @click=${() => change(app, key)}>Change the rails of ${limits.bot}</button>
        ${isPaused(limits) ? nothing : html`<button type="button" @click=${() => pause(app, key)}>Pause ${limits.bot}…</button>`}
        <button type="button" @click=${() => showHistory(app, limits.bot)}>What ${limits.bot} did</button>
      </div>
    </div>`;
}

/** Why it increases nothing now. */
function halted(limits: KeyLimits): TemplateResult | typeof nothing {
  const { trip, bot, headroom } = limits;
  const { halt } = headroom;
  // After a restore a trip touches nobody whose day is not limited.
  if (halt === null) return nothing;
  if (halt.cause === "loss" || halt.cause === "restored") return trip === null ? nothing : tripped(trip, bot);
  const beside = trip?.cause === "loss" ? tripped(trip, bot) : nothing;
  return html`<p class="late">${HALTED[halt.cause](bot)}</p>${beside}`;
}

/** Reasons that do not end by themselves. */
const HALTED: Record<
  Exclude<NonNullable<KeyLimits["headroom"]["halt"]>["cause"], "loss" | "restored">,
  (bot: string) => string
> = {
  narrowing_lost: (bot) =>
    `HELD: a narrowing of ${bot} was deleted or changed from outside. It increases nothing until you sign a later grant.`,
  stopped: (bot) => `STOPPED: a stop of ${bot} or of the account stands. It increases nothing until that is resumed.`,
  may: (bot) => `PAUSED: the rails of ${bot} let it increase nothing. Sign a later grant to end that.`,
  markets: (bot) => `Narrowings have left ${bot} no market. It increases nothing until you sign a later grant.`,
  key_ended: (bot) => `This key of ${bot} has ended: nothing is taken from it.`,
};

function tripped(trip: NonNullable<KeyLimits["trip"]>, bot: string): TemplateResult {
  const { account, cause, loss, limit, until } = trip;
  const why =
    cause === "loss"
      ? `it has lost ${money(loss)} of the ${money(limit)} USD that it may lose in a day`
      : "what it had used of its day is not known since a restore";
  return html`<p class="late">TRIPPED until ${dateAndTime(until)}: ${why}. It increases nothing until then, or until the operator ends it: <code>postern key untrip --bot ${bot} --account ${account}</code></p>`;
}

function change(app: App, key: ListedApiKey): void {
  changeRails(app, key);
  requestAnimationFrame(() => document.querySelector("form.rails")?.scrollIntoView({ block: "center" }));
}

/** Rails that let it make positions smaller and nothing larger; the owner signs them, as those that end it. */
function pause(app: App, key: ListedApiKey): void {
  pauseRails(app, key);
  requestAnimationFrame(() => document.querySelector("form.rails")?.scrollIntoView({ block: "center" }));
}

function showHistory(app: App, bot: string): void {
  void changeFilter(app, { ...NO_FILTER, bot });
  location.hash = "#/history";
}

/** As the gateway has booked it, since 00:00 UTC. */
function todayOf(app: App, bot: string): Fact[] {
  const made = madeToday(app, (line) => line.bot === bot);
  if (made === null) return [["Made today", NOTHING]];
  return [
    ["Fills today", figure(String(made.fills))],
    ["Realised today", signed(made.realized)],
    ["Fees today", signed(subtract("0", made.fees))],
    ["Net today", signed(made.net)],
  ];
}

type Fact = readonly [name: string, value: unknown];

/** Of today, and of now: what is used, of how much, and what is left. */
function uses({ use, headroom, rails }: KeyLimits): Fact[] {
  // Without a price what is open has no worth that could be told.
  const isWhole = use.turnover_open !== null;
  const turnover = add(use.turnover_today, use.turnover_open ?? "0");
  return [
    [
      isWhole ? "Turnover today, with open orders" : "Turnover today, without open orders: a price is not known",
      used({ amount: turnover, limit: rails.max_turnover_per_day, left: headroom.turnover_today, show: money }),
    ],
    [
      "Loss today, best effort",
      used({ amount: lossOf(use.loss_today), limit: rails.max_loss_per_day, left: headroom.loss_today, show: money }),
    ],
    [
      "Orders and modifies today",
      used({ amount: String(use.actions_today), limit: rails.max_actions_per_day, left: headroom.actions_today }),
    ],
    [
      "Open orders",
      used({ amount: String(use.open_orders), limit: rails.max_open_orders, left: headroom.open_orders }),
    ],
    [
      "All positions",
      html`at most ${amountWords(rails.max_exposure)}${headroom.exposure === null ? nothing : html` <span class="note">${money(headroom.exposure)} left</span>`}`,
    ],
    ...use.positions.map((position) => inMarket(position.market, { use, headroom, rails })),
  ];
}

type LimitsInUse = Pick<KeyLimits, "use" | "headroom" | "rails">;

function inMarket(market: string, { use, headroom, rails }: LimitsInUse): Fact {
  const net = use.nets.find((held) => held.market === market)?.net ?? "0";
  const worst = use.positions.find((position) => position.market === market)?.worst_case_usd ?? null;
  const left = headroom.positions.find((position) => position.market === market)?.usd ?? null;
  const most =
    worst === null ? "no price is known" : html`may come to ${money(worst)} of ${amountWords(rails.max_position)}`;
  return [
    `Holds ${figure(net)} ${market}`,
    html`${most}${left === null ? nothing : html` <span class="note">${money(left)} left</span>`}`,
  ];
}

/** `1500 USD` as `1,500 USD`; `any` as it is. */
function amountWords(limit: string): string {
  const [most = "", unit = ""] = limit.split(" ");
  return limit === "any" ? limit : `${figure(most)} ${unit}`;
}

/** `amount`: null while it is not known. */
type LimitUse = {
  amount: string | null;
  limit: string;
  left: string | number | null;
  show?: (amount: string) => string;
};

function used({ amount, limit, left, show = figure }: LimitUse): TemplateResult {
  const known = amount === null ? "not known" : show(amount);
  if (limit === "any") return html`${known}, <span class="warn">no limit</span>`;
  const [most = "", unit = ""] = limit.split(" ");
  const words = `${known} of ${figure(most)} ${unit}`;
  const rest = left === null ? nothing : html` <span class="note">${show(String(left))} left</span>`;
  return html`${words} <progress max=${most} value=${amount ?? "0"} aria-label=${words}></progress>${rest}`;
}
