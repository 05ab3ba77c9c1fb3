/** A bot that has bought and sold again, what it has left out that only reduces, and another who holds the same. */
import { expect } from "bun:test";
import { openIdleReductions } from "../../src/write/cancel-idle-reductions.ts";
import { BOT, fillAt, inSeconds, limitedRig, MARK, place, sell, stateOf } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

export const SIZE = "0.002";
export const STOP = {
  side: "sell",
  size: SIZE,
  price: "58000",
  reduce_only: true,
  trigger: { price: "59000", kind: "stop_loss", market: true },
};

/** A take-profit that rests on the book. */
export const RESTING = { side: "sell", size: SIZE, price: "61000", reduce_only: true };

type Placed = { id: string; status: string; exchange_order_id: string; price: string; trigger?: object | null };
export type Held = { szi: string };

function holding(rig: Rig, held: Held): void {
  rig.answers.set("clearinghouseState", ({ dex }) =>
    stateOf((dex ?? "") === "" && held.szi !== "0" ? [{ coin: "BTC", szi: held.szi }] : [], rig.clock.nowMs()),
  );
}

export type Wanted = Parameters<typeof limitedRig>[0];

/** The bot has bought, and has a stop for that; another holds the rest of the account's position. */
export async function protectedBot(held: Held, wanted: Wanted = {}, terms: object = STOP) {
  const rig = await boughtBot(held, wanted);
  const stop = (await (await place(rig, { ...terms })).json()) as Placed;
  expect(stop.status).toBe(terms === STOP ? "waiting_for_trigger" : "open");
  return { rig, stop, cancels: cancelsAt(rig, stop), watch: openIdleReductions(rig.deps, rig.deps.settling) };
}

async function boughtBot(held: Held, wanted: Wanted): Promise<Rig> {
  const rig = await limitedRig(wanted);
  const now = { szi: SIZE };
  holding(rig, now);
  const { send } = rig.deps.exchange;
  fillAt(rig, MARK);
  expect((await place(rig, { size: SIZE })).status).toBe(201);
  now.szi = held.szi;
  rig.deps.exchange.send = send;
  return rig;
}

/** As `protectedBot`, with a TWAP that runs instead of the stop. */
export async function runningTwap(held: Held, wanted: Wanted = {}) {
  const rig = await boughtBot(held, { may: "increase,reduce,modify,cancel,twap", maxDistance: "3 %", ...wanted });
  rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
  const body = { market: "BTC", side: "sell", size: SIZE, duration_minutes: 5, reduce_only: true };
  const asked = rig.ask({ path: "/v1/twaps", apiKey: BOT, idempotencyKey: "twap-of-this-test", body });
  const stop = (await (await inSeconds(rig, asked)).json()) as Placed;
  expect(stop.status).toBe("succeeded");
  const cancels: string[] = [];
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (sent, ...more) => {
    if (!sent.includes('"twapCancel"')) return send(sent, ...more);
    cancels.push(sent);
    const response = { type: "twapCancel", data: { status: "success" } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  return { rig, stop, cancels, watch: openIdleReductions(rig.deps, rig.deps.settling) };
}

export type Bot = Awaited<ReturnType<typeof protectedBot>>;

/** What is sent to cancel, and the exchange's records of it from then on. */
function cancelsAt(rig: Rig, { exchange_order_id: oid, price: limitPx, trigger }: Placed): string[] {
  const cancels: string[] = [];
  const { send } = rig.deps.exchange;
  const order = { coin: "BTC", side: "A", limitPx, sz: SIZE, oid: Number(oid), timestamp: 1, origSz: SIZE };
  const stop = {
    triggerCondition: "Price below 59000",
    isTrigger: true,
    triggerPx: "59000",
    orderType: "Stop Market",
    tif: null,
  };
  const plain = { triggerCondition: "N/A", isTrigger: false, triggerPx: "0.0", orderType: "Limit", tif: "Gtc" };
  const kind = trigger == null ? plain : stop;
  const rest = { isPositionTpsl: false, reduceOnly: true, cloid: null, children: [] };
  rig.answers.set("orderStatus", () => {
    const status = cancels.length === 0 ? "open" : "canceled";
    return { status: "order", order: { order: { ...order, ...kind, ...rest }, status, statusTimestamp: 2 } };
  });
  rig.deps.exchange.send = (body, ...more) => {
    if (body.includes('"cancels"')) cancels.push(body);
    return send(body, ...more);
  };
  return cancels;
}

/** Of its own: as if nobody else had held anything then, unless it says how. */
export async function sold({ rig }: Bot, terms: object | null = null): Promise<void> {
  if (terms === null) return sell(rig, SIZE);
  const { send } = rig.deps.exchange;
  fillAt(rig, MARK, 80_000);
  expect((await place(rig, { side: "sell", size: SIZE, ...terms })).status).toBe(201);
  rig.deps.exchange.send = send;
}

export async function pass({ rig, watch }: Bot, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await watch.look();
    await rig.clock.advance(5_000);
  }
}

export const WATCHED: [string, (held: Held, wanted?: Wanted) => Promise<Bot>][] = [
  ["a trigger", protectedBot],
  ["an order that rests", (held, wanted) => protectedBot(held, wanted, RESTING)],
  ["a TWAP", runningTwap],
];

/** All slots are taken: whoever cancels waits for one, and meanwhile this happens. */
export function whileItWaits({ rig }: Pick<Bot, "rig">, happens: () => Promise<unknown>): void {
  const { flights } = rig.deps;
  const { take, wait } = flights;
  let isFirst = true;
  flights.take = (owner, rank) => {
    if (rank !== "cancel" || !isFirst) return take(owner, rank);
    isFirst = false;
    return null;
  };
  flights.wait = async (owner, ...more) => {
    await happens();
    return wait(owner, ...more);
  };
}

export async function stopAll({ rig }: Bot): Promise<void> {
  const { status } = await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } });
  expect(status).toBeLessThan(300);
}
