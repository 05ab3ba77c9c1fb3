/** The next agent key: who may see it, and that nothing but its owner's signature makes it trade. */
import { expect, test } from "bun:test";
import type { privateKeyToAccount } from "viem/accounts";
import { findSigningAgent, insertAgent, listAgents } from "../../src/store/agents.ts";
import { writeBehind } from "../support/write-behind.ts";
import { ACCOUNTS, AGENT_ADDRESS, KEYS, OWNER, openRig, type Rig, START_MS, STRANGER } from "./rig.ts";

const DAY_MS = 86_400_000;
const NEXT = `0x${"4d".repeat(20)}`;

type Approval = { nonce: number; chain_id: number; valid_until: string | null; typed_data: Record<string, unknown> };
type Renewal = {
  is_due: boolean;
  signing: { address: string; valid_until: string | null } | null;
  waiting: { address: string } | null;
  approval: Approval | null;
};

/** An agent that signs for so many days more, and its successor that waits. */
function openDue(daysLeft: number, hasSuccessor = true): Rig {
  const rig = openRig();
  writeBehind(rig.deps.store, `UPDATE agents SET valid_until_ms = ${START_MS + daysLeft * DAY_MS}`);
  const owner = OWNER.address.toLowerCase();
  const times = { createdAtMs: START_MS, approvedAtMs: null, validUntilMs: null };
  const made = { name: "postern-2", state: "new", sealedKey: new Uint8Array(8), ...times } as const;
  if (hasSuccessor) insertAgent(rig.deps.store, { address: NEXT, ownerAddress: owner, ...made });
  return rig;
}

async function renewalOf(rig: Rig, query = ""): Promise<Renewal> {
  const answer = await rig.ask({ path: `/v1/agent-renewal${query}`, apiKey: KEYS.readOnly });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Renewal;
}

async function signed(rig: Rig, signer: ReturnType<typeof privateKeyToAccount>, query = "?valid_days=30") {
  const { approval, waiting } = await renewalOf(rig, query);
  if (approval === null || waiting === null) throw new Error("nothing waits");
  const { nonce, chain_id, valid_until, typed_data } = approval;
  const signature = await signer.signTypedData(typed_data as never);
  return { account: ACCOUNTS.main, agent: waiting.address, nonce, chain_id, valid_until, signature };
}

async function send(rig: Rig, body: object) {
  const answer = await rig.ask({ path: "/v1/agent-renewal", body });
  return {
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown> & { error?: { code: string } },
  };
}

test("an approval for which our own weight has no room is told so, and the next agent waits on", async () => {
  const rig = openDue(10);
  const body = await signed(rig, OWNER);
  const { send: post } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "used up", waitS: 9 });
  const answer = await rig.ask({ path: "/v1/agent-renewal", body });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect([answer.status, error.code, answer.headers.get("retry-after")]).toEqual([429, "exchange_rate_limited", "9"]);
  expect(error.message).toContain("POSTERN_EXCHANGE_WEIGHT");
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "ECONNREFUSED" });
  expect(await send(rig, body)).toMatchObject({ status: 503, body: { error: { code: "exchange_unreachable" } } });
  rig.deps.exchange.send = post;
  expect((await renewalOf(rig)).waiting).toMatchObject({ address: NEXT });
});

test.each([
  [15, false],
  [14, true],
  [0, true],
])("an agent with %p days left is due: %p", async (days, isDue) => {
  expect((await renewalOf(openDue(days))).is_due).toBe(isDue);
});

test("the owner's signature makes the next agent sign, for the days that were chosen, and retires the one before", async () => {
  const rig = openDue(10);
  const owner = OWNER.address.toLowerCase();
  const body = await signed(rig, OWNER);
  expect(body.valid_until).toBe(new Date(START_MS + 30 * DAY_MS).toISOString());
  expect(findSigningAgent(rig.deps.store, owner, START_MS)?.address).toBe(AGENT_ADDRESS);
  const validUntil = START_MS + 30 * DAY_MS;
  rig.answers.set("extraAgents", () => [{ name: "postern-2", address: NEXT, validUntil }]);
  expect(await send(rig, body)).toMatchObject({ status: 200, body: { status: "succeeded", error: null } });
  expect(rig.sent).toHaveLength(1);
  expect(rig.sent[0]).toContain(`postern-2 valid_until ${validUntil}`);
  expect(findSigningAgent(rig.deps.store, owner, START_MS)).toMatchObject({ address: NEXT, validUntilMs: validUntil });
  expect(listAgents(rig.deps.store).map(({ address, state }) => [address, state])).toContainEqual([
    AGENT_ADDRESS,
    "retired",
  ]);
  expect(await renewalOf(rig)).toMatchObject({ is_due: false, waiting: null, approval: null });
  // Sent again, by whoever has seen it, it changes nothing.
  expect(await send(rig, body)).toMatchObject({ status: 200, body: { status: "succeeded" } });
  expect(rig.sent).toHaveLength(1);
});

test("anybody else's signature, other terms and other agents are refused before anybody is asked", async () => {
  const rig = openDue(10);
  const own = await signed(rig, OWNER);
  const forged = await signed(rig, STRANGER);
  const rows: [object, number, string][] = [
    [forged, 401, "invalid_signature"],
    [{ ...own, valid_until: null }, 401, "invalid_signature"],
    [{ ...own, nonce: own.nonce + 1 }, 401, "invalid_signature"],
    [{ ...own, agent: AGENT_ADDRESS }, 401, "invalid_signature"],
    [{ ...own, agent: `0x${"00".repeat(20)}` }, 400, "invalid_parameter"],
    [{ ...own, account: "00000000-0000-0000-0000-000000000000" }, 404, "account_not_found"],
  ];
  for (const [body, status, code] of rows) {
    expect(await send(rig, body)).toMatchObject({ status, body: { error: { code } } });
  }
  expect(rig.sent).toEqual([]);
  expect(listAgents(rig.deps.store).find(({ address }) => address === NEXT)?.state).toBe("new");
});

test("what the exchange refuses leaves the old one serving", async () => {
  const rig = openDue(10);
  rig.refusals.push("Must deposit before performing actions. User: 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf");
  const answer = await send(rig, await signed(rig, OWNER));
  expect(answer).toMatchObject({ status: 200, body: { status: "rejected" } });
  expect(String(answer.body["error"])).toContain("Must deposit before performing actions");
  expect(findSigningAgent(rig.deps.store, OWNER.address.toLowerCase(), START_MS)?.address).toBe(AGENT_ADDRESS);
});

test("a key with which one may not read is told nothing, and no key of an account makes an agent", async () => {
  const rig = openDue(10, false);
  expect((await rig.ask({ path: "/v1/agent-renewal", apiKey: KEYS.writeOnly })).status).toBe(403);
  expect(await renewalOf(rig)).toMatchObject({ is_due: true, waiting: null, approval: null });
  expect(listAgents(rig.deps.store)).toHaveLength(1);
});
