/** Where one balance stands behind all, a stop is judged by one that holds what was told, under whatever a server that is behind shows. */
import { expect, test } from "bun:test";
import { FIRST, type PaperRig } from "../support/paper-rig.ts";
import { openLiquidRig } from "./liquid-rig.ts";

const SECOND = 1_000;
const SIZE = 10;
const MINE = FIRST.account.tradingAddress;

type Spot = { balances: { coin: string; total: string }[] };

async function openUnified(): Promise<PaperRig> {
  const rig = await openLiquidRig();
  const action = { type: "userSetAbstraction", user: MINE, abstraction: "unifiedAccount" } as const;
  const nonce = rig.clock.nowMs();
  const times = { nonce, expiresAfter: null, nowMs: nonce };
  rig.paper.happen({ kind: "action", input: { action, signer: MINE, vaultAddress: null, ...times } });
  await rig.trade("buy", "20000", "0.1999", 10_000);
  await rig.clock.advance(20 * SECOND);
  return rig;
}

async function spotNow(rig: PaperRig): Promise<{ whole: Spot; total: number }> {
  const whole = (await rig.info({ type: "spotClearinghouseState", user: MINE })) as Spot;
  return { whole, total: Number(whole.balances.find(({ coin }) => coin === "USDC")?.total) };
}

/** What a sale of 1000 PURR has brought makes a stop of so many BTC come in time. */
test.each<[string, sold: boolean, forMs: number, status: number]>([
  ["nothing was sold", false, 0, 409],
  ["it is shown at once", true, 0, 201],
  ["it is shown a second and a half later", true, 1_500, 201],
  ["it is shown only after that", true, 60 * SECOND, 503],
])("a stop that a sale on spot has made possible: %s", async (_what, sold, forMs, status) => {
  const rig = await openUnified();
  await rig.answer(FIRST, { route: "GET /v1/account" });
  const { whole, total } = await spotNow(rig);
  // Half of what the sale brings: 1/80 of the value has to be left.
  const atMs = (usd: number) => (60_010 - usd / SIZE) / (1 - 1 / 80);
  const trigger = String(Math.ceil(atMs(total + 100)));
  if (sold) {
    const terms = { market: "PURR/USDC", side: "sell", size: "1000", price: "0.19", time_in_force: "ioc" };
    const placed = await rig.answer(FIRST, { route: "POST /v1/orders", body: { account: FIRST.account.id, ...terms } });
    expect(placed.body["status"]).toBe("filled");
  }
  const untilMs = rig.clock.nowMs() + forMs;
  rig.interfere = ({ type, user }) =>
    type === "spotClearinghouseState" && user === MINE && rig.clock.nowMs() < untilMs ? whole : undefined;
  const beganMs = rig.clock.nowMs();
  const body = {
    account: FIRST.account.id,
    market: "BTC",
    side: "buy",
    size: String(SIZE),
    entry: { price: "60010" },
    stop_loss: { trigger_price: trigger },
  };
  const trade = await rig.answer(FIRST, { route: "POST /v1/trades", body });
  expect(trade.status).toBe(status);
  expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(3 * SECOND);
});
