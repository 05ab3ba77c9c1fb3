import { afterEach, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpTransport } from "@nktkas/hyperliquid";
import { stateText } from "../../src/paper/state-text.ts";
import { type Served, serve } from "./support.ts";

const directories: string[] = [];
const served: Served[] = [];

function fresh(): string {
  const directory = mkdtempSync(join(tmpdir(), "paper-journal-"));
  directories.push(directory);
  return directory;
}

function open(dataDirectory: string | null, nowMs?: number, hasMarketMaker = true): Served {
  const clock = nowMs === undefined ? {} : { nowMs: () => nowMs };
  const started = serve({ dataDirectory, hasMarketMaker, ...clock });
  served.push(started);
  return started;
}

afterEach(async () => {
  for (const one of served.splice(0)) await one.server.stop();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

/** A little of everything that changes the state, with time passing. */
async function trade(started: Served): Promise<void> {
  const { client } = started;
  const limit = { limit: { tif: "Gtc" } } as const;
  await client.order({ orders: [{ a: 0, b: true, p: "97000", s: "0.01", r: false, t: limit }], grouping: "na" });
  await client.order({ orders: [{ a: 1, b: true, p: "2900", s: "0.5", r: false, t: limit }], grouping: "na" });
  started.pass(2_500);
  await client.order({ orders: [{ a: 10_107, b: false, p: "36", s: "3", r: false, t: limit }], grouping: "na" });
  await client.updateIsolatedMargin({ asset: 0, isBuy: true, ntli: 1 }).catch(() => {});
  await client.twapOrder({ twap: { a: 0, b: true, s: "0.02", r: false, m: 5, t: true } });
  started.pass(63_000);
  await client.updateLeverage({ asset: 5, isCross: false, leverage: 3 });
  started.paper.setPrice("SOL", 17_000_000_000n);
}

function lines(directory: string): string[] {
  const name = readdirSync(directory).find((file) => file.startsWith("journal-")) ?? "";
  return readFileSync(join(directory, name), "utf8").trimEnd().split("\n");
}

describe("a data directory", () => {
  test("gives back the same state after a death without warning", async () => {
    const directory = fresh();
    const before = open(directory);
    await trade(before);
    // Nothing is closed or flushed: what was answered has to be there already.
    const after = open(directory, before.nowMs);
    expect(stateText(after.paper.venue)).toBe(stateText(before.paper.venue));
  });

  test("is taken up again and again, and goes on from there", async () => {
    const directory = fresh();
    await trade(open(directory));
    const second = open(directory);
    second.pass(200_000);
    await second.client.cancel({
      cancels: [{ a: 1, o: (await second.infoClient.openOrders({ user: second.owner.address }))[0]?.oid ?? 0 }],
    });
    const third = open(directory, second.nowMs);
    expect(await third.infoClient.openOrders({ user: third.owner.address })).toEqual([]);
    expect(stateText(third.paper.venue)).toBe(stateText(second.paper.venue));
  });

  test("leaves out a line that was cut off in the middle", async () => {
    const directory = fresh();
    const before = open(directory);
    await trade(before);
    const name = readdirSync(directory).find((file) => file.startsWith("journal-")) ?? "";
    appendFileSync(join(directory, name), '{"kind":"action","input":{"action":{"type":"no');
    expect(stateText(open(directory, before.nowMs).paper.venue)).toBe(stateText(before.paper.venue));
  });

  test("refuses a journal with damage in the middle", async () => {
    const directory = fresh();
    const before = open(directory);
    await trade(before);
    const name = readdirSync(directory).find((file) => file.startsWith("journal-")) ?? "";
    appendFileSync(join(directory, name), 'rubbish\n{"kind":"tick","atMs":1}\n');
    expect(() => open(directory)).toThrow(/journal: line [0-9]+ cannot be read/);
  });

  test("holds no signature", async () => {
    const directory = fresh();
    const started = open(directory);
    const seen: string[] = [];
    const watch = new HttpTransport({ apiUrl: started.server.url });
    const request = watch.request.bind(watch);
    started.client.config_.transport = Object.assign(watch, {
      request: (endpoint: "exchange", payload: { signature?: { r: string; s: string } }) => {
        if (payload.signature !== undefined) seen.push(payload.signature.r.slice(2), payload.signature.s.slice(2));
        return request(endpoint, payload);
      },
    });
    await trade(started);
    const text = readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), "utf8"))
      .join("\n");
    expect(seen.length).toBeGreaterThan(8);
    expect(lines(directory).length).toBeGreaterThan(60);
    for (const half of seen) expect(text).not.toContain(half);
    expect(text).not.toContain('"signature"');
  });

  test("keeps one pair of files, however long it runs", async () => {
    const directory = fresh();
    const started = open(directory, undefined, false);
    for (let half = 0; half < 8; half += 1) started.pass(1_800_000);
    expect(readdirSync(directory).sort()).toEqual(["journal-3.jsonl", "snapshot-3.json"]);
    expect(stateText(open(directory, started.nowMs, false).paper.venue)).toBe(stateText(started.paper.venue));
  });
});

describe("a run", () => {
  test("is the same to the byte with the same seed, actions and times", async () => {
    const [one, two, other] = [open(null), open(null), serve({ seed: 2 })];
    served.push(other);
    for (const started of [one, two, other]) await trade(started);
    expect(stateText(two.paper.venue)).toBe(stateText(one.paper.venue));
    expect(stateText(other.paper.venue)).not.toBe(stateText(one.paper.venue));
  });

  test("does not depend on how often somebody looks", async () => {
    const [one, two] = [open(null), open(null)];
    for (let second = 0; second < 30; second += 1) {
      two.pass(1_000);
      await two.infoClient.allMids();
    }
    one.pass(30_000);
    expect(stateText(two.paper.venue)).toBe(stateText(one.paper.venue));
  });
});
