/** Without a feed: what an isolated position takes out of the one balance of an account makes no honest exchange one that is behind. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig } from "../support/paper-rig.ts";

const SECOND = 1_000;

test("a unified account is told its balance after each fill of an isolated position", async () => {
  const rig = await openPaperRig();
  const user = FIRST.account.tradingAddress;
  rig.paper.happen({
    kind: "action",
    input: {
      action: { type: "userSetAbstraction", user, abstraction: "unifiedAccount" },
      signer: user,
      vaultAddress: null,
      nonce: rig.clock.nowMs(),
      expiresAfter: null,
      nowMs: rig.clock.nowMs(),
    },
  });
  const assetId = rig.deps.markets.current()?.byName.get("xyz:TSLA")?.assetId ?? -1;
  await rig.trade("sell", "50", "400.1", assetId);
  await rig.trade("buy", "50", "399.9", assetId);
  await rig.clock.advance(20 * SECOND);
  const read = async () => (await rig.answer(FIRST, { route: "GET /v1/account" })).status;
  const told = [await read()];
  for (const side of ["sell", "sell", "buy", "buy", "buy"]) {
    const terms = { market: "xyz:TSLA", side, size: "1", price: side === "buy" ? "404" : "396", time_in_force: "ioc" };
    const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body: { account: FIRST.account.id, ...terms } });
    expect(placed.body["status"]).toBe("filled");
    told.push(await read());
  }
  expect(told).toEqual([200, 200, 200, 200, 200, 200]);
});
