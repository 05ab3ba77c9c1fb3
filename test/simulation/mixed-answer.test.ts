/** A cancel that was answered with the answer to another: what is open is canceled all the same. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../src/paper/answers.ts";
import { executed, limit, liveOrders, type Scene, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";
import type { Venue } from "./venue.ts";

const scene = scenesOfThisFile();

type Row = { order: { oid: number }; status: string };

function recordOf({ venue, party }: Scene, oid: string): Row {
  const request = { type: "historicalOrders", user: party.account.tradingAddress };
  const rows: Row[] = JSON.parse(venue.read(JSON.stringify(request), null).body);
  const row = rows.find(({ order }) => String(order.oid) === oid);
  if (row === undefined) throw new Error(`no record of ${oid}`);
  return row;
}

/** An order of the account that Postern did not place; its native id. */
function placeOutside(s: Scene, price: number): string {
  const orders = [{ a: 0, b: true, p: String(price), s: "0.01", r: false, t: { limit: { tif: "Gtc" } }, c: null }];
  const action = { type: "order", orders, grouping: "na", builder: null };
  // Decimals of these texts are canonical; the brand is the engine's.
  s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<Venue["act"]>[1]);
  return String(Math.max(...liveOrders(s)));
}

test("an order that every store shows open ten minutes after a cancel of it was answered is canceled again", async () => {
  const s = await scene();
  const placed = shown(await s.tell("mixed", limit("buy", 94_000)));
  const execute = s.venue.execute.bind(s.venue);
  let isMixed = false;
  s.venue.execute = (body) => {
    if (isMixed || !body.includes('"type":"cancel"')) return execute(body);
    isMixed = true;
    // The answer to another's cancel; this one is lost on the way.
    return jsonAnswer({ status: "ok", response: { type: "cancel", data: { statuses: ["success"] } } });
  };
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("mixed-cancel", cancel);
  for (let nth = 0; nth < 20; nth += 1) {
    await s.pass(30_000);
    await s.tell(`beside-${nth}`, limit("buy", 93_000));
  }
  expect(isMixed).toBe(true);
  expect(liveOrders(s).map(String)).not.toContain(placed.oid ?? "");
  expect(shown(await s.tell("mixed-cancel", cancel))).toMatchObject({ http: 200, status: "canceled" });
});

test("a list from before a cancel does not open its order again, however long it stands still", async () => {
  const s = await scene();
  const placed = shown(await s.tell("stale", limit("buy", 94_000)));
  const stores = holdStores(s);
  for (const type of ["frontendOpenOrders", "orderStatus", "historicalOrders"]) stores.stop(type);
  s.ask("stale-cancel", { kind: "cancel", id: placed.id });
  await s.pass(120_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).not.toBe("open");
  expect(executed(s, "cancel")).toHaveLength(1);
});

test("the record of another does not say when what an always_place modify replaced was gone", async () => {
  const s = await scene();
  const older = shown(await s.tell("older", limit("buy", 93_000)));
  await s.tell("older-cancel", { kind: "cancel", id: older.id });
  const placed = shown(await s.tell("replaced", limit("buy", 94_000)));
  const record = recordOf(s, older.oid ?? "");
  let left = 3;
  s.seeThrough((request, answer) => {
    if (request.type !== "orderStatus" || String(request["oid"]) !== placed.oid || left === 0) return answer;
    left -= 1;
    return { status: "order", order: record };
  });
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: true };
  const answers = [await s.tell("replaced-modify", modify)];
  await s.pass(60_000);
  answers.push(await s.tell("replaced-modify", modify), await s.tell(null, { kind: "get", id: placed.id }));
  expect(left).toBe(0);
  expect(s.takeErrors()).toEqual([expect.stringContaining("instead of")]);
  const [live] = liveOrders(s).map(String);
  for (const answer of answers.slice(1))
    expect(shown(answer)).toMatchObject({ id: placed.id, status: "open", oid: live });
});

test("an order that is not ours is never told by the record of another", async () => {
  const s = await scene();
  const [one, other] = [placeOutside(s, 91_000), placeOutside(s, 92_000)];
  const record = recordOf(s, other);
  let isMixed = true;
  s.seeThrough((request, answer) =>
    isMixed && request.type === "orderStatus" ? { status: "order", order: record } : answer,
  );
  const ask = () => s.tell(null, { kind: "get", id: one });
  expect(await ask()).toMatchObject({ status: 503 });
  isMixed = false;
  await s.pass(5_000);
  expect(shown(await ask())).toMatchObject({ http: 200, oid: one, status: "open" });
});
