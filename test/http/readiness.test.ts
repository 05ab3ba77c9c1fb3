/** `/readyz` and an order tell the same, whatever stands in the way, alone or together with anything else. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AgentStanding } from "../../src/core/account.ts";
import { ERROR_STATUS, type ErrorCode } from "../../src/core/errors.ts";
import { OBSTACLES, type ObstacleReason } from "../../src/core/readiness.ts";
import { stopByOperator } from "../../src/ops/stop-trading.ts";
import { insertAccount, listAccounts } from "../../src/store/accounts.ts";
import { insertApiKey, revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { noteFailure } from "../../src/store/broken.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { noteRefusedWrite } from "../../src/store/heard-writes.ts";
import { markRestored, markTakenUp } from "../../src/store/restores.ts";
import { openWriteHealth, ROOM_KEPT_BYTES } from "../../src/store/write-health.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { writeBehind } from "../support/write-behind.ts";
import { ACCOUNTS, AGENT_ADDRESS, KEYS, openRig, type Rig, START_MS, STRANGER } from "./rig.ts";

/** A rig with dials for what is outside: the exchange, the disk, the agents' standing. */
function openDialled() {
  const rig = openRig({ hasAllowance: true });
  const dials = { silentMs: 0, freeBytes: ROOM_KEPT_BYTES, standing: "listed" as AgentStanding, hasWeight: true };
  const { deps } = rig;
  deps.exchange.sinceAnswerMs = () => dials.silentMs;
  deps.exchange.hasBudgetFor = () => dials.hasWeight;
  deps.agents.standing = () => dials.standing;
  const health = openWriteHealth(deps.store, rig.clock, () => dials.freeBytes);
  Object.assign(deps.writeHealth, health);
  return { ...rig, dials };
}
type Dialled = ReturnType<typeof openDialled>;

/** From now on no commit reaches the disk, until what is returned is called. */
function breakCommits({ deps }: Rig, code: string): () => void {
  const { $client: client } = deps.store;
  const run = client.run.bind(client);
  client.run = ((sql: string, ...rest: never[]) => {
    if (sql === "COMMIT") throw Object.assign(new Error("the disk says no"), { code });
    return run(sql, ...rest);
  }) as typeof client.run;
  return () => {
    client.run = run;
  };
}

type Fault = { reason: ObstacleReason; code: ErrorCode; cause(rig: Dialled): void };

