/** What a stop has left to close, and what speaks against telling that it is nothing although no server shows more. */
import { type Decimal, isZero, ZERO } from "../../core/decimal.ts";
import { closableOf, unprovenPart } from "../../core/flatten.ts";
import { isSpot } from "../../core/market.ts";
import type { Stop } from "../../core/stop.ts";
import type { With } from "../../deps.ts";
import { botOfStop, listBotNets } from "../../store/bots.ts";
import type { Store } from "../../store/open.ts";
import { listUnkept } from "../../store/short-of-fills.ts";
import { listUnprovenTwaps } from "../../store/unproven-twaps.ts";
import { heldByFills, SETTLED_AFTER_MS } from "../evidence/position-check.ts";

export type Contradiction = { sinceMs: number | null };

/** What is to be closed of these positions, by market: of a bot no more than its own fills hold, of a plain key nothing. */
export function closableIn(store: Store, stop: Stop, positions: ReadonlyMap<string, Decimal>): Map<string, Decimal> {
  if (stop.scope === "account") return nonZero([...positions]);
  const bot = botOfStop(store, stop);
  if (bot === null) return new Map();
  const nets = listBotNets(store, stop.accountId, bot);
  return nonZero([...positions].map(([market, position]) => [market, closableOf(position, nets.get(market) ?? ZERO)]));
}

function nonZero(sizes: readonly (readonly [string, Decimal])[]): Map<string, Decimal> {
  return new Map(sizes.filter(([, size]) => !isZero(size)));
}

/**
 * What is held where the books hold nothing to close and a TWAP of after a restored backup may have bought it for the bot: no more than
 * that.
 */
export function listUnproven(store: Store, stop: Stop, positions: ReadonlyMap<string, Decimal>): Map<string, Decimal> {
  const bot = botOfStop(store, stop);
  if (bot === null) return new Map();
  const unproven = listUnprovenTwaps(store, { accountId: stop.accountId, bot });
  const nets = listBotNets(store, stop.accountId, bot);
  return nonZero(
    [...unproven].map(([market, sums]) => [
      market,
      unprovenPart(positions.get(market) ?? ZERO, nets.get(market) ?? ZERO, sums),
    ]),
  );
}

/**
 * Markets in which something speaks against there being nothing where nothing is shown: the newest fills that are known leave something to close
 * there, or a bot holds something by the answers to its orders and their fills are not all known yet. A server may leave a position out.
 */
export function listContradicted(
  { store, clock }: With<"clock" | "store">,
  stop: Stop,
  { held, seen }: { held: ReadonlyMap<string, Decimal>; seen: Contradiction },
): string[] {
  const byFills = closableIn(store, stop, heldByFills(store, stop.accountId));
  const markets = new Set([...byFills.keys(), ...heldByAnswers(store, stop)]);
  const missing = [...markets].filter((market) => !held.has(market));
  seen.sinceMs = missing.length > 0 ? (seen.sinceMs ?? clock.elapsedMs()) : null;
  return seen.sinceMs !== null && clock.elapsedMs() - seen.sinceMs < SETTLED_AFTER_MS ? missing : [];
}

/**
 * True while what nothing shows to be held may lack because the fills of after the stop were not read: a position that servers leave out is
 * told by its fills alone. Where they cannot be read for as long as what they show is waited for, it is told without.
 */
export function areFillsAwaited({ clock }: With<"clock">, isRead: boolean, unread: Contradiction): boolean {
  unread.sinceMs = isRead ? null : (unread.sinceMs ?? clock.elapsedMs());
  return unread.sinceMs !== null && clock.elapsedMs() - unread.sinceMs < SETTLED_AFTER_MS;
}

/** Where the bot of a stop holds something by the answers to its orders, and not all of their fills are known. */
function heldByAnswers(store: Store, stop: Stop): string[] {
  const bot = botOfStop(store, stop);
  if (bot === null) return [];
  const nets = listBotNets(store, stop.accountId, bot);
  const untold = new Set(listUnkept(store, stop.accountId).map(({ market }) => market));
  return [...untold].filter((market) => !isSpot(market) && !isZero(nets.get(market) ?? ZERO));
}
