import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Builder } from "../../src/deps.ts";
import { createServer } from "../../src/http/server.ts";
import { newSetupLink } from "../../src/ops/set-up/tokens.ts";
import { testRequest } from "../support/request.ts";
import { documented } from "./documented.ts";
import { ACCOUNTS, KEYS, OWNER, openRig, type RigOptions, STRANGER } from "./rig.ts";

/** A gateway with an approved agent and no key: what is left is the builder, the key and the end. */

const BUILDER: Builder = { address: `0x${"b1".repeat(20)}`, feeTenthsBps: 50, overrides: {}, isRequired: false };
const SESSION = `setup_${"5e".repeat(32)}`;
const SESSION_HASH = createHash("sha256").update(SESSION).digest("hex");

type Answer = { status: number; retryAfter: string | null; body: ReturnType<typeof JSON.parse> };

function openSetup(options: RigOptions = {}, approvedTenthsBps = 0) {
  const rig = openRig(options);
  const approved = { tenthsBps: approvedTenthsBps };
  rig.answers.set("maxBuilderFee", () => approved.tenthsBps);
  rig.deps.store.$client.run("DELETE FROM api_keys");
  const keyring = { signers: rig.deps.signers, seal: () => new Uint8Array(8), reload: () => undefined };
  // The parts of a keyring that the set-up of a gateway with an agent touches.
  const settingUp = { keyring: keyring as never, follow: () => undefined };
  const server = createServer(rig.deps, { trustedProxies: [], settingUp });
  async function ask(token: string | null, path: string, body?: unknown): Promise<Answer> {
    const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    const request = testRequest({ path: `/v1/setup${path}`, headers, ...(body === undefined ? {} : { body }) });
    const response = await documented(request, await server.handle(request, "10.0.0.9"));
    return {
      status: response.status,
      retryAfter: response.headers.get("Retry-After"),
      body: JSON.parse(await response.text()),
    };
  }
  async function claim(): Promise<Answer> {
    return ask(newSetupLink(rig.deps).token, "/claim", { session_hash: SESSION_HASH });
  }
  return { rig, approved, ask, claim, page: (path: string, body?: unknown) => ask(SESSION, path, body) };
}

describe("the builder fee", () => {
  test("is a step only where one is configured, and may be skipped", async () => {
    const without = openSetup();
    expect((await without.claim()).body).toMatchObject({ step: "key", builder: null });
    const { claim, page } = openSetup({ builder: BUILDER });
    const builder = { address: BUILDER.address, fee_bps: "5", max_fee_rate: "0.05%", is_required: false };
    expect((await claim()).body).toMatchObject({ step: "builder", builder: { ...builder, state: "undecided" } });
    const skipped = await page("/builder-skip", {});
    expect(skipped.body).toMatchObject({ status: "succeeded", setup: { step: "key", builder: { state: "skipped" } } });
  });

  test("cannot be skipped where it is required", async () => {
    const { claim, page } = openSetup({ builder: { ...BUILDER, isRequired: true } });
    await claim();
    const skipped = await page("/builder-skip", {});
    expect(skipped.body).toMatchObject({ status: "rejected", what_to_do: "Approve it.", setup: { step: "builder" } });
  });

  test("of an account that pays none is no step", async () => {
    const { claim } = openSetup({ builder: { ...BUILDER, overrides: { [ACCOUNTS.main]: null } } });
    expect((await claim()).body).toMatchObject({ step: "key", builder: null });
  });

  test("is approved by the owner's signature, once, for the chain that the wallet is on", async () => {
    const { rig, approved, claim, page } = openSetup({ builder: BUILDER });
    await claim();
    const { body: asked } = await page("/builder-approval?chain_id=1");
    expect(asked).toMatchObject({ address: OWNER.address.toLowerCase(), chain_id: 1, valid_until: null });
    expect(asked.typed_data.message).toMatchObject({ maxFeeRate: "0.05%", builder: BUILDER.address });
    const terms = { nonce: asked.nonce, chain_id: 1 };
    const foreign = { ...terms, signature: await STRANGER.signTypedData(asked.typed_data) };
    expect(await page("/builder-approval", foreign)).toMatchObject({
      status: 401,
      body: { error: { code: "invalid_signature" } },
    });
    const signature = await OWNER.signTypedData(asked.typed_data);
    const elsewhere = await page("/builder-approval", { ...terms, chain_id: 2, signature });
    expect(elsewhere.status).toBe(401);
    expect(rig.sent).toEqual([]);
    const refused = "Builder has insufficient balance to be approved.";
    rig.refusals.push(refused);
    const no = await page("/builder-approval", { ...terms, signature });
    expect(no.body).toMatchObject({ status: "rejected", what_to_do: "Skip this step: orders go without the fee." });
    expect(no.body.error).toContain(refused);
    approved.tenthsBps = 50;
    const yes = await page("/builder-approval", { ...terms, signature });
    expect(yes.body).toMatchObject({ status: "succeeded", setup: { step: "key", builder: { state: "approved" } } });
    expect(rig.sent).toHaveLength(1);
  });

  test("that was approved before is no step", async () => {
    const { claim, page } = openSetup({ builder: BUILDER }, 50);
    await claim();
    expect((await page("")).body).toMatchObject({ step: "key", builder: { state: "approved" } });
  });
});

