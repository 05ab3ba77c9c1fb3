import { sleep } from "./stage.mjs";

/** One own order that changes spot, then reads of it while one store is behind. */
async function own(stage, { mode = "default", order, hasFeed = true, lag = 2500, feedLag = 0, kind }) {
  await stage.open({ main: { mode }, env: { POSTERN_EXCHANGE_WEIGHT: "0" } });
  const { gateway, judge, faults, exchange } = stage;
  if (!hasFeed) {
    faults.hasFeed = false;
    exchange.cutFeeds();
  }
  faults.lag = (store) => (store === "spotClearinghouseState" ? lag : 0);
  faults.feedLag = (channel) => (channel === "spotState" ? feedLag : 0);
  await sleep(3500);
  const first = await gateway.get("/v1/account");
  stage.say(`before: ${first.status} ${JSON.stringify(first.value?.spot)}`);
  const placed = await gateway.place(stage.name("own"), order);
  stage.say(`placed: ${placed.status} ${placed.value?.status} ${placed.value?.filled_size}`);
  const at = stage.main.moments.at(-1).at;
  judge.raise(stage.main, { from: placed.to, at, market: order.market, kind });
  for (const until = Date.now() + 6000; Date.now() < until; await sleep(250)) {
    const answer = await gateway.get("/v1/account");
    judge.balances(stage.main, answer);
    const asOf = answer.asOf === null ? "now" : `${answer.from - answer.asOf} ms ago`;
    const figures =
      answer.status === 200
        ? `${answer.value.equity} ${answer.value.spot.map((b) => `${b.token} ${b.total}-${b.hold}`).join(", ")}`
        : answer.text;
    if (process.env.STRANGER_STEPS !== undefined)
      stage.say(`${answer.from - at} ms after: ${answer.status}, as of ${asOf}: ${figures}`);
  }
}

const SPOT_BUY = { market: "@107", side: "buy", size: "2", price: "41", time_in_force: "ioc" };
const SPOT_REST = { market: "@107", side: "buy", size: "2", price: "30" };
const BUY = { market: "BTC", side: "buy", size: "0.05", price: "61000", time_in_force: "ioc" };

export const scenes = {
  "own-spot-fill": (stage) => own(stage, { order: SPOT_BUY, hasFeed: false, kind: "fill" }),
  "own-spot-fill-feed": (stage) => own(stage, { order: SPOT_BUY, feedLag: 2500, kind: "fill" }),
  "own-spot-hold": (stage) => own(stage, { order: SPOT_REST, hasFeed: false, kind: "open" }),
  "own-spot-hold-feed": (stage) => own(stage, { order: SPOT_REST, feedLag: 2500, kind: "open" }),
  "own-unified-fill": (stage) => own(stage, { mode: "unifiedAccount", order: BUY, hasFeed: false, kind: "fill" }),
  "own-unified-fill-feed": (stage) => own(stage, { mode: "unifiedAccount", order: BUY, feedLag: 2500, kind: "fill" }),
};
