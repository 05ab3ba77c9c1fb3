import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Intention, pursue } from "../../src/console/api/intentions.ts";

type Reply = Response | "lost";
type Seen = { key: string | null; body: string };

let seen: Seen[] = [];
let replies: Reply[] = [];
const realFetch = globalThis.fetch;

beforeEach(() => {
  [seen, replies] = [[], []];
  const scripted = async (_path: unknown, init: RequestInit = {}) => {
    seen.push({ key: new Headers(init.headers).get("Idempotency-Key"), body: String(init.body) });
    const reply = replies.shift() ?? "lost";
    if (reply === "lost") throw new TypeError("network");
    return reply;
  };
  globalThis.fetch = Object.assign(scripted, { preconnect: realFetch.preconnect });
});

afterEach(() => {
  globalThis.fetch = realFetch;
});

function wish(): Intention {
  return {
    key: "page-0001",
    path: "/v1/orders",
    body: '{"size":"1"}',
    words: "buy",
    createdAtMs: 0,
    state: "sending",
    mayHaveHappened: false,
    reason: null,
  };
}

function refusal(status: number, code: string, retryAfterS: number | null = null): Response {
  const headers: Record<string, string> = retryAfterS === null ? {} : { "Retry-After": String(retryAfterS) };
  return Response.json({ error: { type: "t", code, message: `${code}.` } }, { status, headers });
}

async function follow(intention: Intention, isWanted: () => boolean = () => true) {
  let nowMs = 0;
  const pauses: number[] = [];
  const outcome = await pursue(intention, {
    bearer: "k",
    nowMs: () => nowMs,
    sleep: async (ms) => {
      pauses.push(ms);
      nowMs += ms;
    },
    changed: () => undefined,
    isWanted,
  });
  return { outcome, pauses };
}

function placed(): Response {
  return Response.json({ object: "order", status: "open" }, { status: 201 });
}

test("every repeat carries the same key and the same bytes", async () => {
  replies = ["lost", refusal(503, "not_ready", 2), refusal(429, "rate_limited", 3), placed()];
  const { outcome, pauses } = await follow(wish());
  expect(outcome).toMatchObject({ kind: "done", status: 201 });
  expect(seen).toEqual(Array.from({ length: 4 }, () => ({ key: "page-0001", body: '{"size":"1"}' })));
  expect(pauses.slice(1)).toEqual([2_000, 3_000]);
});

test("an answer that is known ends it: nothing is asked twice", async () => {
  replies = [Response.json({ object: "order", status: "unknown" }, { status: 202 })];
  expect((await follow(wish())).outcome).toMatchObject({ kind: "done", status: 202 });
  expect(seen).toHaveLength(1);
});

test.each([
  [400, "invalid_parameter"],
  [401, "revoked_api_key"],
  [403, "insufficient_scope"],
  [503, "exchange_unreachable"],
])("%d %s sent nothing, so it is an end where nothing went before", async (status, code) => {
  replies = [refusal(status, code)];
  expect((await follow(wish())).outcome).toMatchObject({ kind: "refused", code });
});

test.each([
  [401, "revoked_api_key"],
  [403, "insufficient_scope"],
  [503, "exchange_unreachable"],
])("behind a lost answer %d %s is none: it may have happened", async (status, code) => {
  const intention = wish();
  replies = ["lost", ...Array.from({ length: 20 }, () => refusal(status, code))];
  expect((await follow(intention)).outcome).toBeNull();
  expect(intention).toMatchObject({ state: "unsure", mayHaveHappened: true });
});

test("it stops by itself and leaves the question to a person", async () => {
  const intention = wish();
  const { outcome } = await follow(intention);
  expect(outcome).toBeNull();
  expect(seen.length).toBeLessThanOrEqual(8);
  expect(intention.state).toBe("unsure");
});

test("nothing is repeated once another window has heard the answer, or somebody has put it aside", async () => {
  replies = ["lost", placed()];
  let asked = 0;
  const { outcome } = await follow(wish(), () => {
    asked += 1;
    return asked === 1;
  });
  expect(outcome).toBeNull();
  expect(replies).toHaveLength(1);
});
