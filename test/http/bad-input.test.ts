import { expect, test } from "bun:test";
import { ACTION_ROWS } from "./bad-action-rows.ts";
import { ORDER_AND_KEY_ROWS, type Row } from "./bad-input-rows.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, rowCounts } from "./rig.ts";

const ROWS: readonly Row[] = [...ORDER_AND_KEY_ROWS, ...ACTION_ROWS];
const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const TRIGGER = { price: "60000", kind: "stop_loss", market: true };
const KEY = "bad-input-0001";

async function aliveAndWell(rig: Rig): Promise<void> {
  const response = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
  expect(response.status).toBe(200);
}

/** One gateway for all rows: none of them changes anything, and it goes on after each. */
const target = openRig();

test.each(ROWS.map((row): [string, Row] => [row.what, row]))(
  "refuses %s, sends and stores nothing, and goes on",
  async (_what, row) => {
    const rig = target;
    const sentBefore = rig.sent.length;
    const before = rowCounts(rig);
    const response = await rig.ask(row.request);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect({ code: error.code, message: error.message }).toMatchObject({ code: row.code });
    if (row.says !== undefined) expect(error.message).toContain(row.says);
    expect(rig.sent.slice(sentBefore)).toEqual([]);
    expect(rowCounts(rig)).toEqual(before);
    await aliveAndWell(rig);
  },
);

test("takes the same order without the mistakes", async () => {
  const rig = openRig();
  const trigger = { ...ORDER, time_in_force: "ioc", reduce_only: true, trigger: TRIGGER };
  for (const [index, body] of [ORDER, trigger, { ...ORDER, account: ACCOUNTS.main.toUpperCase() }].entries()) {
    const response = await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: `good-input-${index}`,
      body,
    });
    expect(response.status).toBe(201);
  }
  expect(rig.sent).toHaveLength(3);
});

test("takes a body of exactly 64 KiB", async () => {
  const rig = openRig();
  const body = JSON.stringify(ORDER).padEnd(64 * 1024, " ");
  const response = await rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: KEY, body });
  expect(response.status).toBe(201);
  const larger = await rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: `${KEY}b`, body: `${body} ` });
  expect(larger.status).toBe(400);
});
