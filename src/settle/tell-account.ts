import type { Account } from "../core/account.ts";
import { ZERO } from "../core/decimal.ts";
import type { EventType } from "../core/event.ts";
import type { World } from "../deps.ts";
import type { AccountState } from "../exchange/reads.ts";
import { listAccounts } from "../store/accounts.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import { appendEvent } from "../store/events.ts";
import type { Position } from "../wire/answer/account.ts";
import { accountResource, positionResource } from "./account-resources.ts";

/**
 * Tells of positions and balances that have changed, as the picture shows them: whatever changed them, an order of ours or
 * not. Marks move all the time and are no change.
 */
export type AccountTeller = {
  /** The picture of this address shows something more. Must not throw. */
  look(address: string): void;
  stop(): void;
};

/** Changes of balances that come within this of another are told as one, milliseconds. */
const BALANCE_PAUSE_MS = 1_000;

/** What an account was told last. */
type Told = {
  /** By dex, then by market. Null before its state was first shown. */
  positions: Map<string, Map<string, Position>>;
  balances: string | null;
  isTellingBalances: boolean;
};

export function openAccountTeller(world: World): AccountTeller {
  const told = new Map<string, Told>();
  let isStopped = false;

  function toldOf({ id }: Account): Told {
    const known = told.get(id) ?? { positions: new Map(), balances: null, isTellingBalances: false };
    told.set(id, known);
    return known;
  }

  function tell(account: Account, type: EventType, about: { resourceId: string; payload: object }): void {
    const { resourceId, payload } = about;
    const event = { accountId: account.id, atMs: world.clock.nowMs(), type, resourceId };
    inTransactionNotWaiting(world.store, () =>
      appendEvent(world.store, { ...event, payload: JSON.stringify(payload) }),
    );
  }

  function tellPositions(account: Account, dex: string): void {
    const state = world.picture.state(account.tradingAddress, dex)?.value;
    if (state === undefined) return;
    const { positions } = toldOf(account);
    const before = positions.get(dex);
    const now = new Map(state.positions.map((position) => [position.coin, position]));
    positions.set(dex, now);
    if (before === undefined) return;
    for (const position of changedPositions(before, now)) {
      const payload = positionResource(account, dex, position);
      tell(account, "position.updated", { resourceId: position.coin, payload });
    }
  }

  async function tellBalances(account: Account): Promise<void> {
    const known = toldOf(account);
    if (known.isTellingBalances) return;
    const isFirst = known.balances === null;
    if (!hasNews(account, known) || isFirst) return;
    known.isTellingBalances = true;
    tellBalancesNow(account);
    await world.clock.sleep(BALANCE_PAUSE_MS);
    known.isTellingBalances = false;
    if (!isStopped) await tellBalances(account);
  }

  /** Notes the sums that it finds. */
  function hasNews({ tradingAddress }: Account, known: Told): boolean {
    const state = pictured(world, tradingAddress);
    const sums = state === null ? null : sumsOf(state);
    const isNews = sums !== null && sums !== known.balances;
    known.balances = sums ?? known.balances;
    return isNews;
  }

  function tellBalancesNow(account: Account): void {
    const state = pictured(world, account.tradingAddress);
    if (state !== null)
      tell(account, "balance.updated", { resourceId: account.id, payload: accountResource(account, state) });
  }

  function lookAt(account: Account): void {
    for (const dex of dexesOf(world)) tellPositions(account, dex);
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

function dexesOf({ settings }: World): string[] {
  return ["", ...settings.dexes];
}

/** Null where a part of it was never shown. */
function pictured(world: World, address: string): AccountState | null {
  const mode = world.picture.mode(address);
  const spot = world.picture.spot(address);
  const byDex = dexesOf(world).flatMap((dex) => {
    const state = world.picture.state(address, dex);
    return state === null ? [] : [{ dex, state: state.value }];
  });
  if (mode === null || spot === null || byDex.length < dexesOf(world).length) return null;
  return { mode: mode.value, spotBalances: [...spot.value], byDex };
}

/** What only trades, funding and transfers change: of the dexes the cash, of tokens the whole. */
function sumsOf({ mode, spotBalances, byDex }: AccountState): string {
  const tokens = spotBalances.map(({ coin, total }) => [coin, total]);
  // Where collateral is shared the cash of a dex is part of the tokens.
  const cash = mode === "standard" ? byDex.map(({ dex, state }) => [dex, state.marginSummary.totalRawUsd]) : [];
  return JSON.stringify([mode, tokens, cash]);
}

function changedPositions(before: ReadonlyMap<string, Position>, now: ReadonlyMap<string, Position>): Position[] {
  const changed = [...now.values()].filter((position) => {
    const was = before.get(position.coin);
    return was === undefined || termsOf(was) !== termsOf(position);
  });
  const closed = [...before.values()].filter(({ coin }) => !now.has(coin)).map(asClosed);
  return [...changed, ...closed];
}

function termsOf({ signedSize, entryPrice, leverage: { type, value } }: Position): string {
  return JSON.stringify([signedSize, entryPrice, type, value]);
}

function asClosed(position: Position): Position {
  const nothing = { positionValue: ZERO, unrealizedPnl: ZERO, returnOnEquity: ZERO, marginUsed: ZERO };
  return { ...position, ...nothing, signedSize: ZERO, entryPrice: null, liquidationPrice: null };
}
