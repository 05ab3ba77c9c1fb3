/** A modify whose answer was lost: what does not prove that it placed nothing. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { limit, liveOrders, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { eachRecord } from "./worlds/lens.ts";

const scene = scenesOfThisFile();
const UNHEARD: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };

test("what a modify placed is not told as never placed because a word that is not listed closed its original", async () => {
  const s = await scene();
  const placed = shown(await s.tell("nothing", limit("buy", 94_000)));
  const isOriginal = (oid: number) => String(oid) === placed.oid;
  let isBehind = true;
  s.seeThrough(
    eachRecord((row) => {
      if (row.status === "canceled" && isOriginal(row.order.oid)) return { ...row, status: "modifyCanceled" };
      return isBehind && !isOriginal(row.order.oid) ? null : row;
    }),
  );
  s.seeThrough((request, answer) => (isBehind && request.type === "frontendOpenOrders" ? [] : answer));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("nothing-modify", modify);
  await s.pass(20_000);
  isBehind = false;
  await s.pass(120_000);
  const [live] = liveOrders(s).map(String);
  expect(live).toBeDefined();
  expect(shown(await s.tell("nothing-modify", modify))).toMatchObject({ id: placed.id, status: "open", oid: live });
});

test("nor because a cancel of its original was answered with the answer to another", async () => {
  const s = await scene();
  const placed = shown(await s.tell("mixed", limit("buy", 94_000)));
  let isBehind = true;
  s.seeThrough(eachRecord((row) => (isBehind && String(row.order.oid) !== placed.oid ? null : row)));
  s.seeThrough((request, answer) => (isBehind && request.type === "frontendOpenOrders" ? [] : answer));
  const execute = s.venue.execute.bind(s.venue);
  s.venue.execute = (body) => {
    const answer = execute(body);
    if (!isBehind || !body.includes('"type":"cancel"')) return answer;
    return { ...answer, body: '{"status":"ok","response":{"type":"cancel","data":{"statuses":["success"]}}}' };
  };
  s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("mixed-modify", modify);
  await s.pass(100);
  s.ask("mixed-cancel", { kind: "cancel", id: placed.id });
  await s.pass(20_000);
  isBehind = false;
  await s.pass(300_000);
  expect(liveOrders(s)).toEqual([]);
});
