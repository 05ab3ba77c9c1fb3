/** An order of another that rests under a client order id of ours, while nothing tells what became of ours. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const TERMS = { a: 0, b: true, p: "5000", s: "0.01", r: false, t: { limit: { tif: "Gtc" } } };

test.each<[string, Partial<typeof TERMS>, string]>([
  [
    "of another size: ours is looked for beside it, and two histories that went past its end lack it",
    { s: "0.03" },
    "rejected",
  ],
  ["at another price: the same", { p: "6000" }, "rejected"],
  ["in another market and as asked: it may be ours gone wrong, and the alarm says so", { a: 1 }, "unknown"],
])("%s", async (_name, other, status) => {
  const s = await scene();
  // Neither the order nor a word about its number comes through, and an empty action of ours takes that.
  s.setFate(({ path, body }) => {
    if (path !== "/exchange") return directly(5);
    return { arrivesAfterMs: body.includes('"noop"') ? [5] : [], answer: { kind: "silence" } };
  });
  const ask = { ...limit("buy", 5_000), size: TERMS.s };
  s.ask("beside", ask);
  await s.pass(3);
  const [row] = s.rows("select id from orders");
  const c = `0x${String(row?.["id"]).replaceAll("-", "")}`;
  const place = (orders: readonly object[]) => {
    const action = { type: "order", orders, grouping: "na", builder: null };
    s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
  };
  place([{ ...TERMS, ...other, c }]);
  await s.pass(40_000);
  s.setFate(() => directly(5));
  place([{ ...TERMS, p: "7000" }]);
  await s.pass(60_000);
  expect(shown(await s.tell("beside", ask)).status).toBe(status);
  const errors = s.takeErrors();
  expect(
    errors.every((error) => error.includes("something else than was asked for")),
    errors.join(),
  ).toBe(true);
  expect(errors.length).toBeGreaterThan(0);
});

test("seed 2006867: what another's order was canceled for says nothing of ours, which never arrived", async () => {
  const s = await scene();
  s.setFate(({ path, body }) => {
    if (path !== "/exchange") return { ...directly(5), isBlind: true };
    return body.includes('"cancel') ? directly(5) : { arrivesAfterMs: [], answer: { kind: "silence" } };
  });
  const ask = { ...limit("buy", 5_000), size: TERMS.s };
  s.ask("beside", ask);
  await s.pass(3);
  const [row] = s.rows("select id from orders");
  const id = String(row?.["id"]);
  const place = (orders: readonly object[]) => {
    const action = { type: "order", orders, grouping: "na", builder: null };
    s.venue.act(s.party.account.ownerAddress, action as unknown as Parameters<typeof s.venue.act>[1]);
  };
  place([{ ...TERMS, s: "0.03", c: `0x${id.replaceAll("-", "")}` }]);
  s.ask("cancel", { kind: "cancel", id });
  await s.pass(3_000);
  expect(s.rows("select state from every_leg")).toEqual([{ state: "closing" }]);
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes('"noop"') ? { arrivesAfterMs: [], answer: { kind: "silence" } } : directly(5),
  );
  await s.pass(30_000);
  place([{ ...TERMS, p: "7000" }]);
  await s.pass(60_000);
  expect(shown(await s.tell("beside", ask))).toMatchObject({ http: 201, status: "rejected", filled: null });
  s.takeErrors();
});
