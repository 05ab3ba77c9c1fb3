import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type CancelAllWish,
  type Clock,
  type CloseWish,
  type MarketOrderWish,
  type ModifyWish,
  type Order,
  type OrderWish,
  Postern,
  PosternError,
  type StopWish,
} from "../../clients/typescript/postern.ts";
import { EXAMPLE_ORDER } from "../../src/http/examples.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { CancelAllBody } from "../../src/http/schema/cancel-all.ts";
import { ModifyOrderBody, OrderResource, PlaceMarketOrderBody, PlaceOrderBody } from "../../src/http/schema/order.ts";
import { ClosePositionBody } from "../../src/http/schema/position.ts";
import { StopBody } from "../../src/http/schema/stop.ts";
import { READS, STREAMS } from "./read-scenes.ts";
import type { Call, Scene, Told } from "./scene.ts";
import { openStandIn } from "./stand-in.ts";
import { WRITES } from "./write-scenes.ts";

test.each(named(WRITES))("a write: %s", async (_name, scene) => play(scene));
test.each(named(READS))("a read: %s", async (_name, scene) => play(scene));
test.each(named(STREAMS))("a follower: %s", async (_name, scene) => play(scene));

function named(scenes: readonly Scene[]): [string, Scene][] {
  return scenes.map((scene) => [scene.name, scene]);
}

async function play(scene: Scene): Promise<void> {
  const standIn = await openStandIn(scene);
  const { clock, slept } = clockOfScene();
  const { silentAfterMs = 40_000 } = scene;
  const about = { url: `${standIn.url}/`, apiKey: "api_trade_test", account: "a1" };
  const postern = new Postern({ ...about, clock, silentAfterMs });
  try {
    const told: Told[] = [];
    for (const call of scene.calls) told.push(await tell(postern, call));
    expect({ told, asked: standIn.asked, slept }).toEqual({
      told: [...scene.told],
      asked: [...scene.asked],
      slept: [...scene.slept],
    });
  } finally {
    standIn.close();
  }
}

/** Time passes while it sleeps, and at no other time. */
function clockOfScene(): { clock: Clock; slept: number[] } {
  const slept: number[] = [];
  let nowMs = 0;
  const sleep = async (ms: number) => {
    slept.push(ms);
    nowMs += ms;
  };
  return { clock: { nowMs: () => nowMs, sleep }, slept };
}

async function tell(postern: Postern, call: Call): Promise<Told> {
  try {
    return { result: await run(postern, call) };
  } catch (error) {
    if (!(error instanceof PosternError)) throw error;
    return { code: error.code, outcome: error.outcome, status: error.status };
  }
}

async function run(postern: Postern, call: Call): Promise<unknown> {
  if ("all" in call) return Array.fromAsync(postern.all(call.all));
  if ("follow" in call) return take(postern, call);
  const options = call.key === undefined ? [] : [{ key: call.key }];
  const words = [...(call.id === undefined ? [] : [call.id]), ...(call.with === undefined ? [] : [call.with])];
  // The scene names a method of it, and gives what that takes.
  const method = Reflect.get(postern, call.do) as (...words: unknown[]) => Promise<unknown>;
  return method.apply(postern, [...words, ...options]);
}

async function take(postern: Postern, { follow, take: count }: { follow: string | null; take: number }) {
  const told: string[] = [];
  for await (const event of postern.follow({ after: follow })) {
    const orders = "orders" in event && Array.isArray(event.orders) ? [event.orders.map(({ id }) => id).join()] : [];
    told.push([event.type, event.id, ...orders].join(" "));
    if (told.length === count) break;
  }
  return told;
}

const OURS = { account: EXAMPLE_ORDER.account, market: "BTC", side: "buy", size: "0.001" } as const;
const TRIGGER = { price: "59000", kind: "stop_loss", market: true } as const;
const WISHES: [string, TSchema, object][] = [
  ["placeOrder", PlaceOrderBody, { ...OURS, price: "1", time_in_force: "gtc", trigger: TRIGGER } satisfies OrderWish],
  ["placeMarketOrder", PlaceMarketOrderBody, { ...OURS, max_slippage_bps: 50 } satisfies MarketOrderWish],
  ["modifyOrder", ModifyOrderBody, { price: "1", trigger: TRIGGER, always_place: true } satisfies ModifyWish],
  ["cancelAll", CancelAllBody, { side: "buy", touches: "own" } satisfies CancelAllWish],
  ["closePosition", ClosePositionBody, { market: "BTC", fraction: "0.5" } satisfies CloseWish],
  ["stop", StopBody, { scope: "bot", keep_protection: true } satisfies StopWish],
];

test.each(WISHES)("what %s takes is what the gateway takes", (_name, schema, wish) => {
  const members = "account" in schema["properties"] ? { account: OURS.account, ...wish } : wish;
  expect(Value.Check(schema, members)).toBe(true);
});

test("an order of the description is one of the client's types", () => {
  const read = (order: Static<typeof OrderResource>): Order => order;
  const order = Value.Decode(OrderResource, EXAMPLE_ORDER);
  expect(Object.keys(read(order))).toEqual(Object.keys(EXAMPLE_ORDER));
});

const ROUTES = new Set<string>(allRoutes().map(({ contract }) => contract.path.replace(/\{[a-z]+\}/, "*")));
const CLIENTS = ["typescript/postern.ts", "python/postern.py"];

test.each(CLIENTS)("every path that clients/%s asks is a route", (file) => {
  const text = readFileSync(join(import.meta.dir, "../../clients", file), "utf8");
  const paths = [...text.matchAll(/["`](\/v1\/[^"`]*)["`]/g)].map(([, path = ""]) => path);
  const asked = paths.map((path) => path.replace(/\$?\{.*?\}(?=\/|$)/, "*").replace(/\/$/, "/*"));
  expect(asked.length).toBeGreaterThan(12);
  expect(asked.filter((path) => !ROUTES.has(path))).toEqual([]);
});
