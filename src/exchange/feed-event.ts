import type { AccountPart } from "../wire/answer/account-frame.ts";
import type { Fill } from "../wire/answer/fills.ts";
import type { Frame, OrderUpdate } from "../wire/answer/stream.ts";
import type { TwapRecord, TwapStanding } from "../wire/answer/twap.ts";

/**
 * What the exchange tells about one trading address as it happens. A hint: frames carry no numbers, so what is
 * missing cannot be seen; reads decide.
 */
export type FeedEvent =
  /** Everything is subscribed from here on. What happened before is not told: read it again. */
  | { kind: "connected" }
  | { kind: "disconnected"; reason: string }
  /** A frame that could not be read: read again what it may have said. */
  | { kind: "gap"; reason: string }
  /** The exchange refused something; its text. */
  | { kind: "refused"; text: string }
  | { kind: "order_updates"; updates: readonly OrderUpdate[] }
  /** `isSnapshot`: the newest ones, told again after connecting. */
  | { kind: "fills"; fills: readonly Fill[]; isSnapshot: boolean }
  | { kind: "twap_records"; records: readonly TwapRecord[]; isSnapshot: boolean }
  /** The running ones of a dex, all of them. */
  | { kind: "running_twaps"; dex: string; twaps: readonly TwapStanding[] }
  /** A part of the account's state, whole. */
  | { kind: "account_part"; shown: AccountPart };

/** What a frame means to whoever follows `address`; null where it means nothing. */
export function feedEvent(frame: Frame, address: string): FeedEvent | null {
  if ("user" in frame && frame.kind !== "subscribed" && frame.user !== address)
    return { kind: "gap", reason: "a frame for another address" };
  switch (frame.kind) {
    case "order_updates":
      return { kind: "order_updates", updates: frame.updates };
    case "user_fills":
    case "twap_slice_fills":
      return { kind: "fills", fills: frame.fills, isSnapshot: frame.isSnapshot };
    case "twap_history":
      return { kind: "twap_records", records: frame.records, isSnapshot: frame.isSnapshot };
    case "twap_states":
      return { kind: "running_twaps", dex: frame.dex, twaps: frame.twaps };
    case "account_part":
      return { kind: "account_part", shown: frame };
    case "error":
      return { kind: "refused", text: frame.text };
    case "unreadable":
      return { kind: "gap", reason: "a frame that cannot be read" };
    case "hello":
    case "pong":
    case "subscribed":
    case "best_prices":
    case "book":
    case "mark_figures":
    case "mid_prices":
    case "post":
    case "other":
      return null;
  }
}

/** The latest time, by the exchange's own clock, that an event carries, unix milliseconds; null where it carries none. */
export function dateOf(event: FeedEvent): number | null {
  switch (event.kind) {
    case "order_updates":
      return latest(event.updates.map(({ statusTimestampMs }) => statusTimestampMs));
    case "fills":
      return latest(event.fills.map(({ timeMs }) => timeMs));
    case "account_part":
      if (event.shown.part === "state") return event.shown.value?.timeMs ?? null;
      return event.shown.part === "head" ? (event.shown.value?.serverTimeMs ?? null) : null;
    default:
      return null;
  }
}

function latest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.max(...times);
}

export type FeedSubscription = { readonly type: string; readonly user: string; readonly dex?: string };

/** Without these nothing is followed: orders, fills, and TWAPs, whose running ones are told a dex at a time. */
export function subscriptionsOf(address: string, dexes: readonly string[]): FeedSubscription[] {
  return [
    { type: "orderUpdates", user: address },
    { type: "userFills", user: address },
    { type: "userTwapHistory", user: address },
    ...dexes.map((dex) => ({ type: "twapStates", user: address, dex })),
  ];
}

/** The account's state as it is now. Where the exchange does not tell one of these, it is read instead. */
export function stateSubscriptionsOf(address: string, dexes: readonly string[]): FeedSubscription[] {
  return [
    { type: "webData3", user: address },
    ...dexes.map((dex) => ({ type: "clearinghouseState", user: address, dex })),
    { type: "spotState", user: address },
    ...dexes.map((dex) => ({ type: "openOrders", user: address, dex })),
  ];
}
