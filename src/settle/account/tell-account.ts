import type { Account } from "../../core/account.ts";
import { negate, ZERO } from "../../core/decimal.ts";
import type { EventType } from "../../core/event.ts";
import type { With } from "../../deps.ts";
import type { AccountState } from "../../exchange/reads.ts";
import { listAccounts } from "../../store/accounts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { appendEvent, listToldPositions } from "../../store/events.ts";
import type { Store } from "../../store/open.ts";
import type { Position } from "../../wire/answer/account.ts";
import { accountResource, closedPositionResource, positionResource } from "./account-resources.ts";

/**
 * Tells of positions and balances that have changed, as the picture shows them: whatever changed them, an order of ours or
 * not. Marks move all the time and are no change. After a start positions are held against what the log says of them, and balances are
 * told once: what changed shortly before the end of a process, or while none ran, is told as well.
 */
export type AccountTeller = {
  /** The picture of this address shows something more. Must not throw. */
  look(address: string): void;
  stop(): void;
};

/** Changes of balances that come within this of another are told as one, milliseconds. */
const BALANCE_PAUSE_MS = 1_000;

/** What an account was told last. */
type AccountTold = {
  /** `termsOf` each position, by dex, then by market; a dex whose state was not shown since the start is not in it. */
  positions: Map<string, ReadonlyMap<string, string>>;
  /** `sumsOf` what was told; null before that. */
  balances: string | null;
  /** What is of before the first look may be older than what was told before the start. Exchange time, unix milliseconds. */
  sinceMs: number;
  /** Balances have been told a moment ago. */
  isPausing: boolean;
};

type ToTellAccount = With<"clock" | "exchange" | "log" | "picture" | "settings" | "store">;

export function openAccountTeller(world: ToTellAccount): AccountTeller {
  const told = new Map<string, AccountTold>();
  let isStopped = false;

  function toldOf({ id }: Account): AccountTold {
    const known = told.get(id);
    if (known !== undefined) return known;
    const first = { positions: new Map(), balances: null, isPausing: false, sinceMs: world.exchange.nowMs() };
    told.set(id, first);
    return first;
  }

  async function tellBalances(account: Account): Promise<void> {
    const known = toldOf(account);
    const state = pictured(world, account.tradingAddress, known.balances === null ? known.sinceMs : 0);
    if (known.isPausing || state === null) return;
    const sums = sumsOf(state);
    if (sums === known.balances) return;
    const payload = accountResource(account, state);
    tell(world, account, { type: "balance.updated", resourceId: account.id, payload });
    known.balances = sums;
    known.isPausing = true;
    await world.clock.sleep(BALANCE_PAUSE_MS);
    known.isPausing = false;
    if (!isStopped) await tellBalances(account);
  }

  function lookAt(account: Account): void {
    const { positions: told, sinceMs } = toldOf(account);
    for (const dex of dexesOf(world)) tellPositions(world, account, { dex, told, sinceMs });
    tellBalances(account).catch((error: unknown) => failed(account, error));
  }

  function failed({ id }: Account, error: unknown): void {
    if (!isStopped)
      world.log.error({ account: id, error: String(error) }, "what changed of an account could not be told");
  }

  return {
    look(address) {
      if (isStopped) return;
      for (const account of listAccounts(world.store)) {
        if (account.tradingAddress !== address) continue;
        try {
          lookAt(account);
        } catch (error) {
          // A full disk, say: the lists still show it.
          failed(account, error);
        }
      }
    },
    stop() {
      isStopped = true;
    },
  };
}

type ToldChange = { type: EventType; resourceId: string; payload: object };

function tell({ clock, store }: ToTellAccount, account: Account, { payload, ...about }: ToldChange): void {
  const event = { accountId: account.id, atMs: clock.nowMs(), ...about };
  inTransactionNotWaiting(store, () => appendEvent(store, { ...event, payload: JSON.stringify(payload) }));
}

type ToldOfDex = { dex: string; told: AccountTold["positions"]; sinceMs: number };

/** The first picture after a start is held against what was told before it. */
function tellPositions(world: ToTellAccount, account: Account, { dex, told, sinceMs }: ToldOfDex): void {
  const shown = world.picture.state(account.tradingAddress, dex);
  if (shown === null || (!told.has(dex) && shown.timeMs < sinceMs)) return;
  const before = told.get(dex) ?? toldBeforeStart(world.store, account, dex);
  const { positions } = shown.value;
  const terms = new Map(positions.map((position) => [position.coin, termsOf(position)]));
  for (const position of positions) {
    const { coin: market } = position;
    if (before.get(market) === terms.get(market)) continue;
    const payload = positionResource(account, dex, position);
    tell(world, account, { type: "position.updated", resourceId: market, payload });
  }
  for (const market of before.keys()) {
    const payload = closedPositionResource(account, dex, market);
    if (!terms.has(market)) tell(world, account, { type: "position.updated", resourceId: market, payload });
  }
  // What could not be told, for a full disk say, is told when the account is looked at again.
  told.set(dex, terms);
}

/** `termsOf` what the log says that is held. */
function toldBeforeStart(store: Store, { id }: Account, dex: string): Map<string, string> {
  const told = listToldPositions(store, id).flatMap(({ market, payload }) => {
    // As `tell` has written it: of a position that is closed neither side nor terms.
    const resource = JSON.parse(payload ?? "null") as ReturnType<typeof positionResource> | null;
    if (resource?.dex !== dex || resource.size === ZERO) return [];
    const { side, size, entry_price: entryPrice, leverage: value, margin_type: type } = resource;
    const signedSize = side === "short" ? negate(size) : size;
    return [[market, termsOf({ signedSize, entryPrice, leverage: { type, value } })] as const];
  });
  return new Map(told);
}

function dexesOf({ settings }: With<"settings">): string[] {
  return ["", ...settings.dexes];
}

/** Null where a part of it was never shown, or positions and balances are of before `sinceMs`. */
function pictured(world: With<"picture" | "settings">, address: string, sinceMs: number): AccountState | null {
  const mode = world.picture.mode(address);
  const spot = world.picture.spot(address);
  const byDex = dexesOf(world).flatMap((dex) => {
    const state = world.picture.state(address, dex);
    return state === null || state.timeMs < sinceMs ? [] : [{ dex, state: state.value }];
  });
  if (mode === null || spot === null || spot.timeMs < sinceMs || byDex.length < dexesOf(world).length) return null;
  return { mode: mode.value, spotBalances: spot.value, byDex };
}

/** What only trades, funding and transfers change: of the dexes the cash, of tokens the whole. */
function sumsOf({ mode, spotBalances, byDex }: AccountState): string {
  const tokens = spotBalances.map(({ coin, total }) => [coin, total]);
  // Where collateral is shared the cash of a dex is part of the tokens.
  const cash = mode === "standard" ? byDex.map(({ dex, state }) => [dex, state.marginSummary.totalRawUsd]) : [];
  return JSON.stringify([mode, tokens, cash]);
}

type PositionTerms = Pick<Position, "signedSize" | "entryPrice"> & {
  leverage: Pick<Position["leverage"], "type" | "value">;
};

/** What is told when it changes. */
function termsOf({ signedSize, entryPrice, leverage: { type, value } }: PositionTerms): string {
  return JSON.stringify([signedSize, entryPrice, type, value]);
}
