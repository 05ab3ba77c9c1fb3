/** Rules of a market that have changed since they were read: a modify is not refused by the old ones. */
import { expect, test } from "bun:test";
import { buildUniverse } from "../../src/core/market.ts";
import { executed, limit, type Scene, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** The list that is known lets sizes have no decimals at all; it is read again and again, or never. */
function coarsen(s: Scene, isEverRead: boolean): void {
  const { markets } = s.process().gateway.deps;
  const known = markets.current();
  if (known === null) throw new Error("no markets");
  const coarse = [...known.byName.values()].map((market) => ({ ...market, sizeDecimals: 0 }));
  let universe = buildUniverse(coarse, known.readAtMs);
  Object.assign(markets, {
    current: () => universe,
    refresh: async () => {
      if (isEverRead) universe = known;
      return universe;
    },
  });
}

test.each([
  [true, "0.02", null, 1],
  [false, "0.01", "size", 0],
])(
  "a rule that would refuse a modify is read again before it does (read: %p)",
  async (isEverRead, size, error, sent) => {
    const s = await scene();
    const placed = shown(await s.tell("rules", limit("buy", 94_000)));
    coarsen(s, isEverRead);
    const answer = await s.tell("rules-modify", {
      kind: "modify",
      id: placed.id,
      price: null,
      size: "0.02",
      alwaysPlace: false,
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      status: "open",
      size,
      error: error === null ? null : expect.stringContaining(error),
    });
    expect(executed(s, "batchModify")).toHaveLength(sent);
  },
);
