import { afterEach, beforeEach, expect, test } from "bun:test";
import { type EventReader, type Received, readEvents } from "../http/event-reader.ts";
import { makeWorkplace, type Workplace } from "./outside.ts";
import { type Running, startProcess } from "./process.ts";

/** A reader of events across kills of the gateway, over real connections. */

let workplace: Workplace;
let gateway: Running | null;

type Facts = { base_url: string; account: string; api_key: string };

beforeEach(() => {
  workplace = makeWorkplace();
  gateway = null;
});

afterEach(async () => {
  await gateway?.end("SIGKILL");
  workplace.remove();
});

async function start(): Promise<Facts> {
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  gateway = await startProcess(["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports]);
  return JSON.parse(gateway.firstLine);
}

async function follow(facts: Facts, lastEventId: string): Promise<EventReader> {
  const headers = { Authorization: `Bearer ${facts.api_key}`, "Last-Event-ID": lastEventId };
  const response = await fetch(`${facts.base_url}/v1/events`, { headers });
  expect(response.status).toBe(200);
  return readEvents(response.body);
}

/** Reads until the stream ends or breaks. */
async function gather(reader: EventReader, into: Received[]): Promise<void> {
  try {
    for (let event = await reader.next(); event !== null; event = await reader.next()) into.push(event);
  } catch {
    // A killed gateway leaves no end of the stream.
  }
}

async function place(facts: Facts, name: string): Promise<unknown> {
  const headers = {
    Authorization: `Bearer ${facts.api_key}`,
    "Content-Type": "application/json",
    "Idempotency-Key": `events-${name}`,
  };
  const order = { account: facts.account, market: "BTC", side: "buy", size: "0.001", price: "105000" };
  const body = JSON.stringify({ ...order, time_in_force: "ioc" });
  try {
    return await (await fetch(`${facts.base_url}/v1/orders`, { method: "POST", headers, body })).json();
  } catch {
    return null;
  }
}

async function historyOf(facts: Facts): Promise<Received[]> {
  const headers = { Authorization: `Bearer ${facts.api_key}` };
  const response = await fetch(`${facts.base_url}/v1/events?after=0&follow=false`, { headers });
  return readEvents(response.body).rest();
}

test("a reader who comes back after each kill has every event once, in order, and the last word on every order", async () => {
  const told: Received[] = [];
  let lastId = "0";
  for (let life = 0; life < 3; life += 1) {
    const facts = await start();
    const reader = await follow(facts, lastId);
    const gathering = gather(reader, told);
    const writing = Array.from({ length: 12 }, (_, index) => place(facts, `${life}-${index}`));
    // In the first lives in the middle of the writes, at the end when all is told.
    if (life < 2) await Promise.race([Promise.all(writing), Bun.sleep(40 + 60 * life)]);
    else await Promise.all(writing);
    if (life === 2) {
      const all = (await historyOf(facts)).filter(({ type }) => type !== "ready");
      const wanted = all.at(-1)?.id;
      while (!told.some(({ id }) => id === wanted)) await Bun.sleep(10);
      const events = told.filter(({ type }) => type !== "ready");
      expect(told.some(({ type }) => type === "reset")).toBe(false);
      const seen = new Set(events.map(({ id }) => id));
      expect(all.filter(({ id }) => !seen.has(id))).toEqual([]);
      const ids = events.map(({ id }) => Number(id));
      expect(ids).toEqual([...ids].sort((one, other) => one - other));
      expect(seen.size).toBe(ids.length);
      const headers = { Authorization: `Bearer ${facts.api_key}` };
      const listed = await (await fetch(`${facts.base_url}/v1/orders?limit=100`, { headers })).text();
      const orders: { id: string; status: string }[] = JSON.parse(listed).data;
      expect(orders.length).toBeGreaterThanOrEqual(12);
      for (const order of orders) {
        const last = all.findLast(({ data }) => (data["data"] as { id?: string }).id === order.id);
        expect(last?.data["data"]).toEqual(order);
      }
    }
    await gateway?.end("SIGKILL");
    await gathering;
    lastId = told.at(-1)?.id ?? lastId;
  }
});

test("a stream ends when the gateway is asked to stop, and does not hold it up", async () => {
  const facts = await start();
  const told: Received[] = [];
  const gathering = gather(await follow(facts, "0"), told);
  const { exitCode, err } = (await gateway?.end("SIGTERM")) ?? { exitCode: null, err: "" };
  await gathering;
  expect(exitCode).toBe(0);
  expect(err).not.toContain("a stream of events failed");
});

test("the page and the stream are answered over a real connection as in a test", async () => {
  const facts = await start();
  const page = await fetch(facts.base_url, { headers: { "Accept-Encoding": "br" }, decompress: false });
  expect([page.status, page.headers.get("content-encoding")]).toEqual([200, "br"]);
  const headers = { Authorization: `Bearer ${facts.api_key}` };
  const response = await fetch(`${facts.base_url}/v1/events`, { headers });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = readEvents(response.body);
  expect(await reader.next()).toMatchObject({ type: "ready" });
  const placed = place(facts, "live");
  const kinds = [await reader.next(), await reader.next()].map((event) => event?.type);
  expect(kinds[0]).toBe("order.created");
  await placed;
  await reader.cancel();
});
