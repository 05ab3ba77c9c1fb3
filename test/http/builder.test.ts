/** Which orders carry the operator's builder fee. */
import { describe, expect, test } from "bun:test";
import type { Builder } from "../../src/deps.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, KEYS, OWNER, openRig, type Rig, START_MS } from "./rig.ts";

const ADDRESS = "0xb000000000000000000000000000000000000001";
const BUILDER: Builder = { address: ADDRESS, feeTenthsBps: 50, overrides: {}, isRequired: false };
const FEE = { b: ADDRESS, f: 50 };
const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const SUBACCOUNT_KEY = `api_trade_${"e5".repeat(32)}`;

/** A rig whose owner has approved this much, asked for as at start; null = the exchange cannot be asked. */
async function openWith(builder: Builder, approved: number | null): Promise<Rig> {
  const rig = openRig({ builder });
  if (approved !== null) rig.answers.set("maxBuilderFee", approvedBy(approved));
  await rig.builderApproval.refresh(OWNER.address.toLowerCase());
  const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
  insertApiKey(rig.deps.store, {
    keyHash: keyHash(SUBACCOUNT_KEY),
    accountId: ACCOUNTS.subaccount,
    scopes: ["trading:write"],
    ...times,
  });
  return rig;
}

function approvedBy(approved: number) {
  return ({ user, builder }: Record<string, unknown>) =>
    user === OWNER.address.toLowerCase() && builder === ADDRESS ? approved : 0;
}

let keys = 0;

async function post(rig: Rig, path: string, body: object, apiKey: string = KEYS.both): Promise<unknown> {
  keys += 1;
  const response = await rig.ask({ path, apiKey, idempotencyKey: `builder-${keys}`, body });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

/** The builder member of the last action; undefined when it has none. */
function lastBuilder(rig: Rig): unknown {
  const { action } = JSON.parse(rig.sent.at(-1) ?? "{}") as { action: object };
  return "builder" in action ? action.builder : undefined;
}

const SPOT = { market: "PURR/USDC", size: "10", price: "0.2" };
const CARRIERS: [string, object, unknown][] = [
  ["a perpetual buy", {}, FEE],
  ["a perpetual sell", { side: "sell" }, FEE],
  ["a perpetual of another dex", { market: "xyz:TSLA", size: "1", price: "250" }, FEE],
  ["a stop", { trigger: { price: "59000", kind: "stop_loss", market: true } }, FEE],
  ["a reduce-only order", { reduce_only: true }, FEE],
  ["a spot sell", { ...SPOT, side: "sell" }, FEE],
  ["a spot buy, which does not carry it", { ...SPOT, side: "buy" }, undefined],
];

describe("the builder fee", () => {
  test.each(CARRIERS)("on %s", async (_what, change, expected) => {
    const rig = await openWith(BUILDER, 50);
    await post(rig, "/v1/orders", { ...ORDER, ...change });
    expect(lastBuilder(rig)).toEqual(expected);
  });

  test("is not taken from a sub-account", async () => {
    const rig = await openWith({ ...BUILDER, isRequired: true }, 50);
    await post(rig, "/v1/orders", { ...ORDER, account: ACCOUNTS.subaccount }, SUBACCOUNT_KEY);
    expect(rig.sent[0]).toContain("vaultAddress");
    expect(lastBuilder(rig)).toBeUndefined();
  });

  test("is never on a modify, a cancel, a leverage or a TWAP", async () => {
    const rig = await openWith({ ...BUILDER, isRequired: true }, 50);
    const { id } = (await post(rig, "/v1/orders", ORDER)) as { id: string };
    await post(rig, `/v1/orders/${id}/modify`, { price: "59900" });
    const cancel = { path: `/v1/orders/${id}/cancel`, apiKey: KEYS.both, idempotencyKey: "builder-cancel", body: {} };
    await rig.askForSeconds(cancel);
    await post(rig, "/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" });
    await post(rig, "/v1/twaps", { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 });
    await post(rig, "/v1/twaps/cancel", { market: "BTC", twap_id: 7 });
    expect(rig.sent).toHaveLength(6);
    expect(rig.sent.map((body) => body.includes(ADDRESS))).toEqual([true, false, false, false, false, false]);
  });

  const others: [string, number | null, unknown][] = [
    ["a lower one", 20, { b: ADDRESS, f: 20 }],
    ["zero", 0, undefined],
    ["none", null, undefined],
  ];
  test.each(others)("follows the account's own setting: %s", async (_what, override, expected) => {
    const rig = await openWith({ ...BUILDER, overrides: { [ACCOUNTS.main]: override } }, 50);
    await post(rig, "/v1/orders", ORDER);
    expect(lastBuilder(rig)).toEqual(expected);
    await post(rig, "/v1/orders", { ...ORDER, account: ACCOUNTS.other }, KEYS.other);
    expect(lastBuilder(rig)).toEqual(FEE);
  });

  test("is nowhere when no builder is configured, and nothing is asked", async () => {
    const rig = openRig();
    rig.answers.set("maxBuilderFee", () => {
      throw new Error("asked");
    });
    await rig.builderApproval.refresh(OWNER.address.toLowerCase());
    await post(rig, "/v1/orders", ORDER);
    expect(lastBuilder(rig)).toBeUndefined();
  });

  test("cannot be given by a client", async () => {
    const rig = await openWith(BUILDER, 50);
    const body = { ...ORDER, builder: { b: `0x${"cc".repeat(20)}`, f: 1 } };
    const response = await rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "builder-given", body });
    expect([response.status, rig.sent]).toEqual([400, []]);
  });
});

