/** What a bot loses is watched in all its markets at once, also where no feed tells any mark: each of them is asked for when one is. */
import { expect, test } from "bun:test";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { FIRST, openPaperRig, type PaperRig, type Party } from "../support/paper-rig.ts";

const SECOND = 1_000;
const BOT: Party = { ...FIRST, apiKeys: [`api_trade_${"e5".repeat(32)}`, `api_trade_${"f6".repeat(32)}`] };
const OWNERS_KEY = `0x${"41".repeat(32)}`;
const TSLA = "xyz:TSLA";
const TSLA_ID = 110_001;
const UNITS = 100_000_000n;

async function grant(rig: PaperRig): Promise<void> {
  const { ownerAddress: owner, tradingAddress, id: account } = FIRST.account;
  const of = { audience: "http://127.0.0.1:8787", account, owner, tradingAddress, maxLossPerDay: "50 USD" };
  const text = grantText(BOT.apiKeys[0], rig.clock.nowMs(), of);
  const body = { grant: grantBody(text), signature: await signGrant(OWNERS_KEY, text) };
  expect((await rig.answer(FIRST, { route: "POST /v1/api-keys/limited", body })).status).toBe(201);
}

async function buy(rig: PaperRig, market: string, size: string, price: string): Promise<void> {
  const body = { account: FIRST.account.id, market, side: "buy", size, price, time_in_force: "ioc" };
  expect((await rig.answer(BOT, { route: "POST /v1/orders", body })).body).toMatchObject({ status: "filled" });
}

test.each([7, 12, 17, 22])(
  "a bot that holds something on two dexes, bought %p s one after the other, is tripped within half a minute",
  async (apartSeconds) => {
    const rig = await openPaperRig();
    rig.paper.setPrice("BTC", 60_000n * UNITS);
    rig.paper.setPrice(TSLA, 300n * UNITS);
    await grant(rig);
    await rig.clock.advance(20 * SECOND);
    await rig.trade("sell", "0.1", "60000");
    await rig.trade("sell", "1", "300", TSLA_ID);
    await buy(rig, "BTC", "0.01", "60000");
    for (let nth = 0; nth < apartSeconds; nth += 1) await rig.clock.advance(SECOND);
    await buy(rig, TSLA, "0.1", "300");
    for (let nth = 0; nth < 60; nth += 1) await rig.clock.advance(SECOND);
    rig.paper.setPrice("BTC", 50_000n * UNITS);
    for (let nth = 0; nth < 35; nth += 1) await rig.clock.advance(SECOND);
    const events = listEventsAfter(rig.store, { accountId: FIRST.account.id, after: 0, limit: 500 });
    expect(events.filter(({ type }) => type === "rail.tripped")).toHaveLength(1);
  },
);
