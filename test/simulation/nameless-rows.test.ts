/** Lists whose rows lack the client order id for a while: an order that may be ours is not missing there. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

type Row = { order?: object };

const LISTS = ["frontendOpenOrders", "historicalOrders", "userFillsByTime"];

function nameless(rows: readonly Row[]): Row[] {
  return rows.map((row) =>
    row.order === undefined ? { ...row, cloid: null } : { ...row, order: { ...row.order, cloid: null } },
  );
}

test.each([
  ["one that is there, and may be ours (seed 811019)", true, "unknown", "open"],
  ["one of others, at another price: ours never came, and that is told", false, "rejected", "rejected"],
])("%s", async (_name, isArriving, early, later) => {
  const s = await scene();
  let areNamesLeftOut = true;
  s.seeThrough(({ type }, answer) => {
    if (!areNamesLeftOut) return answer;
    if (type === "orderStatus") return { status: "unknownOid" };
    return LISTS.includes(type) ? nameless(answer as Row[]) : answer;
  });
  s.setFate(({ path }) =>
    path === "/exchange" ? { arrivesAfterMs: isArriving ? [5] : [], answer: { kind: "silence" } } : directly(5),
  );
  const ask = limit("sell", 95_217, "0.05207");
  s.ask("nameless", ask);
  await s.pass(20);
  s.setFate(() => directly(5));
  const placeElsewhere = (p: string) => {
    const orders = [{ a: 0, b: false, p, s: "0.05207", r: false, t: { limit: { tif: "Gtc" } } }];
    const action = { type: "order", orders, grouping: "na", builder: null };
    s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
  };
  placeElsewhere("95300");
  await s.pass(40_000);
  // What is newer than the end of the action stands in each list now.
  placeElsewhere("99000");
  await s.pass(60_000);
  expect(shown(await s.tell("nameless", ask)).status).toBe(early);
  areNamesLeftOut = false;
  await s.pass(60_000);
  expect(shown(await s.tell(null, { kind: "get", id: shown(await s.tell("nameless", ask)).id })).status).toBe(later);
});
