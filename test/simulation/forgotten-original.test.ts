/** A modify whose original the exchange has no record of any more, or under whose id it shows something else. */
import { afterEach, expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, openScene, type Scene, shown, trade } from "./scene.ts";
import { holdStores } from "./standing-still.ts";

let opened: Scene | null = null;

afterEach(() => {
  // What is another's raises an alarm, and an alarm is logged.
  const errors = opened?.errors.filter((text) => !text.includes("ALARM"));
  opened?.close();
  expect(errors).toEqual([]);
});

async function scene(): Promise<Scene> {
  opened = await openScene();
  return opened;
}

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const UNHEARD: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };

type Forgets = { oid: string | null; isForeign: boolean };

/** Records of one order are gone, or are another's, in the answers that name it. */
function forget(s: Scene, what: Forgets): void {
  holdStores(s, (type, text) => {
    const { oid, isForeign } = what;
    if (oid === null) return text;
    if (type === "orderStatus" && text.includes(`"oid":${oid},`))
      return isForeign ? text.replace('"side":"B"', '"side":"A"') : '{"status":"unknownOid"}';
    if (type !== "historicalOrders" || isForeign) return text;
    const rows: { order: { oid: number } }[] = JSON.parse(text);
    return JSON.stringify(rows.filter(({ order }) => String(order.oid) !== oid));
  });
}

test.each([
  { name: "forgotten", isForeign: false, alwaysPlace: false },
  { name: "another's", isForeign: true, alwaysPlace: false },
  { name: "forgotten, and placed in any case", isForeign: false, alwaysPlace: true },
])("a modify ends although the record of its original is $name", async ({ isForeign, alwaysPlace }) => {
  const s = await scene();
  const what: Forgets = { oid: null, isForeign };
  forget(s, what);
  const placed = shown(await s.tell("forgotten", limit("buy", 94_000)));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace };
  s.ask("forgotten-modify", modify);
  await s.pass(50);
  s.kill();
  what.oid = placed.oid;
  s.setFate(() => directly(5));
  await s.pass(60_000);
  await s.start();
  const [beside] = liveOrders(s).map(String);
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
  for (let nth = 0; nth < 5; nth += 1) {
    await s.pass(30_000);
    // The owner trades elsewhere, so that the exchange's lists move on.
    trade(s, s.party.account.ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
    trade(s, s.party.account.ownerAddress, { isBuy: true, price: 95_100, size: "0.01" });
  }
  expect(shown(await s.tell("forgotten-modify", modify))).toMatchObject({ http: 200, status: "open", oid: beside });
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("forgotten-cancel", cancel);
  await s.pass(30_000);
  expect(shown(await s.tell("forgotten-cancel", cancel))).toMatchObject({ http: 200, status: "canceled" });
  expect(liveOrders(s).map(String)).not.toContain(beside ?? "");
});

test("a modify that never ran ends beside an original of which another's record is shown", async () => {
  const s = await scene();
  const what: Forgets = { oid: null, isForeign: true };
  forget(s, what);
  const placed = shown(await s.tell("another", limit("buy", 94_000)));
  s.setFate(({ body }) => (body.includes('"batchModify"') ? LOST : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("another-modify", modify);
  await s.pass(50);
  what.oid = placed.oid;
  await s.pass(60_000);
  const told = shown(await s.tell("another-modify", modify));
  expect(told).toMatchObject({ http: 200, error: expect.stringContaining("not carried out") });
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).error).toContain("ALARM");
});

test("another's order under the client order id of a refused replacement does not say that the original is over", async () => {
  const s = await scene();
  const placed = shown(await s.tell("namesake", limit("buy", 94_000)));
  const error = "Order price cannot be more than 95% away from the reference price";
  const execute = s.venue.execute.bind(s.venue);
  s.venue.execute = (body) => {
    if (!body.includes('"batchModify"')) return execute(body);
    const cloid = /"c":"(0x[0-9a-f]{32})"/.exec(body)?.[1] ?? "";
    const orders = [{ a: 1, b: true, p: "3000", s: "0.07", r: false, t: { limit: { tif: "Gtc" } }, c: cloid }];
    const action = { type: "order", orders, grouping: "na", builder: null };
    // Decimals of these texts are canonical; the brand is the engine's.
    s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
    const answer = { status: "ok", response: { type: "order", data: { statuses: [{ error }] } } };
    return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
  };
  const modify = { kind: "modify" as const, id: placed.id, price: "4000", size: null, alwaysPlace: false };
  s.ask("namesake-modify", modify);
  await s.pass(30_000);
  trade(s, s.party.account.ownerAddress, { isBuy: true, price: 93_000, size: "0.02" });
  await s.pass(60_000);
  expect(shown(await s.tell("namesake-modify", modify))).toMatchObject({ http: 200, status: "open", oid: placed.oid });
  expect(s.errors[0]).toContain("ALARM");
});

