/** The gateway as a process, when its database or its life is taken away: what it says, what it sends, how it recovers. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { FaultFile } from "../../src/paper/faults.ts";
import { PROGRAM_COMMAND } from "../support/program.ts";
import { ask, type Client } from "./clients.ts";
import { compareNow, compareSettled, readRows } from "./compare.ts";
import { readExchange } from "./exchange-log.ts";
import { type Started, start, waitUntilReady } from "./processes.ts";
import { type Scene, setScene } from "./scene.ts";
import { orderMark, type Wish } from "./wishes.ts";

/** What happens to the orders that arrive, by their number: one scene serves all tests, in their order. */
const RULES: FaultFile["rules"] = [
  { on: "exchange", type: "order", skip: 2, times: 1, fault: { kind: "delay", ms: 400, executed: true } },
  { on: "exchange", type: "order", skip: 3, times: 1, fault: { kind: "lose_answer", executed: true } },
];

let scene: Scene;
const gateways: Started[] = [];
const wishes: Wish[] = [];

beforeAll(async () => {
  scene = await setScene({ executable: PROGRAM_COMMAND, faults: { rules: RULES } });
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.kill()));
  await scene.close();
});

type Served = Started & { client: Client };

/** A gateway, once the one before it has ended. */
async function serve(environment: Record<string, string> = {}): Promise<Served> {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.kill()));
  const gateway = await start(scene.serve(PROGRAM_COMMAND, environment));
  if ("endedEarly" in gateway) throw new Error(gateway.endedEarly);
  gateways.push(gateway);
  expect(await waitUntilReady(gateway)).toBe(true);
  return { ...gateway, client: clientOf(gateway) };
}

function clientOf(gateway: Started | undefined): Client {
  return { baseUrl: gateway?.facts["base_url"] ?? "", apiKey: scene.apiKey };
}

const NOTHING_YET = { target: null, lost: 0 };

/** The next order of the scene. */
function wish(key: string): Wish {
  const price = String(40_000 + wishes.length);
  const body = { account: scene.account, market: "BTC", side: "buy", size: "0.002", price };
  const made: Wish = {
    key,
    kind: "place",
    path: "/v1/orders",
    body,
    mark: orderMark(price),
    ...NOTHING_YET,
    heard: [],
  };
  wishes.push(made);
  return made;
}

function codeOf(wished: Wish): string | undefined {
  return JSON.parse(wished.heard.at(-1)?.body ?? "{}").error?.code;
}

/** Orders at the exchange, and all that is wrong between its log, the database and what clients were told so far. */
async function compare(client: Client) {
  const log = await readExchange(scene);
  const rows = readRows(scene.dataDirectory);
  const findings = [...compareNow(wishes, log, rows), ...(await compareSettled(client, wishes, log, rows))];
  return { orders: log.orders.size, findings };
}

/** The exchange has the newest order. That it is stored does not say that it is sent: where it is not, there is nothing to find out. */
async function untilTaken(): Promise<void> {
  while ((await readExchange(scene)).orders.size < wishes.length) await Bun.sleep(10);
}

test("a second process on the same data directory says who has it and ends; the first goes on", async () => {
  const { client, pid } = await serve();
  const second = await start(scene.serve(PROGRAM_COMMAND));
  expect(second).toEqual({ endedEarly: expect.stringContaining(`is in use by process ${pid}`), exitCode: 1 });
  expect((await ask(client, wish("still-here-1")))?.status).toBe(201);
});

test("a database that another process has locked: 503, nothing sent, and the same key places once it is free", async () => {
  const client = clientOf(gateways[0]);
  const other = new Database(join(scene.dataDirectory, "postern.db"));
  // The gateway may be in the middle of a write of its own.
  other.run("PRAGMA busy_timeout = 5000");
  other.run("BEGIN IMMEDIATE");
  const order = wish("locked-out-1");
  let isAnswered = false;
  const asked = ask(client, order).then(() => {
    isAnswered = true;
  });
  // Nobody else stands still meanwhile.
  for (let number = 0; number < 10; number += 1) {
    expect([(await fetch(`${client.baseUrl}/healthz`)).status, isAnswered]).toEqual([200, false]);
    await Bun.sleep(50);
  }
  await asked;
  expect([order.heard.at(-1)?.status, codeOf(order)]).toEqual([503, "storage_unavailable"]);
  expect((await readExchange(scene)).orders.size).toBe(wishes.length - 1);
  other.run("ROLLBACK");
  other.close();
  expect((await ask(client, order))?.status).toBe(201);
  expect(await compare(client)).toEqual({ orders: wishes.length, findings: [] });
});

test("asked to stop, it finishes what is in flight, answers it and exits with 0", async () => {
  const first = await serve({ POSTERN_ANSWER_DEADLINE_MS: "5000" });
  const order = wish("in-flight-1");
  const asked = ask(first.client, order);
  await untilTaken();
  expect(await first.kill("SIGTERM")).toBe(0);
  expect((await asked)?.status).toBe(201);
  const second = await serve();
  await ask(second.client, order);
  expect(await compare(second.client)).toEqual({ orders: wishes.length, findings: [] });
});

test("asked to stop while an answer is lost, it exits in bounded time and the next start finds out", async () => {
  const first = await serve({ POSTERN_ANSWER_DEADLINE_MS: "500" });
  const order = wish("lost-answer-1");
  const asked = ask(first.client, order);
  await untilTaken();
  const startedMs = performance.now();
  expect(await first.kill("SIGTERM")).toBe(0);
  // The answer deadline of half a second is the bound; the rest is what a busy machine adds.
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  // 201 where a look has already found it.
  expect([201, 202]).toContain((await asked)?.status ?? 0);
  const second = await serve();
  for (let look = 0; look < 100 && order.heard.at(-1)?.status === 202; look += 1) {
    await ask(second.client, order);
    await Bun.sleep(100);
  }
  expect(await compare(second.client)).toEqual({ orders: wishes.length, findings: [] });
});