const FAULTS: Record<string, Fault> = {
  "while it shuts down": { reason: "draining", code: "draining", cause: phase("draining") },
  "while an upgrade is being checked": { reason: "on_trial", code: "not_ready", cause: phase("trial") },
  "before the exchange's clock is known": { reason: "starting", code: "not_ready", cause: phase("opening") },
  "while what was in flight is looked up": { reason: "starting", code: "not_ready", cause: phase("starting") },
  "after a fault of ours, or beside another machine": {
    reason: "writes_stopped",
    code: "internal_error",
    cause: ({ deps }) => Object.assign(deps.state, { writesStoppedBecause: "another machine trades" }),
  },
  "with a database that cannot be trusted any more": {
    reason: "writes_stopped",
    code: "storage_unavailable",
    cause: ({ deps }) =>
      noteFailure(deps.store, Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" })),
  },
  "without a file descriptor that is left": {
    reason: "no_descriptors",
    code: "exchange_unreachable",
    cause: ({ deps }) => Object.assign(deps.state, { isOutOfDescriptors: true }),
  },
  "with a disk that is all but full": {
    reason: "disk_full",
    code: "storage_unavailable",
    cause: ({ dials }) => Object.assign(dials, { freeBytes: ROOM_KEPT_BYTES - 1 }),
  },
  "with a disk that has no page left": {
    reason: "disk_full",
    code: "storage_unavailable",
    cause: (rig) => void breakCommits(rig, "SQLITE_FULL"),
  },
  "on a file system that became read-only": {
    reason: "storage_failing",
    code: "storage_unavailable",
    cause: (rig) => void breakCommits(rig, "SQLITE_READONLY"),
  },
  "with a disk that refuses a write": {
    reason: "storage_failing",
    code: "storage_unavailable",
    cause: (rig) => void breakCommits(rig, "SQLITE_IOERR_WRITE"),
  },
  "when the exchange has been silent for longer than a minute": {
    reason: "exchange_unreachable",
    code: "exchange_unreachable",
    cause: ({ dials }) => Object.assign(dials, { silentMs: 60_001 }),
  },
  "with an agent that was never approved": {
    reason: "no_agent",
    code: "agent_not_approved",
    cause: ({ deps }) => writeBehind(deps.store, "UPDATE agents SET state = 'new'"),
  },
  "with an agent whose approval has ended": {
    reason: "no_agent",
    code: "agent_not_approved",
    cause: ({ deps }) => writeBehind(deps.store, `UPDATE agents SET valid_until_ms = ${START_MS}`),
  },
  "with an agent key that is locked": {
    reason: "agent_locked",
    code: "agent_not_approved",
    cause: ({ deps }) => deps.signers.lock(),
  },
  "with an agent that the exchange does not list": {
    reason: "agent_unlisted",
    code: "agent_not_approved",
    cause: ({ dials }) => Object.assign(dials, { standing: "missing" }),
  },
  "with a list of markets that is old and could not be read again": {
    reason: "markets_old",
    code: "exchange_unreachable",
    cause: ({ deps }) => Object.assign(deps.markets, { ageMs: () => 5 * 60_000 + 1 }),
  },
  "while the exchange wants fewer requests": {
    reason: "slowed_down",
    code: "exchange_rate_limited",
    cause: ({ deps, dials }) => {
      dials.hasWeight = false;
      deps.exchange.slowedDown = () => "too_fast";
    },
  },
  "without weight at the exchange": {
    reason: "exchange_budget",
    code: "exchange_rate_limited",
    cause: ({ dials }) => Object.assign(dials, { hasWeight: false }),
  },
};

/** No fault: somebody wants it so. */
const STOPPED = "while trading is stopped for the account";
const CAUSES: Record<string, Fault["cause"]> = {
  ...Object.fromEntries(Object.entries(FAULTS).map(([name, { cause }]) => [name, cause])),
  [STOPPED]: stopEach,
};

/** Every account. A disk that takes nothing takes no stop either. */
function stopEach({ deps }: Dialled): void {
  const operator = { ...deps, network: "paper" as const };
  for (const { id: accountId } of listAccounts(deps.store)) {
    try {
      stopByOperator(operator, { accountId, keyHash: null, keepsProtection: true });
    } catch (error) {
      if (!(error instanceof Error) || !/disk/.test(error.message)) throw error;
    }
  }
}

function phase(name: Dialled["deps"]["state"]["phase"]) {
  return ({ deps }: Dialled) => void Object.assign(deps.state, { phase: name });
}

let orders = 0;

async function placed(rig: Rig, account: string, apiKey: string) {
  orders += 1;
  const body = { account, market: "BTC", side: "buy", size: "0.01", price: "60000" };
  const response = await rig.ask({ path: "/v1/orders", apiKey, idempotencyKey: `readiness-${orders}`, body });
  const answer = (await response.json()) as { status?: string; error?: { code: ErrorCode } };
  return { status: response.status, code: answer.error?.code ?? null };
}

async function readiness(rig: Rig) {
  const response = await rig.ask({ path: "/readyz" });
  const body = (await response.json()) as {
    status?: string;
    accounts?: number;
    error?: { code: string; message: string };
  };
  return { status: response.status, body, message: body.error?.message ?? "" };
}

test("every reason that there is has a row here", () => {
  const elsewhere: ObstacleReason[] = [
    "changed_outside",
    "markets_unread",
    "not_set_up",
    "restoring",
    "trading_stopped",
  ];
  const told = [...Object.values(FAULTS).map(({ reason }) => reason), ...elsewhere];
  expect(new Set<string>(told)).toEqual(new Set(Object.keys(OBSTACLES)));
});

describe("orders are not taken, and /readyz says why,", () => {
  test.each(Object.entries(FAULTS))("%s", async (_when, { reason, code, cause }) => {
    const rig = openDialled();
    cause(rig);
    const { status, message, body } = await readiness(rig);
    expect([status, body.error?.code]).toEqual([503, reason === "draining" ? "draining" : "not_ready"]);
    if (reason !== "draining") expect(message).toStartWith(`Orders are not taken: ${reason} (${OBSTACLES[reason]}`);
    expect(await placed(rig, ACCOUNTS.main, KEYS.both)).toEqual({ status: ERROR_STATUS[code], code });
    expect(rig.sent).toEqual([]);
    const own = await rig.ask({ path: "/v1/status", apiKey: KEYS.readOnly });
    expect(await own.json()).toMatchObject({ orders: { are_taken: false, reason } });
  });
});

test("an account that is stopped on purpose is no fault, and is told", async () => {
  const rig = openDialled();
  expect((await readiness(rig)).body).toMatchObject({ stopped: 0 });
  stopEach(rig);
  const { status, body } = await readiness(rig);
  expect([status, body]).toEqual([200, expect.objectContaining({ status: "ready", stopped: body.accounts })]);
  const refused = { status: 403, code: "trading_stopped" } as const;
  expect(await placed(rig, ACCOUNTS.main, KEYS.both)).toEqual(refused);
  const own = await rig.ask({ path: "/v1/status", apiKey: KEYS.readOnly });
  expect(await own.json()).toMatchObject({ orders: { are_taken: false, reason: "trading_stopped" } });
  rig.dials.standing = "missing";
  expect((await readiness(rig)).message).toStartWith("Orders are not taken: agent_unlisted ");
});

test("it is 200 exactly while an order is taken or trading is stopped, whatever comes together", async () => {
  const names = Object.keys(CAUSES);
  const some = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 });
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(some, fc.boolean(), async (chosen, asksFirst) => {
      const rig = openDialled();
      for (const name of chosen) CAUSES[name]?.(rig);
      const before = asksFirst ? await placed(rig, ACCOUNTS.main, KEYS.both) : null;
      const { status } = await readiness(rig);
      const order = before ?? (await placed(rig, ACCOUNTS.main, KEYS.both));
      taken += order.status === 201 ? 1 : 0;
      const isTaken = order.status === 201 || order.code === "trading_stopped";
      return (status === 200) === isTaken && isTaken === chosen.every((name) => name === STOPPED);
    }),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(0);
});

