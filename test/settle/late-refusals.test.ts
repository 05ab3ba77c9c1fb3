/** What was refused is held against what is shown for as long as a server may be behind what a copy of it has done. */
import { expect, test } from "bun:test";
import { endsAtMs } from "../../src/core/attempt.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { openLateRefusals } from "../../src/settle/operation/late-refusals.ts";
import { listRefusedOperations } from "../../src/store/unused-numbers.ts";
import { inSeconds, openMarketRig } from "../http/rails-rig.ts";
import { ACCOUNTS, KEYS } from "../http/rig.ts";

test.each([12_000, 60_000])(
  "the last look comes when no server is behind the end of an action of %d ms",
  async (lifeMs) => {
    const rig = openMarketRig();
    const { deps, clock } = rig;
    Object.assign(deps.settings.timings, { actionLifeMs: lifeMs });
    rig.answers.set("activeAssetData", () => null);
    rig.refusals.push("Unable to recover signer.");
    const body = { market: "BTC", leverage: 7, margin_type: "cross" };
    const asking = rig.ask({ path: "/v1/leverage", apiKey: KEYS.both, idempotencyKey: "refused-at-the-door", body });
    expect(await (await inSeconds(rig, asking)).json()).toMatchObject({ status: "rejected" });
    const [attempt] = listRefusedOperations(deps.store, ACCOUNTS.main, 0);
    const looked: number[] = [];
    const leverage = { type: "cross", value: 20 };
    rig.answers.set("activeAssetData", ({ user, coin }) => {
      looked.push(clock.nowMs());
      return { user, coin, leverage, maxTradeSzs: ["1", "1"], availableToTrade: ["1", "1"], markPx: "60000" };
    });
    const refusals = openLateRefusals(deps, { pursue: async () => undefined });
    for (let second = 0; second < 400; second += 1) {
      const looking = refusals.look();
      await clock.advance(1_000);
      await looking;
    }
    const endMs = attempt === undefined ? Number.POSITIVE_INFINITY : endsAtMs(attempt);
    expect(looked).toHaveLength(4);
    expect((looked.at(-1) ?? 0) - endMs).toBeGreaterThanOrEqual(BEHIND_MS);
  },
);
