/** The gateway as a process, when its database or its life is taken away: what it says, what it sends, how it recovers. */
import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { FaultFile } from "../../src/paper/faults.ts";
import { ask, type Client, type Wish } from "./clients.ts";
import { compareNow, compareSettled, readRows } from "./compare.ts";
import { readExchange } from "./exchange-log.ts";
import { type Started, start, waitUntilReady } from "./processes.ts";
import { type Executable, type Scene, setScene } from "./scene.ts";

const FROM_SOURCE: Executable = [process.execPath, join(import.meta.dir, "../../src/main.ts")];
/** Set-up, a start and the waits of one test, milliseconds. */
const TEST_DEADLINE_MS = 60_000;

const scenes: Scene[] = [];
const gateways: Started[] = [];

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()));
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

async function openScene(rules: FaultFile["rules"] = []): Promise<Scene> {
  const scene = await setScene({ executable: FROM_SOURCE, faults: { rules } });
  scenes.push(scene);
  return scene;
}

async function serve(scene: Scene, environment: Record<string, string> = {}): Promise<Started & { client: Client }> {
  const gateway = await start(scene.serve(FROM_SOURCE, environment));
  if ("endedEarly" in gateway) throw new Error(gateway.endedEarly);
  gateways.push(gateway);
  expect(await waitUntilReady(gateway)).toBe(true);
  return { ...gateway, client: { baseUrl: gateway.facts["base_url"] ?? "", apiKey: scene.apiKey } };
}

function wish({ account }: Scene, key: string, price: string): Wish {
  const body = { account, market: "BTC", side: "buy", size: "0.002", price };
  return { key, kind: "place", path: "/v1/orders", body, price, target: null, heard: [], lost: 0 };
}

function codeOf(wished: Wish): string | undefined {
  return JSON.parse(wished.heard.at(-1)?.body ?? "{}").error?.code;
}

/** Orders at the exchange, and all that is wrong between its log, the database and what clients were told. */
async function compare(scene: Scene, client: Client, wishes: readonly Wish[]) {
  const log = await readExchange(scene);
  const rows = readRows(scene.dataDirectory);
  const findings = [...compareNow(wishes, log, rows), ...(await compareSettled(client, wishes, log, rows))];
  return { orders: log.orders.size, findings };
}

test(
  "a database that another process has locked: 503, nothing sent, and the same key places once it is free",
  async () => {
    const scene = await openScene();
    const { client } = await serve(scene);
    const other = new Database(join(scene.dataDirectory, "postern.db"));
    // The gateway may be in the middle of a write of its own.
    other.run("PRAGMA busy_timeout = 5000");
    other.run("BEGIN IMMEDIATE");
    const order = wish(scene, "locked-out-1", "40000");
    await ask(client, order);
    expect([order.heard.at(-1)?.status, codeOf(order)]).toEqual([503, "storage_unavailable"]);
    expect((await readExchange(scene)).orders.size).toBe(0);
    other.run("ROLLBACK");
    other.close();
    expect((await ask(client, order))?.status).toBe(201);
    expect(await compare(scene, client, [order])).toEqual({ orders: 1, findings: [] });
  },
  TEST_DEADLINE_MS,
);

test(
  "a second process on the same data directory says who has it and ends",
  async () => {
    const scene = await openScene();
    const { client, pid } = await serve(scene);
    const second = await start(scene.serve(FROM_SOURCE));
    expect(second).toEqual({ endedEarly: expect.stringContaining(`is in use by process ${pid}`), exitCode: 1 });
    expect((await ask(client, wish(scene, "still-here-1", "40000")))?.status).toBe(201);
  },
  TEST_DEADLINE_MS,
);

test(
  "asked to stop, it finishes what is in flight, answers it and exits with 0",
  async () => {
    const scene = await openScene([
      { on: "exchange", type: "order", times: 1, fault: { kind: "delay", ms: 700, executed: true } },
    ]);
    const first = await serve(scene, { POSTERN_ANSWER_DEADLINE_MS: "5000" });
    const order = wish(scene, "in-flight-1", "40000");
    const asked = ask(first.client, order);
    while (readRows(scene.dataDirectory).attempts.length === 0) await Bun.sleep(10);
    expect(await first.kill("SIGTERM")).toBe(0);
    expect((await asked)?.status).toBe(201);
    const second = await serve(scene);
    await ask(second.client, order);
    expect(await compare(scene, second.client, [order])).toEqual({ orders: 1, findings: [] });
  },
  TEST_DEADLINE_MS,
);

test(
  "asked to stop while an answer is lost, it exits in bounded time and the next start finds out",
  async () => {
    const scene = await openScene([
      { on: "exchange", type: "order", times: 1, fault: { kind: "lose_answer", executed: true } },
    ]);
    const first = await serve(scene);
    const order = wish(scene, "lost-answer-1", "40000");
    const asked = ask(first.client, order);
    while (readRows(scene.dataDirectory).attempts.length === 0) await Bun.sleep(10);
    const startedMs = performance.now();
    expect(await first.kill("SIGTERM")).toBe(0);
    // The answer deadline of 2 s is the bound; the rest is what a busy machine adds.
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    // 201 where a look has already found it.
    expect([201, 202]).toContain((await asked)?.status ?? 0);
    const second = await serve(scene);
    for (let look = 0; look < 100 && order.heard.at(-1)?.status === 202; look += 1) {
      await ask(second.client, order);
      await Bun.sleep(100);
    }
    expect(await compare(scene, second.client, [order])).toEqual({ orders: 1, findings: [] });
  },
  TEST_DEADLINE_MS,
);
