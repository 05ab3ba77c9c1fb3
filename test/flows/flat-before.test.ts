/** Nobody is told that nothing is held by positions of before a told fill, under whatever time a server shows them. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, type PaperRig } from "../support/paper-rig.ts";
import { openLiquidRig, takes } from "./liquid-rig.ts";

const SECOND = 1_000;

type Row = Record<string, unknown>;
type State = { time: number };

/** Positions of the native dex stay as they are now, under the time of each moment, and fills are listed no more: both until `isOver`. */
async function standStill(rig: PaperRig, isOver: () => boolean): Promise<void> {
  const user = FIRST.account.tradingAddress;
  const then = (await rig.info({ type: "clearinghouseState", user, dex: "" })) as State;
  rig.interfere = async (request) => {
    if (isOver() || request["user"] !== user) return undefined;
    if (request["type"] === "clearinghouseState" && request["dex"] === "") return { ...then, time: rig.clock.nowMs() };
    if (request["type"] !== "userFillsByTime" && request["type"] !== "userFills") return undefined;
    return ((await rig.info(request)) as State[]).filter(({ time }) => time <= then.time);
  };
}

async function ask(rig: PaperRig, route: string, body?: Row): Promise<Row> {
  const answer = await rig.answer(FIRST, { route, ...(body === undefined ? {} : { body }) } as never);
  return { status_code: answer.status, ...answer.body };
}

async function pass(rig: PaperRig, seconds: number): Promise<void> {
  for (let nth = 0; nth < seconds; nth += 1) await rig.clock.advance(SECOND);
}

/** Begins a flattening that has not ended half a minute later; returns what reads how far it is. */
async function flattens(rig: PaperRig): Promise<() => Promise<unknown>> {
  const { id } = await ask(rig, "POST /v1/stop", { scope: "account" });
  await ask(rig, `POST /v1/stops/${String(id)}/flatten`, {});
  await pass(rig, 30);
  const flattened = async () => (await ask(rig, `GET /v1/stops/${String(id)}`))["flatten"];
  expect(await flattened()).toMatchObject({ status: "flattening", ended_at: null });
  return flattened;
}

test("a flattening does not end flat by positions of before a told purchase, and goes by it once it is shown", async () => {
  const rig = await openLiquidRig();
  let isOver = false;
  await standStill(rig, () => isOver);
  await takes(rig, "buy");
  const flattened = await flattens(rig);
  isOver = true;
  await pass(rig, 30);
  // No price is known here.
  const left = [{ market: "BTC", size: "0.01", reason: "no_price" }];
  expect(await flattened()).toMatchObject({ status: "left", left });
});

test("a flattening that can close nothing does not end by positions of before a told purchase: what it leaves is more", async () => {
  const rig = await openLiquidRig();
  await takes(rig, "buy");
  await pass(rig, 5);
  let isOver = false;
  await standStill(rig, () => isOver);
  await takes(rig, "buy");
  const flattened = await flattens(rig);
  isOver = true;
  await pass(rig, 30);
  const left = [{ market: "BTC", size: "0.02", reason: "no_price" }];
  expect(await flattened()).toMatchObject({ status: "left", left });
});

const TRADE = {
  account: FIRST.account.id,
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "60010" },
  stop_loss: { trigger_price: "59000" },
};

test("a trade is not begun by positions of before a told purchase, and its stop does not go ahead of its entry once they are shown", async () => {
  const rig = await openLiquidRig();
  let isOver = false;
  await standStill(rig, () => isOver);
  await takes(rig, "buy");
  const beganMs = rig.clock.nowMs();
  const refused = await ask(rig, "POST /v1/trades", TRADE);
  expect(refused).toMatchObject({ status_code: 503, error: { code: "exchange_unreachable" } });
  expect(String((refused["error"] as Row)["message"])).toContain("could not be read as of now");
  expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(3 * SECOND);
  isOver = true;
  await pass(rig, 1);
  expect(await ask(rig, "POST /v1/trades", TRADE)).toMatchObject({ status_code: 201, path: "after_fills" });
});

/** Behind everything stand 100,000: at 1 a stop at 5,000 comes in time, and at 2 the liquidation comes before it. */
test.each<[string, bought: boolean, forMs: number, status: number]>([
  ["nothing was bought since", false, 0, 201],
  ["it is shown at once", true, 0, 409],
  ["it is shown a second and a half later", true, 1_500, 409],
  ["it is shown only after that", true, 60_000, 503],
])("a stop is judged by the position of after a told purchase: %s", async (_what, bought, forMs, status) => {
  const rig = await openLiquidRig();
  await takes(rig, "buy", "1");
  await pass(rig, 5);
  const untilMs = rig.clock.nowMs() + forMs;
  await standStill(rig, () => rig.clock.nowMs() >= untilMs);
  if (bought) await takes(rig, "buy", "1");
  const trade = await ask(rig, "POST /v1/trades", { ...TRADE, stop_loss: { trigger_price: "5000" } });
  expect(trade).toMatchObject({ status_code: status });
  if (status === 409) expect(trade).toMatchObject({ error: { code: "stop_beyond_liquidation" } });
});

test("a trade is begun at once after somebody has traded by hand, where no server is behind", async () => {
  const rig = await openLiquidRig();
  await takes(rig, "buy");
  await pass(rig, 5);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.5", price: "60010" }));
  const beganMs = rig.clock.nowMs();
  expect(await ask(rig, "POST /v1/trades", TRADE)).toMatchObject({ status_code: 201, path: "after_fills" });
  expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(SECOND);
});
