/** An account that trades in two dexes, each with a list of open orders of its own. */
import { expect, test } from "bun:test";
import { limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import type { Snapshot } from "./venue.ts";

const scene = scenesOfThisFile();

test("an open order in xyz is not over because the native list is fresh while those of xyz and of records are behind", async () => {
  const s = await scene();
  await s.tell("first-native", limit("buy", 93_000));
  await s.pass(10_000);
  const before: Snapshot = s.venue.snapshot();
  let isBehind = true;
  const read = s.venue.read.bind(s.venue);
  s.venue.read = (body, past, seen) => {
    const isOld = /"orderStatus"|"historicalOrders"/.test(body) || body.includes('"dex":"xyz"');
    return read(body, isBehind && isOld ? before : past, seen);
  };
  const placed = shown(await s.tell("xyz", { ...limit("buy", 390, "0.1"), market: "xyz:TSLA" }));
  expect(placed).toMatchObject({ http: 201, status: "open" });
  let beforeMs = 0;
  for (let nth = 0; nth < 12; nth += 1) {
    await s.pass(10_000);
    await s.tell(`native-${nth}`, limit("buy", 93_000));
    const now = s.rows(`select status from orders where id = '${placed.id}'`)[0]?.["status"];
    if (now === "open") beforeMs += 10_000;
  }
  isBehind = false;
  await s.pass(120_000);
  expect(s.venue.isLive(Number(placed.oid))).toBe(true);
  const told = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect({ ...told, beforeMs }).toMatchObject({ status: "open", beforeMs: 120_000 });
});
