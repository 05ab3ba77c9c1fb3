import type { Account } from "../../core/account.ts";
import type { EventType } from "../../core/event.ts";
import type { With } from "../../deps.ts";
import type { AccountState } from "../../exchange/reads.ts";
import { listAccounts } from "../../store/accounts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { appendEvent } from "../../store/events.ts";
import type { Position } from "../../wire/answer/account.ts";
import { accountResource, closedPositionResource, positionResource } from "./account-resources.ts";

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
type AccountTold = {
  /** By dex, then by market; a dex whose state was never shown is not in it. */
  positions: Map<string, Map<string, Position>>;
  /** `sumsOf` what was shown; null before that. */
  balances: string | null;
  /** Balances have been told a moment ago. */
  isPausing: boolean;
};

type ToTellAccount = With<"clock" | "log" | "picture" | "settings" | "store">;

export function openAccountTeller(world: ToTellAccount): AccountTeller {
  const told = new Map<string, AccountTold>();
  let isStopped = false;

  function toldOf({ id }: Account): AccountTold {
    const known = told.get(id) ?? { positions: new Map(), balances: null, isPausing: false };
    told.set(id, known);
    return known;
  }

  async function tellBalances(account: Account): Promise<void> {
    const known = toldOf(account);
    const state = pictured(world, account.tradingAddress);
    if (known.isPausing || state === null) return;
    const sums = sumsOf(state);
    if (sums === known.balances) return;
    const isFirst = known.balances === null;
    if (!isFirst)
      tell(world, account, {
        type: "balance.updated",
        resourceId: account.id,
        payload: accountResource(account, state),
      });
    known.balances = sums;
    if (isFirst) return;
    known.isPausing = true;
    await world.clock.sleep(BALANCE_PAUSE_MS);
    known.isPausing = false;
    if (!isStopped) await tellBalances(account);
  }

  function lookAt(account: Account): void {
    const { positions } = toldOf(account);
    for (const dex of dexesOf(world)) tellPositions(world, account, { dex, told: positions });
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

type ToldOfDex = { dex: string; told: AccountTold["positions"] };

function tellPositions(world: ToTellAccount, account: Account, { dex, told }: ToldOfDex): void {
  const state = world.picture.state(account.tradingAddress, dex)?.value;
  if (state === undefined) return;
  const before = told.get(dex);
  const now = new Map(state.positions.map((position) => [position.coin, position]));
  for (const position of before === undefined ? [] : changedPositions(before, now)) {
    const payload = positionResource(account, dex, position);
    tell(world, account, { type: "position.updated", resourceId: position.coin, payload });
  }
  for (const market of before?.keys() ?? []) {
    const payload = closedPositionResource(account, dex, market);
    if (!now.has(market)) tell(world, account, { type: "position.updated", resourceId: market, payload });
  }
  // What could not be told, for a full disk say, is told when the account is looked at again.
  told.set(dex, now);
}

function dexesOf({ settings }: With<"settings">): string[] {
  return ["", ...settings.dexes];
}

/** Null where a part of it was never shown. */
function pictured(world: With<"picture" | "settings">, address: string): AccountState | null {
  const mode = world.picture.mode(address);
  const spot = world.picture.spot(address);
  const byDex = dexesOf(world).flatMap((dex) => {
    const state = world.picture.state(address, dex);
    return state === null ? [] : [{ dex, state: state.value }];
  });
  if (mode === null || spot === null || byDex.length < dexesOf(world).length) return null;
  return { mode: mode.value, spotBalances: spot.value, byDex };
}

/** What only trades, funding and transfers change: of the dexes the cash, of tokens the whole. */
function sumsOf({ mode, spotBalances, byDex }: AccountState): string {
  const tokens = spotBalances.map(({ coin, total }) => [coin, total]);
  // Where collateral is shared the cash of a dex is part of the tokens.
  const cash = mode === "standard" ? byDex.map(({ dex, state }) => [dex, state.marginSummary.totalRawUsd]) : [];
  return JSON.stringify([mode, tokens, cash]);
}

function changedPositions(before: ReadonlyMap<string, Position>, now: ReadonlyMap<string, Position>): Position[] {
  return [...now.values()].filter((position) => {
    const was = before.get(position.coin);
    return was === undefined || termsOf(was) !== termsOf(position);
  });
}

function termsOf({ signedSize, entryPrice, leverage: { type, value } }: Position): string {
  return JSON.stringify([signedSize, entryPrice, type, value]);
}
