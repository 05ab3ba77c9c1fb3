/** Hooks by their owner's signature: made with an address that only its maker has, listed, and ended. */
import { expect, test } from "bun:test";
import { Wallet } from "ethers";
import { keyHash } from "../../src/wire/grant.ts";
import { hookRevocationTypedData, hookTypedData } from "../../src/wire/grant-data.ts";
import { sha256Hex } from "../../src/wire/sha256.ts";
import type { TypedData } from "../../src/wire/wallet-form.ts";
import { type HooksRig, openHooksRig, timeAt } from "./hooks-rig.ts";
import { BOT, OWNERS_KEY, refusalOf } from "./rails-rig.ts";
import { ACCOUNTS, AUDIENCE, KEYS } from "./rig.ts";

const SECRET = `hook_${"5a".repeat(32)}`;
const TERMS = {
  account: ACCOUNTS.main as string,
  name: "tradingview",
  key_hash: keyHash(BOT),
  secret_hash: sha256Hex(SECRET),
  mode: "order" as "order" | "target",
  market: "BTC" as string | null,
  max_age_s: 60,
  same_within_s: 60,
  max_slippage_bps: 50,
  sources: null as string | null,
  rehearsal: false,
  issued_at: 0,
};
type Terms = typeof TERMS;

/** As a wallet signs it, which is not our code. */
function signed({ domain, types, primaryType, message }: TypedData, key: string): Promise<string> {
  const own = { [primaryType]: [...(types[primaryType] ?? [])] };
  return new Wallet(key).signTypedData(domain, own, message);
}

async function register(rig: HooksRig, sent: Partial<Terms> = {}, meant: Partial<Terms> = sent, key = OWNERS_KEY) {
  const body = { ...TERMS, issued_at: rig.clock.nowMs(), ...sent };
  const of = { ...body, ...meant };
  const hook = {
    name: of.name,
    keyHash: of.key_hash,
    mode: of.mode,
    market: of.market,
    maxAgeMs: of.max_age_s * 1_000,
    sameWithinMs: of.same_within_s * 1_000,
    maxSlippageBps: of.max_slippage_bps,
    sources: of.sources,
    isRehearsal: of.rehearsal,
  };
  const grant = { audience: AUDIENCE, accountId: of.account, hook, secretHash: of.secret_hash };
  const signature = await signed(hookTypedData({ ...grant, issuedAtMs: of.issued_at }), key);
  return rig.ask({ path: "/v1/hooks", body: { ...body, signature } });
}

async function revoke(rig: HooksRig, id: string, meant = id) {
  const data = hookRevocationTypedData({ audience: AUDIENCE, accountId: ACCOUNTS.main, hookId: meant });
  const signature = await signed(data, OWNERS_KEY);
  return rig.ask({ path: `/v1/hooks/${id}/revoke`, body: { account: ACCOUNTS.main, signature } });
}

async function hooksOf(rig: HooksRig, apiKey: string = KEYS.readOnly) {
  const list = await rig.ask({ path: "/v1/hooks", apiKey });
  // A list, as its route says.
  return ((await list.json()) as { data: Record<string, unknown>[] }).data;
}

test("what the owner has signed takes alerts as its bot, is listed to its account alone, and ends for good", async () => {
  const rig = await openHooksRig();
  const answer = await register(rig);
  expect(answer.status).toBe(201);
  const made = (await answer.json()) as { id: string };
  expect(made).toMatchObject({
    name: "tradingview",
    bot: "grid-1",
    market: "BTC",
    state: "active",
    last_alert_at: null,
  });
  const alert = { id: "a1", time: timeAt(rig), market: "BTC", side: "buy", size: "0.01" };
  expect((await rig.send(alert, { secret: SECRET })).status).toBe(200);
  await rig.pass(2);
  expect(rig.orders).toHaveLength(1);
  expect(await hooksOf(rig)).toMatchObject([{ name: "chart" }, { name: "tradingview", last_alert_status: "done" }]);
  expect(await hooksOf(rig, KEYS.other)).toEqual([]);
  const ended = await revoke(rig, made.id);
  expect([ended.status, await ended.json()]).toMatchObject([200, { state: "revoked" }]);
  expect((await revoke(rig, made.id)).status).toBe(200);
  expect((await rig.send({ ...alert, id: "a2" }, { secret: SECRET })).status).toBe(404);
  expect(await refusalOf(await register(rig))).toStartWith("409 hook_refused");
});

