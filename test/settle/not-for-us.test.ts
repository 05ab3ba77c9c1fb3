/** Well-formed answers that are not for us: what names another is not read, and what names nothing is overruled by what does. */
import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { jsonAnswer } from "../../src/paper/answers.ts";
import { limit, liveOrders, type Scene, shown } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import { legRow } from "../support/rows.ts";

const scene = scenesOfThisFile();

/** A refusal that another order got. */
const REFUSED = {
  status: "ok",
  response: { type: "order", data: { statuses: [{ error: "Insufficient margin to place order. asset=0" }] } },
};

/** The next actions of a type are executed, and answered with this. */
function answerOnce(s: Scene, type: string, instead: object): { isDone: boolean } {
  const execute = s.venue.execute.bind(s.venue);
  const once = { isDone: false };
  s.venue.execute = (body) => {
    const answer = execute(body);
    if (once.isDone || !body.includes(`"action":{"type":"${type}"`)) return answer;
    once.isDone = true;
    return jsonAnswer(instead);
  };
  return once;
}

test("an order that rests is told as it is, though it was answered with the refusal of another", async () => {
  const s = await scene();
  answerOnce(s, "order", REFUSED);
  const order = limit("buy", 94_000);
  const first = shown(await s.tell("refused-wrongly", order));
  expect(first).toMatchObject({ http: 201, status: "rejected" });
  expect(liveOrders(s)).toHaveLength(1);
  await s.pass(40_000);
  const now = { http: 201, id: first.id, status: "open", oid: String(liveOrders(s)[0]) };
  expect(shown(await s.tell("refused-wrongly", order))).toMatchObject(now);
  expect(shown(await s.tell(null, { kind: "get", id: first.id }))).toMatchObject({ ...now, http: 200 });
});

test("an order that rests is told as it is, though the empty action on its number was answered with another's word", async () => {
  const s = await scene();
  const execute = s.venue.execute.bind(s.venue);
  let isBlind = true;
  s.venue.execute = (body) => {
    const answer = execute(body);
    if (body.includes('"action":{"type":"noop"')) return jsonAnswer({ status: "ok", response: { type: "default" } });
    // Its own answer is of another kind.
    if (body.includes('"action":{"type":"order"'))
      return jsonAnswer({ status: "ok", response: { type: "cancel", data: { statuses: ["success"] } } });
    return answer;
  };
  s.seeThrough((request, answer) => (isBlind && request.type === "orderStatus" ? { status: "unknownOid" } : answer));
  const order = limit("buy", 94_000);
  const first = shown(await s.tell("never-ran-wrongly", order));
  expect(first).toMatchObject({ http: 201, status: "rejected" });
  isBlind = false;
  await s.pass(60_000);
  const oid = String(liveOrders(s)[0]);
  expect(shown(await s.tell(null, { kind: "get", id: first.id }))).toMatchObject({ http: 200, status: "open", oid });
});

test("an order that was refused stays so, and is looked for once", async () => {
  const s = await scene();
  const order = { ...limit("buy", 94_000), size: "100000" };
  const first = shown(await s.tell("refused", order));
  expect(first).toMatchObject({ http: 201, status: "rejected" });
  let looks = 0;
  s.seeThrough((request, answer) => {
    if (request.type === "orderStatus") looks += 1;
    return answer;
  });
  await s.pass(200_000);
  expect(looks).toBe(1);
  expect(shown(await s.tell("refused", order))).toMatchObject({ http: 201, status: "rejected" });
});

test("fills and open orders of another account of ours are not read as an account's own", async () => {
  const s = await scene();
  const own = shown(await s.tell("own", limit("buy", 94_000)));
  await s.tell("others", limit("buy", 93_000), s.other);
  await s.tell("others-fill", limit("buy", 100_000), s.other);
  let isMixed = true;
  const lists = new Set(["frontendOpenOrders", "userFillsByTime", "userFills", "historicalOrders"]);
  s.seeThrough((request, answer) => {
    if (!isMixed || !lists.has(request.type) || request["user"] !== s.party.account.tradingAddress) return answer;
    const asked = JSON.stringify({ ...request, user: s.other.account.tradingAddress });
    return JSON.parse(s.venue.read(asked, null).body) as unknown;
  });
  await s.pass(5_000);
  expect(await s.tell(null, { kind: "list_open" })).toMatchObject({ status: 503 });
  await s.pass(120_000);
  isMixed = false;
  await s.pass(5_000);
  const kept = s.rows(`select id from fills where account_id = '${s.party.account.id}'`);
  expect(kept).toHaveLength(s.venue.fillsOf(s.party.account.tradingAddress).length);
  const open = JSON.parse((await s.tell(null, { kind: "list_open" })).body) as { data: { id: string }[] };
  expect(open.data.map(({ id }) => id)).toEqual([own.id]);
});

test("the record of what an answer has refused changes nothing that was told, but that it had been taken before", () => {
  const leg = { ...legRow(), state: "absent" as const, isExchangesWord: true, reason: "The exchange says: no" };
  const record = { type: "rejected", reason: "iocCancelRejected", oid: null } as const;
  expect(advanceLeg(leg, record)).toBe(leg);
  expect(advanceLeg(leg, { ...record, oid: "77" })).toMatchObject({ state: "rejected", oid: "77" });
  expect(advanceLeg({ ...leg, isExchangesWord: false }, record)).toMatchObject({ state: "rejected" });
});
