/** What tells of TWAPs: the history that is asked for, the account's feed, and the slices that have traded. Each may be behind by itself. */
import type { Attempt } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { listClaimedTwaps } from "../../store/operations.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { parseTwapHistory, type TwapRecord } from "../../wire/answer/twap.ts";
import { readFillsSince } from "../fills/fill-pages.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { operationOf } from "./operation.ts";
import { readEffect } from "./reading.ts";
import { askedTwap, LEAD_MS } from "./twap-terms.ts";

/** What the history of TWAPs shows, and what is known of the number of the operation by then. */
export type TwapHistory = { records: TwapRecord[]; newestAtMs: number | null; attempt: Attempt };

export async function readHistory(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<TwapHistory | null> {
  const user = tools.userOf(attempt);
  const reading = await readEffect(tools, attempt, { pursuit, request: { type: "twapHistory", user } });
  const records = reading === null ? null : parseTwapHistory(reading.json);
  if (reading === null || records === null) return null;
  const times = records.map(({ timeS }) => timeS * 1_000);
  return { records, newestAtMs: times.length === 0 ? null : Math.max(...times), attempt: reading.attempt };
}

/** What the account's feed has told of its TWAPs, and what was read beside it: that one was there, and as what. No absence follows from it. */
export function toldTwaps({ picture }: With<"picture">, user: string): TwapRecord[] {
  const running = picture.runningTwaps(user).map(({ twapId, state }): TwapRecord => {
    const timeS = Math.floor(state.timestampMs / 1_000);
    return { twapId, state, timeS, status: "activated", description: null };
  });
  return [...(picture.twaps(user)?.value ?? []), ...running];
}

/** A TWAP trades each half minute: one that has not for so long before an action began with it at the earliest. Milliseconds. */
const BEFORE_MS = 90_000;
/** Its first slice comes this much after the end of the action at the latest, milliseconds. */
const FIRST_SLICE_MS = 31_000;

/**
 * Native ids of the TWAPs that may be the one of an attempt by their slices: all of them in its market and on its side, the first of its
 * time, and of no other operation. Null where fills could not be read. How long and how large one is no slice says.
 */
export async function readSlicedTwaps(
  world: With<"exchange" | "feeds" | "settings" | "store">,
  { attempt, user }: { attempt: Attempt; user: string },
  options: InfoOptions,
): Promise<string[] | null> {
  const fills = await readFillsSince(world, { user, sinceMs: attempt.nonce - BEFORE_MS }, options);
  if (fills === "failed") return null;
  const { exchangeId } = operationOf(world, attempt);
  const claimed = listClaimedTwaps(world.store, attempt.accountId);
  const byTwap = Map.groupBy(fills, ({ twapId }) => twapId);
  return [...byTwap].flatMap(([twapId, slices]) => {
    if (twapId === null || (claimed.has(twapId) && twapId !== exchangeId)) return [];
    return mayBeSlicesOf(world, attempt, slices) ? [twapId] : [];
  });
}

function mayBeSlicesOf(world: With<"store">, attempt: Attempt, slices: readonly Fill[]): boolean {
  const { market } = operationOf(world, attempt);
  const side = askedTwap(attempt).b ? "B" : "A";
  const firstMs = Math.min(...slices.map(({ timeMs }) => timeMs));
  const isOfItsTime = firstMs >= attempt.nonce - LEAD_MS && firstMs <= attempt.expiresAtMs + FIRST_SLICE_MS;
  return isOfItsTime && slices.every((slice) => slice.coin === market && slice.side === side);
}
