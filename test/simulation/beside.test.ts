/** An original that one store shows open beside what `always_place` has placed in its stead. */
import { expect, test } from "bun:test";
import { directly, type Fate, type FateOf } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Asked by its native id, the order is shown as it was before it was canceled. */
function stillOpen(oid: string | null): FateOf {
  return ({ path, body }): Fate => {
    const isAsked = path === "/info" && body.includes('"orderStatus"') && body.includes(`"oid":${oid}`);
    return isAsked ? { ...directly(5), toldAs: (text) => text.replace('"canceled"', '"open"') } : directly(5);
  };
}

test("an original whose history says open, and then canceled, is not open beside a replacement that was filled", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
  const placed = shown(await s.tell("open-once", limit("buy", 94_000)));
  s.setFate(stillOpen(placed.oid));
  const modify = { kind: "modify" as const, id: placed.id, price: "95200", size: null, alwaysPlace: true };
  s.ask("open-once-modify", modify);
  await s.pass(20_000);
  s.setFate(() => directly(5));
  await s.pass(20_000);
  expect(shown(await s.tell("open-once-modify", modify))).toMatchObject({ http: 200, status: "filled", id: placed.id });
});
