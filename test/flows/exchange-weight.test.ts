/** What an order, a modify and a cancel weigh at the exchange, as the table of the documents says. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ACTION_WEIGHT, weightOf, weightOfAnswer } from "../../src/exchange/weights.ts";
import { type Ask, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const TEXT = readFileSync(join(import.meta.dir, "../../docs/exchange-weight.md"), "utf8");

/** Read by the clock whatever anybody does. */
const BY_THE_CLOCK = new Set(["exchangeStatus", "perpDexs", "spotMeta", "meta", "userRole"]);

const ORDER = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };

/** Weight of what is asked and sent until the answer. */
async function weigh(rig: PaperRig, ask: Ask): Promise<{ weight: number; id: string }> {
  let weight = -rig.sent.length * ACTION_WEIGHT;
  const counted: Promise<void>[] = [];
  rig.interfere = (request) => {
    const type = String(request["type"]);
    if (type === "userRole") return { role: "agent", data: { user: request["user"] } };
    if (BY_THE_CLOCK.has(type)) return undefined;
    // The same once more, which changes nothing, for its rows.
    const answered = rig.info(request).then((json) => {
      weight += weightOfAnswer(weightOf({ type }), json);
    });
    counted.push(answered);
    return undefined;
  };
  const { body } = await rig.answer(FIRST, ask);
  await Promise.all(counted);
  rig.interfere = () => undefined;
  return { weight: weight + rig.sent.length * ACTION_WEIGHT, id: String(body["id"]) };
}

async function measure(hasFeed: boolean): Promise<Record<string, number>> {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200, hasFeed });
  // Until a feed is live; then between two of the checks that are made by the clock.
  for (let step = 0; step < 170; step += 1) await rig.clock.advance(100);
  expect(rig.deps.feeds.isLive(FIRST.account.tradingAddress)).toBe(hasFeed);
  const placed = await weigh(rig, { route: "POST /v1/orders", body: ORDER });
  const path = `/v1/orders/${placed.id}`;
  const read = await weigh(rig, { route: `GET ${path}` });
  // Nothing of the look before is shared with what follows.
  await rig.clock.advance(1_000);
  const modified = await weigh(rig, { route: `POST ${path}/modify`, body: { price: "89000" } });
  await rig.clock.advance(1_000);
  await rig.clock.advance(1_000);
  const canceled = await weigh(rig, { route: `POST ${path}/cancel`, body: {} });
  await rig.trade("sell", "0.1", "95000");
  const filled = await weigh(rig, {
    route: "POST /v1/orders",
    body: { ...ORDER, price: "95000", time_in_force: "ioc" },
  });
  return {
    place: placed.weight,
    "place an `ioc` that fills": filled.weight,
    "read it": read.weight,
    modify: modified.weight,
    cancel: canceled.weight,
  };
}

function documented(): Record<string, [number, number]> {
  const rows = TEXT.slice(TEXT.indexOf("## What an order costs")).matchAll(/^\| ([^|]+) \| ([0-9]+) \| ([0-9]+) \|$/gm);
  return Object.fromEntries([...rows].map(([, what = "", live, silent]) => [what, [Number(live), Number(silent)]]));
}

test("what an order weighs is what the documents say", async () => {
  const [live, silent] = [await measure(true), await measure(false)];
  const measured = Object.keys(live).map((what) => [what, [live[what], silent[what]]]);
  expect(Object.fromEntries(measured)).toEqual(documented());
});
