/** The order that proves everything: never placed before it is known that an earlier try left none. */
import { afterEach, expect, test } from "bun:test";
import {
  answering,
  asked,
  forget,
  KEY,
  look,
  openStage,
  prepareProof,
  proofStep,
  prove,
  SETUP,
  settled,
} from "./stage.ts";

afterEach(forget);

const MARKET = { market: "BTC", price_significant_figures: 5, price_decimals: 1, size_decimals: 5 };
const ORDERS = "/v1/orders?limit=20";

type Proof = { stage: string; plan: object | null };

/** A page at its last step that has read the price, while its orders are answered when the test says so. */
function openProof(orders: Promise<object | undefined>) {
  answering({
    "/v1/markets": { data: [MARKET] },
    "/v1/prices": { data: [{ market: "BTC", mid_price: "100000" }] },
    [ORDERS]: orders,
    "/v1/orders": new Promise(() => undefined),
  });
  const { app, state, pass } = openStage();
  Object.assign(app, { localStorage: keptInMemory() });
  app.state["session"] = { apiKey: KEY.apiKey, me: { account: "a" } };
  state["key"] = KEY;
  void prepareProof(app, state, KEY);
  const proof = () => state["proof"] as Proof;
  return { app, proof, pass, text: () => look(proofStep(app, state, { setup: SETUP, key: KEY })).text };
}

function keptInMemory() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  };
}

test("a press before the orders are read places nothing, and one after stays told as placing", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const { app, proof, text } = openProof(promise);
  await settled();
  expect([proof().stage, proof().plan === null]).toEqual(["looking", false]);
  void prove(app, proof());
  await settled();
  expect(asked.filter((path) => path === "/v1/orders")).toEqual([]);
  resolve({ data: [] });
  await settled();
  expect(proof().stage).toBe("ready");
  void prove(app, proof());
  void prove(app, proof());
  await settled();
  expect(text()).toContain("Placing…");
  expect(asked.filter((path) => path === "/v1/orders")).toEqual(["/v1/orders"]);
});

test("orders that cannot be read are asked for again, and nothing may be placed before", async () => {
  const { app, proof, text, pass } = openProof(Promise.resolve(undefined));
  await settled();
  expect(proof().stage).toBe("waiting");
  expect(text()).toContain("could not be read: No exchange.");
  void prove(app, proof());
  await pass();
  expect(asked.filter((path) => path === ORDERS)).toHaveLength(2);
  expect(asked).not.toContain("/v1/orders");
});
