/** What all channels of the websocket have in common. */
import type { VenueEvent } from "../engine/event.ts";
import { type Decoded, type Fields, MISMATCH, required, type StructOf, struct, text } from "../exchange/decode.ts";
import type { ExactJson } from "../exchange/json-text.ts";
import { dexIndex, type ReadContext } from "../info/request.ts";

/** `unless`: not sent when the last one with the same text there was the same. */
export type ChannelFrame = { readonly channel: string; readonly data: unknown; readonly unless: string | null };

/** A subscription that was understood. All functions may be asked at any time and change nothing. */
export type ChannelSubscription = {
  /** Sent back in the confirmation, and what makes two subscriptions the same. */
  readonly echo: Readonly<Record<string, unknown>>;
  /** Whose data it is; null for market data. */
  readonly user: string | null;
  /** False: the exchange answers `Invalid subscription`. */
  readonly isValid: (context: ReadContext) => boolean;
  readonly snapshot: (context: ReadContext) => readonly ChannelFrame[];
  readonly onEvents: (context: ReadContext, events: readonly VenueEvent[]) => readonly ChannelFrame[];
  readonly onTick: (context: ReadContext, isSlow: boolean) => readonly ChannelFrame[];
  /** A state as it is now, where the exchange is made to send it whenever it has changed. */
  readonly onChange: (context: ReadContext) => readonly ChannelFrame[];
};

export type Behaviour<R> = {
  readonly channel: string | ((context: ReadContext, request: R) => string);
  readonly isValid?: (context: ReadContext, request: R) => boolean;
  readonly snapshot?: (context: ReadContext, request: R) => readonly unknown[];
  readonly onEvents?: (context: ReadContext, request: R, events: readonly VenueEvent[]) => readonly unknown[];
  readonly onTick?: (context: ReadContext, request: R) => readonly unknown[];
  /** What makes two messages say the same; for a channel that speaks only when something has changed. */
  readonly sameAs?: (data: unknown) => string;
  /** Every few seconds. */
  readonly onSlowTick?: (context: ReadContext, request: R) => readonly unknown[];
  /** The whole of a state; what it says of the time alone is no change. */
  readonly state?: (context: ReadContext, request: R) => readonly unknown[];
};

/** `dex` as the exchange names it; left out for the native one. */
export type OfDex = { readonly dex?: string };

export function isDex({ venue }: ReadContext, { dex }: OfDex): boolean {
  return dexIndex(venue, dex) !== null;
}

export type ChannelReader = (json: ExactJson) => Decoded<ChannelSubscription>;

export function channel<F extends Fields>(fields: F, behaviour: Behaviour<StructOf<F>>): ChannelReader {
  const decode = struct({ type: required(text), ...fields }, "ignore");
  return (json) => {
    const decoded = decode(json);
    if (decoded === MISMATCH) return MISMATCH;
    // `type` was added to the fields; everything else is as they say.
    return subscription(decoded as unknown as StructOf<F>, behaviour);
  };
}

function subscription<R extends object>(request: R, behaviour: Behaviour<R>): ChannelSubscription {
  const frames = (context: ReadContext, data: readonly unknown[] | undefined): ChannelFrame[] => {
    const name = typeof behaviour.channel === "string" ? behaviour.channel : behaviour.channel(context, request);
    return (data ?? []).map((one) => ({ channel: name, data: one, unless: behaviour.sameAs?.(one) ?? null }));
  };
  const user = "user" in request && typeof request.user === "string" ? request.user : null;
  return {
    echo: Object.fromEntries(Object.entries(request)),
    user,
    isValid: (context) => behaviour.isValid?.(context, request) ?? true,
    snapshot: (context) => frames(context, behaviour.snapshot?.(context, request)),
    onEvents: (context, events) => frames(context, behaviour.onEvents?.(context, request, events)),
    onTick: (context, isSlow) => [
      ...frames(context, behaviour.onTick?.(context, request)),
      ...(isSlow ? frames(context, behaviour.onSlowTick?.(context, request)) : []),
    ],
    onChange: (context) =>
      frames(context, behaviour.state?.(context, request)).map((frame) => ({ ...frame, unless: untimed(frame.data) })),
  };
}

const TIMES = new Set(["time", "serverTime"]);

function untimed(data: unknown): string {
  return JSON.stringify(data, (key, value) => (TIMES.has(key) ? 0 : value));
}

/** A state sent at once, and again every few seconds. */
export function periodic<R>(name: string, data: (context: ReadContext, request: R) => unknown): Behaviour<R> {
  const one = (context: ReadContext, request: R) => [data(context, request)];
  return { channel: name, snapshot: one, onSlowTick: one, state: one };
}