test("the owner cannot be changed once an agent is approved", async () => {
  const { claim, page } = openSetup();
  await claim();
  const same = await page("/owner", { address: OWNER.address });
  expect(same.body.status).toBe("succeeded");
  const other = await page("/owner", { address: STRANGER.address });
  expect(other.body).toMatchObject({
    status: "rejected",
    setup: { account: { owner_address: OWNER.address.toLowerCase() } },
  });
});

test("it cannot be finished before there is a key", async () => {
  const { claim, page } = openSetup();
  await claim();
  expect((await page("/finish", {})).body).toMatchObject({
    status: "rejected",
    error: "There is no API key.",
    setup: { step: "key" },
  });
});

const REFUSED: [string, string, unknown, number, string][] = [
  ["an owner that is no address", "/owner", { address: "0x12" }, 400, "invalid_parameter"],
  ["an owner and more", "/owner", { address: OWNER.address, kind: "main" }, 400, "unknown_parameter"],
  ["a label with a line break", "/owner", { address: OWNER.address, label: "a\nb" }, 400, "invalid_parameter"],
  ["an approval without a nonce", "/agent-approval", { chain_id: 1, signature: "0x" }, 400, "missing_parameter"],
  ["a chain of no number", "/agent-approval?chain_id=0x1", undefined, 400, "invalid_parameter"],
  ["chain 0", "/agent-approval?chain_id=0", undefined, 400, "invalid_parameter"],
  [
    "a chain beyond what the exchange takes",
    "/agent-approval?chain_id=4503599627370496",
    undefined,
    400,
    "invalid_parameter",
  ],
  ["half a year and a day", "/agent-approval?valid_days=181", undefined, 400, "invalid_parameter"],
  ["a builder that is not there", "/builder-approval", undefined, 400, "invalid_parameter"],
  ["a view of nothing", "/exchange-view", undefined, 400, "missing_parameter"],
  ["a view of no address", "/exchange-view?address=me", undefined, 400, "invalid_parameter"],
  [
    "a view while the exchange is away",
    `/exchange-view?address=${OWNER.address}`,
    undefined,
    503,
    "exchange_unreachable",
  ],
  ["a parameter that is none", "?step=key", undefined, 400, "unknown_parameter"],
];

test.each(REFUSED)("%s is refused", async (_what, path, body, ...refusal) => {
  const { claim, page, rig } = openSetup();
  await claim();
  expect(await page(path, body)).toMatchObject({ status: refusal[0], body: { error: { code: refusal[1] } } });
  expect(rig.sent).toEqual([]);
});

test("a view for which our own weight is used up says so, and when to come back", async () => {
  const { claim, page, rig } = openSetup();
  await claim();
  const asked: unknown[] = [];
  rig.deps.exchange.info = async (_request, { purpose }) => {
    asked.push(purpose);
    return { kind: "failed", reason: "used up", httpStatus: null, isOurBudget: true, waitS: 9 };
  };
  const { status, retryAfter, body } = await page(`/exchange-view?address=${OWNER.address}`);
  expect([status, body.error?.code, retryAfter]).toEqual([429, "exchange_rate_limited", "9"]);
  expect(body.error?.message).toContain("POSTERN_EXCHANGE_WEIGHT");
  // Whoever sets up is a reader like others.
  expect(new Set(asked)).toEqual(new Set([{ reader: "set-up" }]));
});

describe("the set-up is shut", () => {
  const PATHS: [string, unknown][] = [
    ...["", "/exchange-view?address=0x", "/agent-approval", "/builder-approval"].map((path): [string, unknown] => [
      path,
      undefined,
    ]),
    ...["/claim", "/owner", "/agent-approval", "/builder-approval", "/builder-skip", "/finish"].map(
      (path): [string, unknown] => [path, {}],
    ),
  ];

  test("to whoever has no token, a wrong one or an API key", async () => {
    const { claim, ask } = openSetup();
    await claim();
    for (const [path, body] of PATHS) {
      for (const token of [null, `setup_${"00".repeat(32)}`, KEYS.both, SESSION.slice(0, -1)]) {
        const answer = await ask(token, path, path === "/claim" ? { session_hash: SESSION_HASH } : body);
        expect([path, answer.status, answer.body.error.code]).toEqual([path, 401, "invalid_setup_token"]);
      }
    }
  });

  test("to everybody where there is a key and an agent already", async () => {
    const rig = openRig();
    const settingUp = { keyring: null as never, follow: () => undefined };
    const server = createServer(rig.deps, { trustedProxies: [], settingUp });
    const headers = { Authorization: `Bearer ${SESSION}` };
    const response = await server.handle(testRequest({ path: "/v1/setup", headers }), "10.0.0.9");
    expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([409, "setup_done"]);
  });

  test("to a token where an API key is asked for", async () => {
    const { claim, rig } = openSetup();
    await claim();
    const answer = await rig.ask({ path: "/v1/account", headers: { Authorization: `Bearer ${SESSION}` } });
    expect(answer.status).toBe(401);
  });

  test("for a minute to whoever guesses", async () => {
    const { claim, ask, page } = openSetup({ limits: { failedAuthenticationsPerMinute: 5 } });
    await claim();
    const statuses = [];
    for (let index = 0; index < 7; index += 1) statuses.push((await ask(`setup_${"00".repeat(32)}`, "")).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await page("")).status).toBe(200);
  });
});
