/** A gateway's following of one account, over a websocket in the test's hands, with the regular reads. */
import { getOrder } from "../../src/actions/get-order.ts";
import type { SocketEvents } from "../../src/exchange/socket.ts";
import { openTrustedFeeds } from "../../src/exchange/trusted-feeds.ts";
import { CROSS_CHECK_MS } from "../../src/settle/feed/cross-check.ts";
import type { Follower } from "../../src/settle/feed/follow.ts";
import { findOrder } from "../../src/store/orders.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, fillsOf, recordOf } from "../support/small-venue.ts";

export const USER = ACCOUNT.tradingAddress;
export const SECOND = 1_000;
export const RESYNC_MS = 30 * SECOND;

/** What the exchange tells over the websocket; pings are answered whatever happens. */
export type Voice = { fills: boolean; orders: boolean; lateMs: number };

export type Stage = {
  rig: GatewayRig;
  voice: Voice;
  follower: Follower;
  /** Something that cannot be read comes over the websocket. */
  garble(): void;
  /** Connections opened so far. */
  connections(): number;
  isLive(): boolean;
  fill(order: BookOrder, size: string): void;
  close(order: BookOrder, status: string): void;
  /** Places an order, and the feed tells it. */
  place(): Promise<{ id: string; order: BookOrder }>;
};

export async function openStage(): Promise<Stage> {
  const rig = openGatewayRig();
  const { clock, venue, deps } = rig;
  const voice: Voice = { fills: true, orders: true, lateMs: 0 };
  const lines: SocketEvents[] = [];

  function tell(channel: string, data: unknown): void {
    const line = lines.at(-1);
    void clock.sleep(voice.lateMs).then(() => line?.onText(JSON.stringify({ channel, data })));
  }

  function tellFills(rows: unknown[], isSnapshot: boolean): void {
    if (voice.fills) tell("userFills", { user: USER, fills: rows, isSnapshot });
  }

  /** The exchange's end: everything that is subscribed is confirmed, and the fills begin with the newest. */
  function answer(events: SocketEvents, text: string): void {
    const asked = JSON.parse(text);
    const isPing = asked.method === "ping";
    events.onText(JSON.stringify(isPing ? { channel: "pong" } : { channel: "subscriptionResponse", data: asked }));
    if (asked.subscription?.type === "userFills") tellFills(venue.orders.flatMap(fillsOf), true);
  }

  const feeds = openTrustedFeeds({
    url: "wss://exchange.test/ws",
    clock,
    dexes: ["xyz"],
    maxFeeds: 10,
    exchangeNowMs: () => deps.exchange.nowMs(),
    onEvent: (address, event) => follower.onEvent(address, event),
    onDoubt: (address) => follower.checkFills(address),
    onDistrust: (address, because) => follower.onDistrust(address, because),
    transport: (_url, events) => {
      lines.push(events);
      setImmediate(events.onOpen);
      return { send: (text) => setImmediate(() => answer(events, text)), close: () => undefined };
    },
  });
  Object.assign(deps.feeds, feeds);
  const { index, follower } = openFollowing(deps, deps.settling);
  deps.fillIndex = { ...index, readSoon: ({ tradingAddress }) => follower.checkFills(tradingAddress) };
  feeds.follow(USER);
  await clock.advance(SECOND);
  void every(CROSS_CHECK_MS, () => follower.crossCheck());
  void every(RESYNC_MS, () => follower.resync("not_live"));

  async function every(everyMs: number, work: () => Promise<void>): Promise<void> {
    for (;;) {
      await clock.sleep(everyMs);
      await work();
    }
  }

  function tellOrder(order: BookOrder): void {
    if (voice.orders) tell("orderUpdates", [recordOf(order)]);
  }

  return {
    rig,
    voice,
    follower,
    garble: () => lines.at(-1)?.onText("{"),
    connections: () => lines.length,
    isLive: () => deps.feeds.isLive(USER),
    fill(order, size) {
      venue.fill(order, size);
      tellFills(fillsOf(order).slice(-1), false);
    },
    close(order, status) {
      venue.close(order, status);
      tellOrder(order);
    },
    async place() {
      const known = venue.orders.length;
      const placed = await rig.answerOf(rig.place(`key-${known}-0001`));
      const order = venue.orders[known];
      if (order === undefined) throw new Error("nothing placed");
      tellOrder(order);
      await clock.advance(5 * SECOND);
      return { id: String(placed.order["id"]), order };
    },
  };
}

export function filledSize({ rig }: Stage, id: string): string | null {
  return findOrder(rig.store, id)?.filledSize ?? null;
}

export async function read({ rig }: Stage, id: string) {
  const asked = getOrder(rig.deps, rig.caller, id);
  await rig.clock.advance(0);
  const { body, asOfMs } = await asked;
  const order = JSON.parse(body) as { status: string; filled_size: string };
  return { order, ageS: asOfMs === null ? null : (rig.clock.nowMs() - asOfMs) / SECOND };
}

export function warnings({ rig }: Stage): unknown[] {
  return rig.log.filter(({ level }) => level === "warn").map(({ fields }) => fields["reason"]);
}