/** No record is kept but of what lives, and of the history the newest rows alone. */
function keepNewest(s: Scene): void {
  holdStores(s, (type, text) => {
    if (type === "orderStatus") return text.includes('"status":"open"') ? text : '{"status":"unknownOid"}';
    if (type !== "historicalOrders") return text;
    const rows: { order: { cloid: string | null } }[] = JSON.parse(text);
    return JSON.stringify(rows.filter(({ order }) => order.cloid === null).slice(0, 2));
  });
}

test.each([
  ["canceled before it", true],
  ["left open by a refusal of the whole action", false],
])(
  "of a modify that the exchange keeps no record of nothing is said of its original, which was %s",
  async (_name, isCanceled) => {
    const s = await scene();
    // An account that has traded before: a history without that is cut short.
    trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.5" });
    await s.tell("traded", { ...limit("buy", 95_500), timeInForce: "ioc" });
    await s.pass(5_000);
    const placed = shown(await s.tell("outlived", limit("buy", 94_000)));
    const { ownerAddress, tradingAddress } = s.party.account;
    const cancel = (oid: number) =>
      s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid }], f: false });
    s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
    const modify = {
      kind: "modify" as const,
      id: placed.id,
      price: isCanceled ? "94001" : "4000",
      size: null,
      alwaysPlace: false,
    };
    s.ask("outlived-modify", modify);
    await s.pass(25);
    if (isCanceled) cancel(Number(placed.oid));
    await s.pass(25);
    s.kill();
    await s.pass(120_000);
    for (let nth = 0; nth < 4; nth += 1) {
      trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
      cancel([...s.venue.account(tradingAddress).openOids].at(-1) ?? 0);
    }
    keepNewest(s);
    s.setFate(() => directly(5));
    await s.start();
    for (let nth = 0; nth < 5; nth += 1) {
      await s.pass(40_000);
      trade(s, ownerAddress, { isBuy: true, price: 92_000 - nth, size: "0.01" });
    }
    await s.pass(40_000);
    const told = shown(await s.tell("outlived-modify", modify));
    expect(told).toMatchObject({ http: 200, status: isCanceled ? "canceled" : "open", oid: placed.oid });
    expect(told.error).toContain("not carried out");
  },
);

test("a modify ends although what it had placed is forgotten before its fills are shown", async () => {
  const s = await scene();
  const hidden = { fills: false, oid: "" };
  holdStores(s, (type, text) => {
    const { fills, oid } = hidden;
    if (fills && type.startsWith("userFills")) return "[]";
    if (oid === "") return text;
    if (type === "orderStatus" && text.includes(`"oid":${oid},`)) return '{"status":"unknownOid"}';
    if (type !== "historicalOrders") return text;
    const rows: { order: { oid: number } }[] = JSON.parse(text);
    return JSON.stringify(rows.filter(({ order }) => String(order.oid) !== oid));
  });
  const placed = shown(await s.tell("forgotten", limit("buy", 94_000)));
  hidden.fills = true;
  s.setFate(({ body }) => (body.includes('"batchModify"') ? UNHEARD : directly(5)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  s.ask("forgotten-modify", modify);
  await s.pass(50);
  const [beside] = liveOrders(s);
  trade(s, MAKER, { isBuy: false, price: 94_001, size: "0.004" });
  const cancel = { type: "cancel", cancels: [{ a: 0, o: beside }] };
  s.venue.act(s.party.account.ownerAddress, cancel as unknown as Parameters<typeof s.venue.act>[1]);
  await s.pass(15_000);
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "1" });
  hidden.oid = String(beside);
  hidden.fills = false;
  s.setFate(() => directly(5));
  for (let nth = 0; nth < 5; nth += 1) {
    await s.pass(30_000);
    trade(s, s.party.account.ownerAddress, { isBuy: true, price: 95_100, size: "0.01" });
  }
  expect(shown(await s.tell("forgotten-modify", modify))).toMatchObject({
    http: 200,
    status: "canceled",
    filled: "0.004",
  });
});
