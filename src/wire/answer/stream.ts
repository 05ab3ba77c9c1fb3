import type { BestPrices, Book, MarkFigures, MidPrices } from "../../core/market-figures.ts";
import { parseJson } from "../json.ts";
import { type AccountFrame, accountFrame } from "./account-frame.ts";
import { type Fill, fill, twapSliceFill } from "./fills.ts";
import { bestPricesOf, bookOf, contextOf } from "./market-data.ts";
import { parseMids } from "./mids.ts";
import { type BasicOrder, basicOrder } from "./order-status.ts";
import { flag, integer, orNull, rows, type Source, source, sourceOf, text, textOrNull, timeMs } from "./read.ts";
import { runningTwaps, type TwapRecord, type TwapStanding, twapRecords } from "./twap.ts";

export type OrderUpdate = { order: BasicOrder; status: string; statusTimestampMs: number };

/** One frame of the exchange's websocket. Frames carry no sequence numbers: a gap cannot be seen in them. */
export type Frame =
  /** The line of plain text that greets a connection. */
  | { kind: "hello"; text: string }
  | { kind: "pong" }
  | { kind: "subscribed"; method: string; type: string; user: string | null }
  | { kind: "error"; text: string }
  /** Names no user, and there is never a snapshot. */
  | { kind: "order_updates"; updates: OrderUpdate[] }
  | { kind: "user_fills"; user: string; fills: Fill[]; isSnapshot: boolean }
  | { kind: "twap_slice_fills"; user: string; fills: Fill[]; isSnapshot: boolean }
  | { kind: "twap_history"; user: string; records: TwapRecord[]; isSnapshot: boolean }
  | { kind: "twap_states"; user: string; dex: string; twaps: TwapStanding[] }
  | AccountFrame
  /** When it changes. */
  | { kind: "best_prices"; market: string; timeMs: number; best: BestPrices }
  | { kind: "book"; market: string; timeMs: number; book: Book }
  /** Carries no time. */
  | { kind: "mark_figures"; market: string; figures: MarkFigures }
  | { kind: "mid_prices"; dex: string; mids: MidPrices }
  | { kind: "post"; id: number; type: string; payload: unknown }
  /** A channel that we do not read. */
  | { kind: "other"; channel: string }
  | { kind: "unreadable" };

/** Longest frame that is looked at, characters; a snapshot of 2,000 fills is below one million. */
const MAX_FRAME = 4_194_304;
const MAX_SHOWN = 400;

/** Total: never throws. */
export function parseFrame(frame: string): Frame {
  if (frame.length > MAX_FRAME) return { kind: "unreadable" };
  const json = parseJson(frame);
  if (json === undefined) {
    return /^[A-Z]/.test(frame) ? { kind: "hello", text: frame.slice(0, MAX_SHOWN) } : { kind: "unreadable" };
  }
  return orNull(() => byChannel(sourceOf(json))) ?? { kind: "unreadable" };
}

function byChannel(from: Source): Frame {
  const channel = text(from, "channel");
  switch (channel) {
    case "pong":
      return { kind: "pong" };
    case "error":
      return { kind: "error", text: text(from, "data").slice(0, MAX_SHOWN) };
    case "subscriptionResponse":
      return subscribed(source(from, "data"));
    case "orderUpdates":
      return { kind: "order_updates", updates: rows(from, "data", orderUpdate) };
    case "userFills":
      return userFills(source(from, "data"));
    case "userTwapSliceFills":
      return twapSliceFills(source(from, "data"));
    case "userTwapHistory":
      return twapHistory(source(from, "data"));
    case "twapStates":
      return twapStates(source(from, "data"));
    case "bbo":
      return { kind: "best_prices", ...bestPricesOf(source(from, "data")) };
    case "l2Book":
      return { kind: "book", ...bookOf(source(from, "data")) };
    case "activeAssetCtx":
    case "activeSpotAssetCtx":
      return { kind: "mark_figures", ...contextOf(source(from, "data")) };
    case "allMids":
      return midPrices(source(from, "data"));
    case "post":
      return post(source(from, "data"));
    case "clearinghouseState":
    case "openOrders":
    case "spotState":
    case "webData3":
      // What cannot be told whose it is says nothing; the state is read then.
      return orNull(() => accountFrame(channel, source(from, "data"))) ?? { kind: "other", channel };
    default:
      return { kind: "other", channel: channel.slice(0, MAX_SHOWN) };
  }
}

function subscribed(data: Source): Frame {
  const subscription = source(data, "subscription");
  const user = textOrNull(subscription, "user")?.toLowerCase() ?? null;
  return { kind: "subscribed", method: text(data, "method"), type: text(subscription, "type"), user };
}

function orderUpdate(value: unknown): OrderUpdate {
  const from = sourceOf(value);
  const statusTimestampMs = timeMs(from, "statusTimestamp");
  return { order: basicOrder(source(from, "order")), status: text(from, "status"), statusTimestampMs };
}

function userFills(data: Source): Frame {
  const fills = rows(data, "fills", (row) => fill(sourceOf(row)));
  return { kind: "user_fills", ...whose(data), fills };
}

function twapSliceFills(data: Source): Frame {
  const fills = rows(data, "twapSliceFills", (row) => twapSliceFill(sourceOf(row)));
  return { kind: "twap_slice_fills", ...whose(data), fills };
}

function twapHistory(data: Source): Frame {
  return { kind: "twap_history", ...whose(data), records: twapRecords(data["history"]) };
}

function twapStates(data: Source): Frame {
  const { user } = whose(data);
  return { kind: "twap_states", user, dex: textOrNull(data, "dex") ?? "", twaps: runningTwaps(data["states"]) };
}

function midPrices(data: Source): Frame {
  const mids = parseMids(data["mids"]);
  return mids === null ? { kind: "unreadable" } : { kind: "mid_prices", dex: textOrNull(data, "dex") ?? "", mids };
}

function whose(data: Source): { user: string; isSnapshot: boolean } {
  return { user: text(data, "user").toLowerCase(), isSnapshot: flag(data, "isSnapshot") };
}

function post(data: Source): Frame {
  const response = source(data, "response");
  return { kind: "post", id: integer(data, "id"), type: text(response, "type"), payload: response["payload"] ?? null };
}