test("a minute of silence is a detail, and cancels and reductions are tried after it", async () => {
  const rig = openDialled();
  await placed(rig, ACCOUNTS.main, KEYS.both);
  rig.dials.silentMs = 60_000;
  const answer = await readiness(rig);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ exchange_answered_at: new Date(START_MS - 60_000).toISOString() });
  Object.assign(rig.dials, { silentMs: 3_600_000, freeBytes: 0, standing: "missing" });
  const sent = rig.sent.length;
  const body = { account: ACCOUNTS.main, market: "BTC", side: "sell", size: "0.01", price: "60000", reduce_only: true };
  const reducing = { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "readiness-reduces", body };
  expect((await rig.ask(reducing)).status).toBe(201);
  expect(rig.sent).toHaveLength(sent + 1);
});

test("writes that fail are seen without an order, and so is room that was made", async () => {
  const rig = openDialled();
  expect((await readiness(rig)).status).toBe(200);
  const heal = breakCommits(rig, "SQLITE_FULL");
  await rig.clock.advance(5_000);
  expect((await readiness(rig)).message).toContain("disk_full");
  heal();
  await rig.clock.advance(250);
  expect((await readiness(rig)).status).toBe(200);
  expect((await placed(rig, ACCOUNTS.main, KEYS.both)).status).toBe(201);
});

test("another program's lock is none of it for two seconds, in which an order waits for it", async () => {
  const rig = openDialled();
  breakCommits(rig, "SQLITE_BUSY");
  expect((await readiness(rig)).status).toBe(200);
  await rig.clock.advance(2_000);
  expect((await readiness(rig)).message).toContain("storage_failing");
});

