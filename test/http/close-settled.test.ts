/** A close of which the exchange shows nothing left, while no fill says so. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { listRunningCloses } from "../../src/store/closes.ts";
import { close, exchangeThatFills, type Held, type Shown, STOP_LOSS, statusOf } from "./close-rig.ts";
import { indexFill } from "./flatten-rig.ts";
import { openMarketRig, place } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

/** From the next order on nothing is held, and no fill says so: the exchange has settled the market. */
function settledWithoutFill(rig: Rig, held: Held): void {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (...sent) => {
    const outcome = await send(...sent);
    held.szi = 0;
    return outcome;
  };
}

test.each([
  ["in nine minutes", 540, false],
  ["in twelve and a half", 770, true],
])(
  "a close whose market is settled without a fill ends by what is shown for ten minutes, and says so: %s",
  async (_what, seconds, isEnded) => {
    const rig = openMarketRig();
    const held = { szi: 0.5 };
    exchangeThatFills(rig, held);
    await place(rig, STOP_LOSS, { apiKey: KEYS.both });
    indexFill(rig, { market: "BTC", size: decimal("0.5"), timeMs: rig.clock.nowMs() });
    settledWithoutFill(rig, held);
    const { id } = (await (await close(rig, { fraction: "0.5" })).json()) as Shown;
    for (let second = 0; second < seconds; second += 1) await rig.clock.advance(1_000);
    const cancels = rig.sent.filter((body) => body.includes('"cancel')).length;
    expect([cancels, listRunningCloses(rig.deps.store).length]).toEqual(isEnded ? [1, 0] : [0, 1]);
    const story = await (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
    expect(story.includes("the known fills leave 0.5")).toBe(isEnded);
  },
);

test("what is shown again within that time is held: it ends with its triggers kept", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  exchangeThatFills(rig, held);
  const own = await place(rig, STOP_LOSS, { apiKey: KEYS.both });
  indexFill(rig, { market: "BTC", size: decimal("0.5"), timeMs: rig.clock.nowMs() });
  settledWithoutFill(rig, held);
  await close(rig, { fraction: "0.5" });
  for (let second = 0; second < 300; second += 1) await rig.clock.advance(1_000);
  held.szi = 0.25;
  for (let second = 0; second < 400; second += 1) await rig.clock.advance(1_000);
  expect([await statusOf(rig, own), listRunningCloses(rig.deps.store).length]).toEqual(["open", 0]);
});
