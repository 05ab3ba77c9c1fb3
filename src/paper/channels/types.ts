/** Every channel that can be subscribed to. */
import { type Decoded, MISMATCH, memberOf } from "../exchange/decode.ts";
import type { ExactJson } from "../exchange/json-text.ts";
import type { ChannelReader, ChannelSubscription } from "./channel.ts";
import { marketChannels } from "./market.ts";
import { userChannels } from "./user.ts";

const READERS: ReadonlyMap<string, ChannelReader> = new Map(Object.entries({ ...marketChannels, ...userChannels }));

/** `MISMATCH`: no such channel, or a member is missing or wrong. */
export function readSubscription(json: ExactJson): Decoded<ChannelSubscription> {
  const type = memberOf(json, "type");
  const reader = typeof type === "string" ? READERS.get(type) : undefined;
  return reader === undefined ? MISMATCH : reader(json);
}

export function channelTypes(): readonly string[] {
  return [...READERS.keys()];
}