test("the same grant again is the same hook, and its secret is no other's", async () => {
  const rig = await openHooksRig();
  const [first, again] = [await register(rig), await register(rig)];
  expect(await again.text()).toBe(await first.text());
  expect(await refusalOf(await register(rig, { mode: "target" }))).toStartWith("409 hook_refused");
  expect(await hooksOf(rig)).toHaveLength(2);
});

const HOUR_MS = 3_600_000;
test.each<[what: string, outcome: string, sent: Partial<Terms>]>([
  ["a name that is taken", "409 hook_refused", { name: "chart" }],
  ["a key without rails", "409 hook_refused", { key_hash: keyHash(KEYS.both) }],
  ["a key that is not there", "409 hook_refused", { key_hash: "0".repeat(64) }],
  ["another account's key", "409 hook_refused", { key_hash: keyHash(KEYS.other) }],
  ["a source that is none", "400 invalid_parameter", { sources: "everywhere" }],
  ["a name that is none", "400 invalid_parameter", { name: "Trading View" }],
  ["a grant of long ago", "400 grant_expired", { issued_at: Date.parse("2026-11-21T09:30:00Z") - 2 * HOUR_MS }],
])("%s is refused: %s", async (_what, outcome, sent) => {
  const rig = await openHooksRig();
  expect(await refusalOf(await register(rig, sent))).toStartWith(outcome);
  expect(await hooksOf(rig)).toHaveLength(1);
});

/** What is sent, and what the owner has signed instead. */
const FORGED: [what: string, sent: Partial<Terms>, meant: Partial<Terms>][] = [
  ["another name", { name: "mine" }, {}],
  ["another bot's key", {}, { key_hash: "1".repeat(64) }],
  ["a secret of its own", { secret_hash: "2".repeat(64) }, { secret_hash: TERMS.secret_hash }],
  ["another mode", { mode: "target" }, { mode: "order" }],
  ["every market", { market: null }, { market: "BTC" }],
  ["older alerts", { max_age_s: 3_600 }, { max_age_s: 60 }],
  ["repeats", { same_within_s: 1 }, { same_within_s: 60 }],
  ["worse prices", { max_slippage_bps: 500 }, { max_slippage_bps: 50 }],
  ["from anywhere", { sources: null }, { sources: "203.0.113.7/32" }],
  ["no rehearsal", { rehearsal: false }, { rehearsal: true }],
  ["a later time", {}, { issued_at: 1 }],
];

test("a grant is worth what is in it, member by member, and its owner's alone", async () => {
  const rig = await openHooksRig();
  for (const [what, sent, meant] of FORGED)
    expect([what, (await register(rig, sent, { name: TERMS.name, ...meant })).status]).toEqual([what, 401]);
  expect((await register(rig, {}, {}, `0x${"77".repeat(32)}`)).status).toBe(401);
  expect(await hooksOf(rig)).toHaveLength(1);
  expect((await revoke(rig, rig.hook.id, "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90")).status).toBe(401);
  expect(await refusalOf(await revoke(rig, "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90"))).toStartWith("404 hook_not_found");
  expect(await hooksOf(rig)).toMatchObject([{ state: "active" }]);
});

test("a hook acts as no bot of another account", async () => {
  const rig = await openHooksRig();
  const account = ACCOUNTS.other;
  // Both accounts have one owner, whose signature says which of them it is for.
  expect(await refusalOf(await register(rig, { account }, { account }))).toStartWith("409 hook_refused");
  expect(await hooksOf(rig, KEYS.other)).toEqual([]);
});