describe("accounts are told apart", () => {
  const STRANGERS = "9a4bce96-ad4c-4d7f-9a99-4cbf5f6e8ad4";
  const STRANGERS_KEY = `api_trade_${"e5".repeat(32)}`;

  /** One more account, whose owner has approved no agent. */
  function withStranger(hasKey: boolean): Dialled {
    const rig = openDialled();
    insertAccount(rig.deps.store, {
      id: STRANGERS,
      label: "Secret strategy",
      kind: "main",
      parentId: null,
      createdAtMs: START_MS + 1,
      ownerAddress: STRANGER.address.toLowerCase(),
      tradingAddress: STRANGER.address.toLowerCase(),
    });
    const scopes = [hasKey ? "trading:write" : "trading:read"] as const;
    const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
    insertApiKey(rig.deps.store, { keyHash: keyHash(STRANGERS_KEY), accountId: STRANGERS, scopes, ...times });
    return rig;
  }

  test("one that has no agent is named by its place, without a name, and the other trades", async () => {
    const rig = withStranger(true);
    const { status, message } = await readiness(rig);
    expect(status).toBe(503);
    expect(message).toBe(`Orders are not taken: account 5 of 5: no_agent (${OBSTACLES.no_agent}).`);
    for (const name of ["Secret", STRANGERS, AGENT_ADDRESS, STRANGER.address.toLowerCase()]) {
      expect(message).not.toContain(name);
    }
    expect((await placed(rig, ACCOUNTS.main, KEYS.both)).status).toBe(201);
    expect((await placed(rig, STRANGERS, STRANGERS_KEY)).code).toBe("agent_not_approved");
  });

  test("one that nobody can place an order for does not count", async () => {
    expect((await readiness(withStranger(false))).body).toMatchObject({ status: "ready", accounts: 2 });
    const revoked = withStranger(true);
    const revocation = { accountId: STRANGERS, keyHash: keyHash(STRANGERS_KEY), revokedAtMs: START_MS };
    revokeApiKey(revoked.deps.store, { ...revocation, audience: "", signature: "" });
    expect((await readiness(revoked)).status).toBe(200);
    const blocked = withStranger(true);
    setKeyState(blocked.deps.store, keyHash(STRANGERS_KEY), "blocked", START_MS);
    expect((await readiness(blocked)).status).toBe(200);
  });

  test("while no key may write, all count that a key can be made for", async () => {
    const rig = withStranger(true);
    writeBehind(rig.deps.store, "UPDATE api_keys SET state = 'blocked'");
    expect((await readiness(rig)).message).toContain("account 5 of 5: no_agent");
    writeBehind(rig.deps.store, `DELETE FROM api_keys WHERE account_id = '${STRANGERS}'`);
    writeBehind(rig.deps.store, `DELETE FROM accounts WHERE id = '${STRANGERS}'`);
    expect((await readiness(rig)).body).toMatchObject({ status: "ready", accounts: 3 });
  });

  test("without any account it says so", async () => {
    const rig = openDialled();
    writeBehind(rig.deps.store, "DELETE FROM api_keys");
    writeBehind(rig.deps.store, "DELETE FROM accounts");
    expect((await readiness(rig)).message).toContain("not_set_up");
  });

  test("after a restore each waits for itself", async () => {
    const rig = openDialled();
    markRestored(rig.deps.store, START_MS);
    writeBehind(rig.deps.store, "UPDATE api_keys SET state = 'active'");
    writeBehind(rig.deps.store, "UPDATE agents SET state = 'approved'");
    expect((await readiness(rig)).message).toContain("restoring");
    expect(await placed(rig, ACCOUNTS.main, KEYS.both)).toEqual({ status: 503, code: "not_ready" });
    markTakenUp(rig.deps.store, ACCOUNTS.main, { takenUpAtMs: START_MS, readToMs: START_MS });
    const { message } = await readiness(rig);
    expect(message).toMatch(/^Orders are not taken: account [1-5] of 4: restoring \([^;]*\)\.$/);
    expect((await placed(rig, ACCOUNTS.main, KEYS.both)).status).toBe(201);
  });
});

test("after a write that was refused the room is looked at anew, though a smaller one has gone through since", async () => {
  const rig = openDialled();
  expect((await readiness(rig)).status).toBe(200);
  rig.dials.freeBytes = 0;
  const { store } = rig.deps;
  noteRefusedWrite(store, Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }));
  inTransaction(store, () => store.$client.run("UPDATE instance SET id = id"));
  expect((await readiness(rig)).message).toContain("disk_full");
});
