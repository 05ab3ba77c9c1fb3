import { expect, test } from "bun:test";
import { KEYS, openRig } from "../http/rig.ts";

test("the list of markets is as old as it was read, by the exchange's clock, whatever ours is off", async () => {
  const rig = openRig();
  const exchangeMs = rig.clock.nowMs() + 600_000;
  rig.deps.exchange.nowMs = () => exchangeMs;
  rig.deps.markets.ageMs = () => 5_000.4;
  const { headers } = await rig.ask({ path: "/v1/markets", apiKey: KEYS.both });
  expect(headers.get("X-Data-As-Of")).toBe(new Date(exchangeMs - 5_001).toISOString());
});
