import { ONE } from "./decimals.mjs";
import { sleep } from "./stage.mjs";

const TRADES = [
  { market: "BTC", unit: "0.01", far: "50000" },
  { market: "ETH", unit: "0.2", far: "2000" },
  { market: "xyz:GOLD", unit: "0.1", far: "3000" },
  { market: "xyz:TSLA", unit: "1", far: "300" },
  { market: "abc:OIL", unit: "2", far: "60" },
];
const SPOT = [
  { market: "PURR/USDC", size: "100", far: "0.15" },
  { market: "@107", size: "1", far: "30" },
];

/** Something happens to an account, through the gateway or by other hands. */
async function act(stage, who) {
  const { gateway, engine } = stage;
  const account = stage.accountOf(who);
  const side = stage.pick(["buy", "sell"]);
  const kind = stage.between(0, 9);
  if (kind <= 3) {
    const { market, unit } = stage.pick(TRADES);
    const mark = engine.markets.get(market).mark;
    const price = ((mark * (side === "buy" ? 102n : 98n)) / 100n / ONE).toString();
    return told(
      stage,
      who,
      await gateway.place(stage.name("take"), { market, side, size: unit, price, time_in_force: "ioc" }, who),
    );
  }
  if (kind === 4 || kind === 5) {
    const { market, size, far } = stage.pick(SPOT);
    const isResting = stage.roll() < 0.6;
    const price = isResting
      ? far
      : market === "@107"
        ? side === "buy"
          ? "41"
          : "39"
        : side === "buy"
          ? "0.21"
          : "0.19";
    const rests = isResting && side === "buy";
    return told(
      stage,
      who,
      await gateway.place(
        stage.name("spot"),
        {
          market,
          side: rests ? "buy" : side,
          size,
          price: isResting && side === "sell" ? (market === "@107" ? "55" : "0.3") : price,
        },
        who,
      ),
    );
  }
  if (kind === 6) {
    const open = [...account.orders.values()];
    if (open.length > 0) engine.fillResting(account, stage.pick(open).oid, open[0].left / 2n);
    return undefined;
  }
  if (kind === 7) {
    const held = [...account.positions.keys()];
    if (held.length > 0) engine.pay(account, stage.pick(held), stage.pick(["0.0000125", "-0.0000333", "0.0001"]));
    return undefined;
  }
  if (kind === 8) return engine.deposit(account, stage.pick(["1.25", "33.000001", "0.5"]));
  const { market } = stage.pick(TRADES);
  const moved = (engine.markets.get(market).mark * BigInt(1000 + stage.between(-3, 3))) / 1000n / ONE;
  return engine.setMark(market, moved.toString());
}

/** What the client was answered binds every later answer. */
function told(stage, who, answer) {
  const { judge } = stage;
  if (answer.status !== 201) return judge.count(`place ${answer.status} ${answer.value?.error?.code ?? ""}`);
  const { exchange_order_id: oid, status, market } = answer.value;
  judge.count(`placed ${status}`);
  const own = stage.engine.log.filter((e) => String(e.oid) === oid && e.at <= answer.to);
  for (const e of own) {
    if (e.kind === "fill" && status === "filled")
      judge.raise(stage.accountOf(who), { from: answer.to, at: e.at, market, kind: "fill" });
    if (e.kind === "order" && e.status === "open")
      judge.raise(stage.accountOf(who), { from: answer.to, at: e.at, market, kind: "open" });
  }
}

async function read(stage, who) {
  const { gateway, judge } = stage;
  const account = stage.accountOf(who);
  const verb = stage.pick(["balances", "balances", "positions", "openOrders"]);
  const path = {
    balances: "/v1/account",
    positions: "/v1/positions?limit=500",
    openOrders: "/v1/orders?status=open&limit=500",
  }[verb];
  const answer = await gateway.get(path, who);
  judge[verb](account, answer);
  if (answer.status !== 200) await sleep(300);
}

async function figures(stage, ms) {
  const until = Date.now() + ms;
  const readers = ["main", "sub"].map(async (who) => {
    while (Date.now() < until) {
      await read(stage, who);
      await sleep(stage.between(20, 400));
    }
  });
  const actors = ["main", "sub"].map(async (who) => {
    while (Date.now() < until) {
      await act(stage, who);
      await sleep(stage.between(50, 1200));
    }
  });
  await Promise.all([...readers, ...actors]);
}

const SUB_MONEY = { cash: { "": "7000", xyz: "1000", abc: "100" }, spot: { USDC: "555.5", PURR: "300", HYPE: "5" } };

async function play(
  stage,
  { mode = "default", lag = () => 0, feedLag = () => 0, hasFeed = true, ms = 20_000, env = {} },
) {
  await stage.open({ main: { mode }, sub: { ...SUB_MONEY, mode }, env: { POSTERN_EXCHANGE_WEIGHT: "0", ...env } });
  stage.faults.lag = (store) => lag(stage, store);
  stage.faults.feedLag = (channel) => feedLag(stage, channel);
  if (!hasFeed) {
    stage.faults.hasFeed = false;
    stage.exchange.cutFeeds();
  }
  await figures(stage, ms);
}

const behind = (most) => (stage) => (stage.roll() < 0.5 ? 0 : stage.between(0, most));

export const scenes = {
  "money-standard": (stage) => play(stage, {}),
  "money-unified": (stage) => play(stage, { mode: "unifiedAccount" }),
  "money-portfolio": (stage) => play(stage, { mode: "portfolioMargin" }),
  "money-balancer": (stage) => play(stage, { lag: behind(3000) }),
  "money-feed-behind": (stage) => play(stage, { lag: behind(1500), feedLag: () => 700 }),
  "money-no-feed": (stage) => play(stage, { lag: behind(1500), hasFeed: false }),
  "money-no-feed-unified": (stage) => play(stage, { mode: "unifiedAccount", lag: behind(1500), hasFeed: false }),
  "money-spot-behind": (stage) =>
    play(stage, { lag: (s, store) => (store === "spotClearinghouseState" ? s.between(0, 4000) : 0), hasFeed: false }),
  "money-perpetuals-behind": (stage) =>
    play(stage, {
      mode: "unifiedAccount",
      lag: (s, store) => (store === "clearinghouseState" ? s.between(0, 4000) : 0),
      hasFeed: false,
    }),
};
