import { expect, test } from "bun:test";
import { OperatorError } from "../../src/ops/operator.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { withOperator } from "./operator.ts";

test("which of some names a market is not called by is told in words, and where no gateway runs nothing is", async () => {
  await withOperator({}, async ({ operator }) => {
    const running = { misnamed: (names: readonly string[]) => (names.includes("btc") ? "names `btc`" : null) };
    // Of a running gateway these verbs ask that alone before anything is done.
    const changer = { ...operator, running } as unknown as Parameters<typeof perform>[0];
    expect(await perform(changer, "tell_misnamed", { names: ["ETH", "btc"] })).toEqual({ misnamed: "names `btc`" });
    expect(await perform(changer, "tell_misnamed", { names: ["BTC"] })).toEqual({ misnamed: null });
    const narrowing = { keyHash: "ef".repeat(32), rails: { markets: "ETH, btc" } };
    await expect(async () => perform(changer, "narrow_key", narrowing)).toThrow(
      "--markets names `btc`. Nothing was narrowed",
    );
    await expect(async () => perform(operator, "narrow_key", { ...narrowing, rails: { markets: "btc" } })).toThrow(
      "no key",
    );
  });
});

test("what a gateway knows of markets is told by the names that were asked for", async () => {
  await withOperator({}, async ({ operator }) => {
    const asked: string[][] = [];
    const running = {
      marketsNamed: (names: readonly string[]) => {
        asked.push([...names]);
        return { NONE: null };
      },
    };
    // Of a running gateway this verb asks the markets alone.
    const changer = { ...operator, running } as unknown as Parameters<typeof perform>[0];
    expect(await perform(changer, "tell_markets", { names: ["NONE"] })).toEqual({ markets: { NONE: null } });
    expect(asked).toEqual([["NONE"]]);
    for (const names of [undefined, "BTC", ["BTC", 7]])
      await expect(async () => perform(changer, "tell_markets", { names })).toThrow(OperatorError);
    await expect(async () => perform(operator, "tell_markets", { names: [] })).toThrow("no gateway runs here");
  });
});
