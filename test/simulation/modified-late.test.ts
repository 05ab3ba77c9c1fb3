/** Fills that no store of the exchange shows before a modify has ended. */

import { expect, test } from "bun:test";
import { stateWith } from "../support/state-with.ts";
import { directly, type Fate, type FateOf } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { limit, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

/** No fill is shown, no position, and no record tells that less than the whole of an order was left. */
function asIfUntouched({ path, body }: Parameters<FateOf>[0]): Fate {
  if (path === "/exchange") return directly(400);
  if (body.includes('"userFillsByTime"')) return { ...directly(5), toldAs: () => "[]" };
  if (body.includes('"clearinghouseState"'))
    return { ...directly(5), toldAs: (text) => JSON.stringify(stateWith(JSON.parse(text), [])) };
  return { ...directly(5), toldAs: withWholeRest };
}

function withWholeRest(text: string): string {
  return JSON.stringify(JSON.parse(text), (_name, value: unknown) => {
    const isOrder = typeof value === "object" && value !== null && "sz" in value && "origSz" in value;
    return isOrder ? { ...value, sz: value.origSz } : value;
  });
}

/** An order for 1 whose price was modified, 0.165 of it filled before that, and nothing of that shown yet. */
async function repriced(key: string): Promise<{ s: Scene; id: string }> {
  const s = await scene();
  const { id } = shown(await s.tell(key, limit("sell", 96_000, "1")));
  s.setFate(asIfUntouched);
  const asked = s.ask(`${key}-2`, { kind: "modify", id, price: "96001", size: null, alwaysPlace: false });
  await s.pass(150);
  trade(s, TAKER, { isBuy: true, price: 96_000, size: "0.165" });
  await s.pass(20_000);
  expect(asked.answer).toMatchObject({ status: 200 });
  return { s, id };
}

/** Somebody takes twice of all that there is. */
async function expectFilledOnce(s: Scene, id: string): Promise<void> {
  s.setFate(() => directly(5));
  await s.pass(60_000);
  trade(s, TAKER, { isBuy: true, price: 96_500, size: "2" });
  await s.pass(40_000);
  const after = await s.tell(null, { kind: "get", id });
  expect(JSON.parse(after.body)).toMatchObject({ status: "filled", size: "1", filled_size: "1" });
}

test("what was filled of the original, and is shown after its modify has ended, is taken off the replacement", async () => {
  const { s, id } = await repriced("shown-late");
  await expectFilledOnce(s, id);
});

test("so is what is shown while another modify is under way that never arrives", async () => {
  const { s, id } = await repriced("shown-later");
  s.setFate(({ path }) => (path === "/exchange" ? LOST : directly(5)));
  s.ask("shown-later-3", { kind: "modify", id, price: "96002", size: null, alwaysPlace: false });
  await s.pass(45_000);
  await expectFilledOnce(s, id);
});
