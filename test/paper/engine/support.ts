/** A venue of its own for every test, with short words for what traders do. */
import { decimal } from "../../../src/core/decimal.ts";
import type {
  Grouping,
  LimitOrTrigger,
  OrderRequest,
  ParsedAction,
  VenueReply,
} from "../../../src/paper/engine/action.ts";
import type { VenueEvent } from "../../../src/paper/engine/event.ts";
import { defaultConfig } from "../../../src/paper/engine/markets.ts";
import type { EngineOptions } from "../../../src/paper/engine/options.ts";
import type { VenueAccount, VenueFill, VenueOrder, VenuePosition } from "../../../src/paper/engine/state.ts";
import { accountOf } from "../../../src/paper/engine/turn.ts";
import { plain, units } from "../../../src/paper/engine/units.ts";
import { advance, applyAction, createVenue, fund, setMarkPrice } from "../../../src/paper/engine/venue.ts";

export const START_MS = 1_795_200_000_000;
export const ALICE = `0x${"a1".repeat(20)}`;
export const BOB = `0x${"b0".repeat(20)}`;
export const CAROL = `0x${"ca".repeat(20)}`;

export type Wanted = {
  asset?: number;
  buy: boolean;
  price: string;
  size: string;
  tif?: "Gtc" | "Ioc" | "Alo" | "FrontendMarket";
  trigger?: { at: string; tpsl: "tp" | "sl"; isMarket?: boolean };
  reduceOnly?: boolean;
  cloid?: string;
};

export type Desk = ReturnType<typeof newDesk>;

/** A venue with three funded traders. Its clock moves only by `wait`; nonces are fresh for every action. */
export function newDesk(options: Partial<EngineOptions> = {}, seed = 7) {
  const config = defaultConfig(seed, START_MS);
  const desk = {
    venue: createVenue({ ...config, options: { ...config.options, ...options } }),
    nowMs: START_MS,
    nonce: START_MS,
    events: [] as VenueEvent[],

    fund(user: string, usd: string): void {
      const amount = units(decimal(usd));
      const spot = { USDC: amount, PURR: units(decimal("1000")), HYPE: units(decimal("1000")) };
      fund(desk.venue, user, { perp: amount, dexes: { xyz: amount }, spot });
    },

    /** Applies an action signed by `signer` with a fresh nonce. */
    act(signer: string, action: ParsedAction, rest: { vaultAddress?: string; expiresAfter?: number } = {}): VenueReply {
      desk.nonce += 1;
      const { reply, events } = applyAction(desk.venue, {
        action,
        signer,
        vaultAddress: rest.vaultAddress ?? null,
        nonce: desk.nonce,
        expiresAfter: rest.expiresAfter ?? null,
        nowMs: desk.nowMs,
      });
      desk.events.push(...events);
      return reply;
    },

    /** Places orders in one action and returns their statuses, or the text of a refused action. */
    place(user: string, wanted: Wanted | Wanted[], grouping: Grouping = "na"): unknown[] {
      const orders = (Array.isArray(wanted) ? wanted : [wanted]).map(requestOf);
      return statusesOf(desk.act(user, { type: "order", orders, grouping, builder: null }));
    },

    /** Places one order and returns its oid. */
    rest(user: string, wanted: Wanted): number {
      const oid = desk.venue.nextOid;
      desk.place(user, wanted);
      return oid;
    },

    mark(coin: string, price: string): void {
      desk.events.push(...setMarkPrice(desk.venue, coin, units(decimal(price)), desk.nowMs));
    },

    wait(ms: number): void {
      desk.nowMs += ms;
      desk.events.push(...advance(desk.venue, desk.nowMs));
    },

    account: (user: string): VenueAccount => accountOf(desk.venue, user),
    position: (user: string, asset = 0): VenuePosition | undefined => desk.account(user).positions.get(asset),
    size: (user: string, asset = 0): string => shown(desk.position(user, asset)?.size ?? 0n),
    fills: (user: string): VenueFill[] => desk.account(user).fills,
    live: (oid: number): VenueOrder | undefined => desk.venue.orders.get(oid),
    status: (user: string, oid: number): string => desk.account(user).records.get(oid)?.status ?? "unknownOid",

    /** Lets `user` hold a position, taken from CAROL at the price named. */
    hold(user: string, wanted: { asset?: number; buy: boolean; price: string; size: string }): void {
      desk.place(CAROL, { ...wanted, buy: !wanted.buy });
      desk.place(user, { ...wanted, tif: "Ioc" });
    },
  };
  for (const user of [ALICE, BOB, CAROL]) desk.fund(user, "100000");
  return desk;
}

export function statusesOf(reply: VenueReply): unknown[] {
  if (reply.status === "err") return [reply.response];
  const { response } = reply;
  return response.type === "order" || response.type === "cancel" ? response.data.statuses : [];
}

export function shown(value: bigint): string {
  return plain(value);
}

export function requestOf(wanted: Wanted): OrderRequest {
  const terms: LimitOrTrigger =
    wanted.trigger === undefined
      ? { limit: { tif: wanted.tif ?? "Gtc" } }
      : {
          trigger: {
            isMarket: wanted.trigger.isMarket ?? true,
            triggerPx: decimal(wanted.trigger.at),
            tpsl: wanted.trigger.tpsl,
          },
        };
  return {
    a: wanted.asset ?? 0,
    b: wanted.buy,
    p: decimal(wanted.price),
    s: decimal(wanted.size),
    r: wanted.reduceOnly ?? false,
    t: terms,
    c: wanted.cloid ?? null,
  };
}

export function error(text: string): { error: string } {
  return { error: text };
}
