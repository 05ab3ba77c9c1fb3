import type { Account } from "../core/account.ts";
import { ZERO } from "../core/decimal.ts";
import { printRails } from "../core/rails/grammar.ts";
import { leftOf, type Used, usedOf } from "../core/rails/left.ts";
import type { Rails } from "../core/rails/rails.ts";
import { railsResource, tripResource } from "../core/rails/rails-resource.ts";
import { dayOf, type Halt } from "../core/rails/trip.ts";
import { isoTime } from "../core/resource.ts";
import { findAccount } from "../store/accounts.ts";
import { findApiKey, type StoredKey } from "../store/api-keys.ts";
import { listBotNets } from "../store/bots.ts";
import { haltOf } from "../store/halts.ts";
import { railsOf } from "../store/narrowings.ts";
import { findStopOf } from "../store/stops.ts";
import { findTrip } from "../store/trips.ts";
import { booksShown, type ToShowBooks } from "../write/rails-facts.ts";

/** How much of its rails a bot has used, at the newest prices that are known. */
export function useOf(deps: ToShowBooks, account: Account, rails: Rails): Used {
  return usedOf(rails, booksShown(deps, { account, bot: rails.bot }));
}

/** What a limited key is held to now, how much of it its bot has used, and what is left; null for a plain key. */
export function limitsResource(deps: ToShowBooks, keyHash: string) {
  const { store, clock } = deps;
  const key = findApiKey(store, keyHash);
  if (key === null || key.limited === null) return null;
  const { accountId, limited } = key;
  const account = findAccount(store, accountId);
  if (account === null) throw new Error("bug: a key of no account");
  const rails = railsOf(store, key, limited);
  const { bot } = rails;
  const use = useOf(deps, account, rails);
  const trip = findTrip(store, { accountId, bot }, dayOf(clock.nowMs()));
  return {
    bot,
    rails: railsResource(printRails(rails)),
    expires_at: isoTime(limited.expiresAtMs),
    trip: trip === null ? null : tripResource(trip),
    use: {
      turnover_today: use.traded,
      turnover_open: use.turnoverOpen,
      loss_today: use.loss,
      actions_today: use.actions,
      open_orders: use.openOrders,
      nets: [...listBotNets(store, accountId, bot)].map(([market, net]) => ({ market, net })),
      positions: use.positions.map(({ market, size, most }) => ({
        market,
        worst_case_size: size,
        worst_case_usd: most,
      })),
    },
    headroom: headroomOf(rails, use, shownHalt(deps, key, rails)),
  };
}

/** What the gate would let pass. While it lets nothing increase nothing is left, of what is not limited either. */
function headroomOf(rails: Rails, use: Used, halt: ShownHalt | null) {
  if (halt !== null) return nothingLeft(use, halt);
  const { turnover, loss, exposure, actions, openOrders, positions } = leftOf(rails, use);
  return {
    halt: null,
    turnover_today: turnover,
    loss_today: loss,
    exposure,
    actions_today: actions,
    open_orders: openOrders,
    positions,
  };
}

type ShownHalt = { cause: Halt["cause"] | "key_ended" | "markets" | "may" | "stopped"; untilMs: number | null };

/** Of several reasons one that does not end by itself is told: the others would promise too early an end. */
function shownHalt({ store, clock }: ToShowBooks, key: StoredKey, rails: Rails): ShownHalt | null {
  const nowMs = clock.nowMs();
  const isEnded = key.state !== "active" || (key.limited !== null && nowMs >= key.limited.expiresAtMs);
  const reasons: (ShownHalt | null)[] = [
    isEnded ? { cause: "key_ended", untilMs: null } : null,
    haltOf(store, key.accountId, rails, nowMs),
    findStopOf(store, key.accountId, key.keyHash) === null ? null : { cause: "stopped", untilMs: null },
    haltByWords(rails),
  ];
  const known = reasons.filter((reason) => reason !== null);
  return known.find(({ untilMs }) => untilMs === null) ?? known[0] ?? null;
}

/** Of a bot that may neither increase nor propose it, as one that is paused, or that has no market left, no amount lets anything pass. */
function haltByWords({ may, markets }: Rails): ShownHalt | null {
  if (!may.includes("increase") && !may.includes("propose")) return { cause: "may", untilMs: null };
  return markets?.length === 0 ? { cause: "markets", untilMs: null } : null;
}

function nothingLeft({ positions }: Used, { cause, untilMs }: ShownHalt) {
  return {
    halt: { cause, until: untilMs === null ? null : isoTime(untilMs) },
    turnover_today: ZERO,
    loss_today: ZERO,
    exposure: ZERO,
    actions_today: 0,
    open_orders: 0,
    positions: positions.map(({ market }) => ({ market, usd: ZERO })),
  };
}
