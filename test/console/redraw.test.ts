/** The page is drawn again and again; what it asks the gateway for, it asks because of time or of a person. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Step = (app: object, state: Record<string, unknown>, more?: object) => unknown;
type Steps = { proofStep: Step; ownerStep: Step; emptyState: (nowMs: number) => Record<string, unknown> };
const modules = ["setup/proof-step.ts", "setup/owner-step.ts", "state/state.ts"].map(
  (path) => import(join(CONSOLE, path)),
);
const { proofStep, ownerStep, emptyState } = Object.assign({}, ...(await Promise.all(modules))) as Steps;

const realFetch = globalThis.fetch;
const asked: string[] = [];
afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
});

/** The gateway answers each path as told; what is not told fails with 503. */
function answering(answers: Readonly<Record<string, unknown>>): void {
  const fake = async (path: string) => {
    asked.push(path);
    const body = answers[path];
    if (body !== undefined) return Response.json(body);
    return Response.json({ error: { code: "exchange_unavailable", message: "No exchange." } }, { status: 503 });
  };
  // The page asks with a path and options, and nothing else.
  globalThis.fetch = fake as unknown as typeof fetch;
}

const KEY = {
  apiKey: `api_trade_${"ab".repeat(32)}`,
  grant: { account: "a", keyHash: "h", scopes: ["trading:read", "trading:write"], issuedAtMs: 0 },
  isRegistered: true,
  isTaken: true,
};
const SETUP = { step: "finish", is_real_money: false, account: null, builder: null };

type Stage = {
  app: { state: Record<string, unknown> };
  state: Record<string, unknown>;
  pauses: number[];
  pass(): Promise<void>;
};

/** Sleeps end when `pass` is called. */
function openStage(): Stage {
  const pauses: number[] = [];
  let wake: () => void = () => undefined;
  const state = { token: "t", setup: SETUP, isBusy: false, failure: null, address: "", view: null };
  const app = {
    state: { ...emptyState(0), setup: state },
    sessionStorage: storage(),
    localStorage: storage(),
    nowMs: () => 0,
    sleep: (ms: number) => {
      pauses.push(ms);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    randomBytes: (length: number) => new Uint8Array(length),
    changed: () => undefined,
  };
  const pass = async () => {
    wake();
    await settled();
  };
  return { app, state, pauses, pass };
}

function storage() {
  return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined, length: 0, key: () => null };
}

function settled(): Promise<void> {
  return Bun.sleep(5);
}

/** Everything that a drawing says, and its buttons by their words. */
function look(drawing: unknown): { text: string; buttons: Map<string, () => void> } {
  const buttons = new Map<string, () => void>();
  function walk(part: unknown): string {
    if (Array.isArray(part)) return part.map(walk).join(" ");
    if (typeof part !== "object" || part === null || !("strings" in part)) return typeof part === "string" ? part : "";
    // Made by lit's `html`.
    const { strings, values } = part as { strings: readonly string[]; values: readonly unknown[] };
    for (const [index, value] of values.entries()) {
      const label = /^[^<]*>([^<]+)<\/button>/.exec(strings[index + 1] ?? "")?.[1];
      if (typeof value === "function" && label !== undefined) buttons.set(label, value as () => void);
    }
    return strings.map((text, index) => text + walk(values[index])).join("");
  }
  return { text: walk(drawing), buttons };
}

test("a price that cannot be read is asked for again with longer pauses, however often the page is drawn", async () => {
  answering({ "/v1/whoami": { account: "a" }, "/v1/markets": { data: [] } });
  const { app, state, pauses, pass } = openStage();
  const draw = async () => {
    for (let frame = 0; frame < 60; frame += 1) proofStep(app, state, { setup: SETUP, key: KEY });
    await settled();
    return look(proofStep(app, state, { setup: SETUP, key: KEY }));
  };
  const prices = () => asked.filter((path) => path === "/v1/prices").length;
  app.state["session"] = { apiKey: KEY.apiKey, me: { account: "a" } };
  const first = await draw();
  expect(first.text).toContain("The price could not be read: No exchange.");
  expect(prices()).toBe(1);
  await draw();
  expect(prices()).toBe(1);
  for (const [asks, pauseMs] of [
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
    [5, 30_000],
    [6, 30_000],
  ] as const) {
    await pass();
    await draw();
    expect([prices(), pauses.at(-1)]).toEqual([asks, pauseMs]);
  }
  (await draw()).buttons.get("Try again now")?.();
  await settled();
  expect(prices()).toBe(7);
  expect(pauses.at(-1)).toBe(2_000);
  expect((await draw()).buttons.has("Finish without it")).toBe(true);
});

test("an address that cannot be looked up is asked for once, however often the page is drawn", async () => {
  answering({});
  const { app, state } = openStage();
  state["address"] = `0x${"12".repeat(20)}`;
  for (let round = 0; round < 3; round += 1) {
    for (let frame = 0; frame < 60; frame += 1) ownerStep(app, state);
    await settled();
  }
  expect(asked).toHaveLength(1);
  expect(state["failure"]).toContain("No exchange.");
});
