/** What a bot traded between a backup and the loss of the machine, on the one that the backup is restored on: it is the bot's own. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { backUp } from "../../src/ops/back-up.ts";
import { listBotNets } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { giveOrder } from "../../src/store/given-orders.ts";
import { findOrder, insertOrder, updateOrder } from "../../src/store/orders.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { BOT as LIMITED, limitedRig } from "../http/rails-rig.ts";
import { ACCOUNTS } from "../http/rig.ts";
import type { Wanted } from "../support/limited-key.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { ACCOUNT, type Machine } from "../support/machine.ts";
import { orderRow } from "../support/rows.ts";
import { type Lab, limit, PLACE, place, restored, restoredWaiting, withLab } from "./restore-lab.ts";

const BOT = `api_trade_${"e5".repeat(32)}`;
const OTHER_BOT = `api_trade_${"e6".repeat(32)}`;
const OWNERS_KEY = `0x${"51".repeat(32)}`;
const BOUGHT = { price: "95000", size: "0.01" };

type Granted = { apiKey?: string } & Partial<Wanted>;

/** Signed at the moment: what is signed later replaces it. */
async function grant({ world }: Lab, machine: Machine, { apiKey = BOT, ...some }: Granted = {}): Promise<void> {
  const { ownerAddress: owner, tradingAddress, id: account } = ACCOUNT;
  const may = "increase,reduce,modify,cancel,stop";
  const wanted = { audience: "paper+http://127.0.0.1:8787", account, owner, tradingAddress, may, ...some };
  const text = grantText(apiKey, world.clock.nowMs(), wanted);
  const body = { grant: grantBody(text), signature: await signGrant(OWNERS_KEY, text) };
  expect(await machine.ask("POST /v1/api-keys/limited", body)).toMatchObject({ status: 201 });
}

async function netOf(machine: Machine, apiKey = BOT): Promise<string> {
  const { body } = await machine.ask("GET /v1/whoami", undefined, undefined, apiKey);
  const { limits } = body as { limits: { use: { nets: { market: string; net: string }[] } } };
  return limits.use.nets.find(({ market }) => market === "BTC")?.net ?? "0";
}

const CLOSE = { account: ACCOUNT.id, market: "BTC" };

function close(machine: Machine, key: string, apiKey = BOT) {
  return machine.ask("POST /v1/positions/close", CLOSE, key, apiKey);
}

/** Somebody sells what the bot buys, before the machine is lost. */
async function buy({ world, first }: Lab, apiKey = BOT): Promise<void> {
  await world.trade({ side: "sell", price: "94999", size: "0.01" });
  const bought = await first.ask(PLACE, limit(BOUGHT), "the-purchase", apiKey);
  expect(bought).toMatchObject({ status: 201, body: { status: "filled" } });
}

test("what a bot bought after the backup is in its books, and its close closes it, once", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first);
    backUp(first.places.database, file);
    await buy(lab);
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second);
    await world.clock.advance(20_000);
    expect(await netOf(second)).toBe("0.01");
    await world.trade({ side: "buy", price: "94999", size: "0.01" });
    expect(await close(second, "the-close-1")).toMatchObject({
      status: 201,
      body: { side: "sell", filled_size: "0.01" },
    });
    expect(await netOf(second)).toBe("0");
    expect(await close(second, "the-close-2")).toMatchObject({ body: { error: { code: "nothing_to_close" } } });
  });
});

test("a bot that the backup knew nothing of has what it bought once its owner grants it again", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first);
    backUp(first.places.database, file);
    await grant(lab, first, { apiKey: OTHER_BOT, bot: "trend-1" });
    await buy(lab, OTHER_BOT);
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second);
    await grant(lab, second, { apiKey: OTHER_BOT, bot: "trend-1" });
    await world.clock.advance(20_000);
    expect([await netOf(second), await netOf(second, OTHER_BOT)]).toEqual(["0", "0.01"]);
    expect(await close(second, "the-close-1")).toMatchObject({ body: { error: { code: "nothing_to_close" } } });
    await world.trade({ side: "buy", price: "94999", size: "0.01" });
    expect(await close(second, "the-close-2", OTHER_BOT)).toMatchObject({ status: 201, body: { filled_size: "0.01" } });
  });
});

test("what replaced a bot's order after the backup is the bot's as well, and what it fills is in its books", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first);
    const { body } = await first.ask(PLACE, limit({ price: "89999", size: "0.01" }), "known-to-the-backup", BOT);
    backUp(first.places.database, file);
    const moved = await first.ask(
      `POST /v1/orders/${String(body["id"])}/modify`,
      { price: "90000" },
      "the-modify",
      BOT,
    );
    expect(moved).toMatchObject({ status: 200, body: { status: "open" } });
    await world.trade({ side: "sell", price: "90000", size: "0.01" });
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second);
    for (let waited = 0; waited < 30; waited += 1) await world.clock.advance(2_000);
    expect(await netOf(second)).toBe("0.01");
  });
});

