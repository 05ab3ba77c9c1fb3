/** What a client may narrow a list of the record by. */
import { keyOfBot } from "../core/idempotency.ts";
import { findMarket } from "../core/market.ts";
import type { With } from "../deps.ts";
import { findApiKey, listApiKeys } from "../store/api-keys.ts";
import type { Caller } from "../write/caller.ts";

/** As it was asked for; null for all. */
export type WantedFilter = {
  /** Unix milliseconds; the end itself does not count. */
  sinceMs: number | null;
  untilMs: number | null;
  market: string | null;
  keyHash: string | null;
  bot: string | null;
};

export const UNFILTERED: WantedFilter = { sinceMs: null, untilMs: null, market: null, keyHash: null, bot: null };

type ToFilter = With<"store"> & { markets: Pick<With<"markets">["markets"], "current"> };

export type ListFilter = {
  sinceMs: number | null;
  untilMs: number | null;
  /** Canonical name. */
  market: string | null;
  keyHashes: readonly string[] | null;
};

/** Null where nothing is narrowed. A market, key or bot that is not known has no rows; that is no mistake of the request. */
export function filterOf(deps: ToFilter, caller: Pick<Caller, "account">, wanted: WantedFilter): ListFilter | null {
  const { sinceMs, untilMs, market, keyHash, bot } = wanted;
  if (sinceMs === null && untilMs === null && market === null && keyHash === null && bot === null) return null;
  return { sinceMs, untilMs, market: marketNamed(deps, market), keyHashes: keysOf(deps, caller, { keyHash, bot }) };
}

/** The pair of one spot market is a name of it; a market that is gone keeps its own. */
export function marketNamed({ markets }: Pick<ToFilter, "markets">, name: string | null): string | null {
  const universe = markets.current();
  if (name === null || universe === null) return name;
  return findMarket(universe, name)?.name ?? name;
}

type KeysWanted = { keyHash: string | null; bot: string | null };

function keysOf(
  { store }: With<"store">,
  { account }: Pick<Caller, "account">,
  { keyHash, bot }: KeysWanted,
): string[] | null {
  if (bot === null) return keyHash === null ? null : [keyHash];
  const ofBot = listApiKeys(store, account.id).flatMap((key) => (key.limited?.rails.bot === bot ? [key.keyHash] : []));
  return keyHash === null ? ofBot : ofBot.filter((hash) => hash === keyHash);
}

/** The names under which an Idempotency-Key may be kept: a bot's are its own, and who has no rails looks into all of them. */
export function keptAs({ store }: With<"store">, { account, key }: Caller, sent: string): string[] {
  const own = findApiKey(store, key.keyHash)?.limited?.rails.bot;
  if (own !== undefined) return [keyOfBot(own, sent)];
  const bots = new Set(listApiKeys(store, account.id).map(({ limited }) => limited?.rails.bot ?? null));
  return [null, ...[...bots].filter((bot) => bot !== null)].map((bot) => keyOfBot(bot, sent));
}