const APPROVALS: [string, number | null, boolean, unknown][] = [
  ["is left out where the owner has approved nothing", 0, false, undefined],
  ["is left out where less was approved", 49, false, undefined],
  ["is carried where more was approved", 100, false, FEE],
  ["is left out while the exchange cannot be asked", null, false, undefined],
  ["is carried in any case where it is required", 0, true, FEE],
  ["is carried where it is required and nobody knows", null, true, FEE],
];

test.each(APPROVALS)("the fee %s", async (_what, approved, isRequired, expected) => {
  const rig = await openWith({ ...BUILDER, isRequired }, approved);
  await post(rig, "/v1/orders", ORDER);
  expect(lastBuilder(rig)).toEqual(expected);
});

test("after a refusal for want of the approval the exchange is asked, and orders go without the fee", async () => {
  const rig = await openWith(BUILDER, 50);
  let asked = 0;
  rig.answers.set("maxBuilderFee", () => {
    asked += 1;
    return asked === 1 ? 0 : 50;
  });
  rig.refusals.push("Builder fee has not been approved.", "Builder fee has not been approved.");
  expect(await post(rig, "/v1/orders", ORDER)).toMatchObject({ status: "rejected" });
  expect([lastBuilder(rig), asked]).toEqual([FEE, 1]);
  expect(await post(rig, "/v1/orders", ORDER)).toMatchObject({ status: "rejected" });
  expect([lastBuilder(rig), asked]).toEqual([undefined, 1]);
  await rig.builderApproval.refresh(OWNER.address.toLowerCase());
  await post(rig, "/v1/orders", ORDER);
  expect(lastBuilder(rig)).toEqual(FEE);
});

const SHOWN: [string, Builder, number | null, object | null][] = [
  ["approved", BUILDER, 50, { fee_bps: "5", is_required: false, is_approved: true }],
  ["not approved", { ...BUILDER, feeTenthsBps: 25, isRequired: true }, 24, { fee_bps: "2.5", is_approved: false }],
  ["not known", BUILDER, null, { is_approved: null }],
  ["none for this account", { ...BUILDER, overrides: { [ACCOUNTS.main]: null } }, 50, null],
];

test.each(SHOWN)("the status shows the fee: %s", async (_what, builder, approved, expected) => {
  const rig = await openWith(builder, approved);
  const status = (await (await rig.ask({ path: "/v1/status", apiKey: KEYS.both })).json()) as { builder_fee: object };
  expect(status).toMatchObject({ builder_fee: expected });
});
