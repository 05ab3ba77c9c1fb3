import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { ApiError } from "../../src/core/errors.ts";
import { storeApproval } from "../../src/ops/approve-agent.ts";
import { claimSetup, isSetUp, newSetupLink, requireSession } from "../../src/ops/set-up/tokens.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { listSetupTokens, putSetupProgress } from "../../src/store/setup.ts";
import { NOW_MS, type Rig, withOperator } from "./operator.ts";

const MINUTE_MS = 60_000;
const SESSION = `setup_${"5e".repeat(32)}`;
const OTHER = `setup_${"6f".repeat(32)}`;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}

function claim({ operator }: Rig, token: string, session = SESSION): string {
  return codeOf(() => claimSetup(operator, `Bearer ${token}`, hashOf(session)));
}

function use({ operator }: Rig, token = SESSION): string {
  return codeOf(() => requireSession(operator, `Bearer ${token}`));
}

function registerKey({ operator, account }: Rig): void {
  const key = { keyHash: "ab".repeat(32), accountId: account.id, scopes: ["trading:read"] as const };
  insertApiKey(operator.store, { ...key, issuedAtMs: NOW_MS, registeredAtMs: NOW_MS });
}

async function withRig(work: (rig: Rig) => void): Promise<void> {
  await withOperator({ sends: [], infos: {} }, async (rig) => work(rig));
}

test("a link is traded once, also where the answer was lost, and never for two sessions", async () => {
  await withRig((rig) => {
    const { token } = newSetupLink(rig.operator);
    expect(claim(rig, token)).toBe("none");
    expect(claim(rig, token)).toBe("none");
    expect(claim(rig, token, OTHER)).toBe("invalid_setup_token");
    expect([use(rig), use(rig, OTHER)]).toEqual(["none", "invalid_setup_token"]);
  });
});

test("a link opens nothing itself, and a session trades nothing", async () => {
  await withRig((rig) => {
    const { token } = newSetupLink(rig.operator);
    expect(use(rig, token)).toBe("invalid_setup_token");
    claim(rig, token);
    expect(claim(rig, SESSION, OTHER)).toBe("invalid_setup_token");
    const second = newSetupLink(rig.operator).token;
    expect(claim(rig, second, SESSION)).toBe("invalid_setup_token");
  });
});

test("a link is dead after 30 minutes, a session after 30 minutes without a question", async () => {
  await withRig((rig) => {
    const [first, second] = [newSetupLink(rig.operator).token, newSetupLink(rig.operator).token];
    rig.pass(30 * MINUTE_MS - 1);
    expect(claim(rig, first)).toBe("none");
    rig.pass(1);
    expect(claim(rig, second, OTHER)).toBe("invalid_setup_token");
    for (let step = 0; step < 5; step += 1) {
      rig.pass(29 * MINUTE_MS);
      expect(use(rig)).toBe("none");
    }
    rig.pass(30 * MINUTE_MS);
    expect(use(rig)).toBe("invalid_setup_token");
    expect(claim(rig, first)).toBe("invalid_setup_token");
  });
});

const WRONG: [string, string | null][] = [
  ["none", null],
  ["no scheme", SESSION],
  ["an API key", `Bearer api_trade_${"5e".repeat(32)}`],
  ["upper case", `Bearer ${SESSION.toUpperCase()}`],
  ["two of them", `Bearer ${SESSION}, Bearer ${SESSION}`],
  ["half of it", `Bearer ${SESSION.slice(0, 40)}`],
  ["its hash", `Bearer setup_${hashOf(SESSION)}`],
];

test("a header with anything but one token opens nothing", async () => {
  await withRig((rig) => {
    claim(rig, newSetupLink(rig.operator).token);
    for (const [what, header] of WRONG) {
      const codes = [
        codeOf(() => requireSession(rig.operator, header)),
        codeOf(() => claimSetup(rig.operator, header, hashOf(OTHER))),
      ];
      expect([what, ...codes]).toEqual([what, "invalid_setup_token", "invalid_setup_token"]);
    }
  });
});

test("the database holds no token", async () => {
  await withRig((rig) => {
    const { token } = newSetupLink(rig.operator);
    claim(rig, token);
    const stored = JSON.stringify(listSetupTokens(rig.operator.store));
    for (const secret of [token, SESSION]) expect(stored).not.toContain(secret.slice("setup_".length));
    expect(stored).toContain(hashOf(SESSION));
  });
});

test("it is done when the page says so, for good", async () => {
  await withRig((rig) => {
    const spare = newSetupLink(rig.operator).token;
    claim(rig, newSetupLink(rig.operator).token);
    putSetupProgress(rig.operator.store, { finishedAtMs: NOW_MS });
    expect([use(rig), claim(rig, spare, OTHER)]).toEqual(["setup_done", "setup_done"]);
    expect(() => newSetupLink(rig.operator)).toThrow("set up already");
  });
});

test("it is done when all was done by the command line, but not under the hands of a page", async () => {
  await withRig((rig) => {
    const { store } = rig.operator;
    const link = newSetupLink(rig.operator).token;
    registerKey(rig);
    expect(isSetUp(store, NOW_MS)).toBe(false);
    expect(claim(rig, link)).toBe("none");
    storeApproval(rig.operator, rig.agent, null);
    expect(isSetUp(store, NOW_MS)).toBe(false);
    expect(use(rig)).toBe("none");
    rig.pass(31 * MINUTE_MS);
    expect(use(rig)).toBe("setup_done");
    expect(() => newSetupLink(rig.operator)).toThrow("set up already");
  });
});

test("links are few at a time", async () => {
  await withRig((rig) => {
    for (let count = 0; count < 32; count += 1) newSetupLink(rig.operator);
    expect(() => newSetupLink(rig.operator)).toThrow("too many links");
    rig.pass(30 * MINUTE_MS + 1);
    expect(newSetupLink(rig.operator).token).toMatch(/^setup_[0-9a-f]{64}$/);
  });
});