test("who has read an order before it is given to its bot does not write over it", async () => {
  const rig = await limitedRig({});
  const { store } = rig.deps;
  const of = { accountId: ACCOUNTS.main, bot: "grid-1" };
  const id = "0199a1b2-c3d4-7007-8000-000000000001";
  const order = { ...orderRow(), id, accountId: of.accountId, market: "BTC", keyHash: null, idempotencyKey: null };
  const filled = { ...order, status: "filled", filledSize: decimal(order.size), averagePrice: decimal("100") } as const;
  inTransaction(store, () => insertOrder(store, order));
  inTransaction(store, () => giveOrder(store, id, keyHash(LIMITED)));
  expect(inTransaction(store, () => updateOrder(store, filled))).toBe(false);
  const now = findOrder(store, id) ?? order;
  expect(
    inTransaction(store, () => updateOrder(store, { ...filled, keyHash: now.keyHash, version: now.version })),
  ).toBe(true);
  expect(listBotNets(store, of.accountId, of.bot).get("BTC")).toBe(decimal(order.size));
  // Once it is somebody's it is nobody else's.
  inTransaction(store, () => giveOrder(store, id, "another"));
  expect(findOrder(store, id)?.keyHash).toBe(keyHash(LIMITED));
});

test("while what was traded since the backup is not read, a close says so and not that nothing is held", async () => {
  await withLab(async (lab) => {
    const { first, file } = lab;
    await grant(lab, first);
    backUp(first.places.database, file);
    await buy(lab);
    await first.lose();
    const second = await restoredWaiting(lab);
    await grant(lab, second);
    await second.newAgent();
    expect(await close(second, "the-close-1")).toMatchObject({ status: 503, body: { error: { code: "not_ready" } } });
  });
});

test("what a key without rails bought after the backup is no bot's", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first);
    backUp(first.places.database, file);
    await world.trade({ side: "sell", price: "94999", size: "0.01" });
    expect(await place(first, "by-a-plain-key", BOUGHT)).toMatchObject({ body: { status: "filled" } });
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second);
    await world.clock.advance(20_000);
    expect(await netOf(second)).toBe("0");
  });
});

test("a stop that flattens closes what its bot bought after the backup before it says flat", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first);
    backUp(first.places.database, file);
    await buy(lab);
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second);
    await world.clock.advance(20_000);
    await world.trade({ side: "buy", price: "94999", size: "0.01" });
    const stop = await second.ask("POST /v1/stop", { scope: "bot" }, "the-stop", BOT);
    const id = String(stop.body["id"]);
    expect(await second.ask(`POST /v1/stops/${id}/flatten`, {}, undefined, BOT)).toMatchObject({ status: 202 });
    for (let waited = 0; waited < 30; waited += 1) await world.clock.advance(2_000);
    const { body } = await second.ask(`GET /v1/stops/${id}`, undefined, undefined, BOT);
    expect(body).toMatchObject({ flatten: { status: "flat", left: [], order_ids: [expect.any(String)] } });
    expect(await netOf(second)).toBe("0");
  });
});

test("max_position counts what was bought after the backup, and what rests since then and is filled later", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await grant(lab, first, { maxPosition: "2000 USD" });
    backUp(first.places.database, file);
    await buy(lab);
    const resting = await first.ask(PLACE, limit({ price: "90000", size: "0.01" }), "the-resting", BOT);
    expect(resting).toMatchObject({ status: 201, body: { status: "open" } });
    await first.lose();
    const second = await restored(lab);
    await grant(lab, second, { maxPosition: "2000 USD" });
    await world.clock.advance(20_000);
    const more = await second.ask(PLACE, limit({ price: "90000", size: "0.005" }), "more-of-it", BOT);
    expect(more).toMatchObject({ status: 403, body: { error: { code: "rail_refused" } } });
    expect(JSON.stringify(more.body)).toContain("max_position");
    const own = await second.ask(`GET /v1/orders/${String(resting.body["id"])}`, undefined, undefined, BOT);
    expect(own.body).toMatchObject({ status: "open" });
    await world.trade({ side: "sell", price: "90000", size: "0.01" });
    for (let waited = 0; waited < 10; waited += 1) await world.clock.advance(2_000);
    expect(await netOf(second)).toBe("0.02");
  });
});
