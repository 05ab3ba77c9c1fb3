import { abs, dec, ONE, plain, txt } from "./decimals.mjs";
import { ownSize, spoilAnswers } from "./scenes-story.mjs";
import { sleep } from "./stage.mjs";

const ENDS = new Set(["closed", "canceled", "rejected", "closed_outside", "withdrawn"]);
const MARKETS = [
  { market: "BTC", unit: "0.01", price: 60000, step: 1 },
  { market: "ETH", unit: "0.3", price: 2500, step: 1 },
  { market: "xyz:GOLD", unit: "0.2", price: 4000, step: 1 },
];

/** A trade of each market: its entry fills in parts, the mark comes to its stop or its profit, answers are lost. */
async function trades(stage, { chance = 0, lag = () => 0, isKilled = false, ms = 28_000, hands = 0.1 }) {
  await stage.open({
    env: { POSTERN_EXCHANGE_WEIGHT: "0", POSTERN_ANSWER_DEADLINE_MS: "2000", POSTERN_ACTION_LIFE_MS: "5000" },
  });
  const { faults, gateway } = stage;
  faults.lag = () => lag(stage);
  if (chance > 0) spoilAnswers(stage, chance);
  const live = new Map();
  const seen = new Map();
  const until = Date.now() + ms;
  const killAt = isKilled ? Date.now() + stage.between(6000, 15_000) : Number.POSITIVE_INFINITY;
  let isDead = false;
  while (Date.now() < until) {
    if (!isDead && Date.now() > killAt) {
      isDead = true;
      await gateway.kill();
      await gateway.start();
    }
    for (const about of MARKETS) await turn(stage, about, live, hands);
    for (const id of live.values()) await look(stage, id, seen);
    await sleep(stage.between(50, 400));
  }
  faults.onAction = () => null;
  faults.lag = () => 0;
  await atRest(stage, live, seen);
}

async function turn(stage, about, live, hands) {
  const { engine, main, gateway, judge } = stage;
  const { market, unit, price } = about;
  if (!live.has(market)) {
    const isBuy = stage.roll() < 0.5;
    const far = isBuy ? -1 : 1;
    engine.setMark(market, String(price));
    const body = {
      account: gateway.accounts.get("main").id,
      market,
      side: isBuy ? "buy" : "sell",
      size: ownSizeOf(stage, market, unit),
      entry: { price: String(Math.round(price * (1 + far * 0.005))) },
      stop_loss: { trigger_price: String(Math.round(price * (1 + far * 0.03))) },
      ...(stage.roll() < 0.6 ? { take_profit: { trigger_price: String(Math.round(price * (1 - far * 0.03))) } } : {}),
    };
    const got = await gateway.post("/v1/trades", stage.name("trade"), body);
    judge.count(`trade ${got.status} ${got.value?.error?.code ?? ""}`);
    if (got.status === 201) live.set(market, got.value.id);
    return;
  }
  await happen(stage, about, live.get(market), hands);
  if (main.positions.has(market) && stage.roll() < 0.03)
    await gateway.post(`/v1/trades/${live.get(market)}/cancel`, stage.name("trade-cancel"), {});
}

function ownSizeOf(stage, market, unit) {
  if (market === "BTC") return ownSize(stage, unit);
  stage.serialSize = (stage.serialSize ?? 0) + 1;
  return plain(txt(dec(unit) + dec("0.0001") * BigInt(stage.serialSize)));
}

async function happen(stage, { market, price }, id, hands) {
  const { engine, main, gateway } = stage;
  const roll = stage.roll();
  const entries = [...main.orders.values()].filter((o) => o.coin === market && !o.reduceOnly);
  if (roll < 0.3 && entries.length > 0) {
    const part = stage.roll() < 0.4 ? entries[0].left : (entries[0].left / 2n / (ONE / 10000n)) * (ONE / 10000n);
    if (part > 0n) engine.fillResting(main, entries[0].oid, part);
  } else if (roll < 0.4) {
    engine.setMark(market, String(Math.round(price * (1 + stage.between(-40, 40) / 1000))));
  } else if (roll < 0.5) {
    const sign = stage.roll() < 0.5 ? 1 : -1;
    await gateway.post(`/v1/trades/${id}/modify`, stage.name("trade-move"), {
      stop_loss: { trigger_price: String(Math.round(price * (1 + sign * 0.02))) },
    });
  } else if (roll < 0.5 + hands * 0.3 && main.positions.has(market)) {
    closeByHand(stage, market);
  }
}

/** Other hands close all of it, at the exchange's own page. */
function closeByHand(stage, market) {
  const { engine, main } = stage;
  const { szi } = main.positions.get(market);
  const asset = engine.markets.get(market).asset;
  const best = engine.bestFor(engine.markets.get(market), szi < 0n);
  engine.place(main, {
    a: asset,
    b: szi < 0n,
    p: txt(szi < 0n ? best * 2n : best / 2n),
    s: txt(abs(szi)),
    r: true,
    t: { limit: { tif: "Ioc" } },
  });
}

async function look(stage, id, seen) {
  const { gateway, judge } = stage;
  const answer = await gateway.get(`/v1/trades/${id}`);
  if (answer.status !== 200) return;
  judge.count(`trade ${answer.value.status} ${answer.value.protected ? "protected" : "not"}`);
  holdTrade(stage, answer, seen);
}

function holdTrade(stage, answer, seen) {
  const { judge, main } = stage;
  const t = answer.value;
  const before = seen.get(t.id);
  seen.set(t.id, t);
  if (before !== undefined && ENDS.has(before.status) && JSON.stringify(before) !== JSON.stringify(t))
    judge.fault("an ended trade is told otherwise", t, before);
  if (before !== undefined && dec(before.filled_size) > dec(t.filled_size))
    judge.fault("what the entry has filled becomes less", t, before);
  if (t.protected !== (t.unprotected_since === null) || t.protected !== (t.unprotected_because === null))
    judge.fault("protected, and since when not", t, null);
  const entry = judge.truthOf(main, t.market, t.size, t.side).filter((o) => !o.isReduce);
  if (entry.length > 1) judge.fault("an entry was placed twice", t, entry);
  const filled = entry.reduce((sum, o) => sum + o.filled, 0n);
  if (dec(t.filled_size) > filled) judge.fault("an entry is told to have filled more than it has", t, entry);
  if (t.protected && dec(t.held_size) > 0n) isProtected(stage, answer, t);
  if (ENDS.has(t.status)) holdEnd(stage, t, entry, filled);
}

/** At some moment of the second before: stops of all that was held of it then. */
function isProtected(stage, answer, t) {
  const { judge, main } = stage;
  const rows = main.moments.filter(
    (m, i) => m.at <= answer.to && (main.moments[i + 1]?.at ?? Number.POSITIVE_INFINITY) > answer.from - 1200,
  );
  const close = t.side === "buy" ? "A" : "B";
  const isSo = rows.some((m) => {
    const stops = m.open.filter(
      (o) => o.coin === t.market && o.isTrigger && o.reduceOnly && o.side === close && o.orderType.startsWith("Stop"),
    );
    const held = m.perpetuals[t.market.includes(":") ? t.market.split(":")[0] : ""].assetPositions.find(
      (p) => p.position.coin === t.market,
    );
    const size = held === undefined ? 0n : abs(dec(held.position.szi));
    return stops.reduce((sum, o) => sum + dec(o.sz), 0n) >= size || size === 0n;
  });
  if (!isSo)
    judge.fault(
      "told protected, and no stop of all of it was there in the second before",
      t,
      rows.map((m) =>
        m.open.filter((o) => o.coin === t.market).map((o) => `${o.side} ${o.sz} ${o.orderType} ${o.reduceOnly}`),
      ),
    );
}

function holdEnd(stage, t, entry, filled) {
  const { judge, main } = stage;
  if (entry.some((o) => o.status === "open")) judge.fault("a trade has ended and its entry lives", t, entry);
  if (dec(t.filled_size) !== filled) judge.fault("an ended trade tells another size", t, txt(filled));
  if ((t.status === "canceled" || t.status === "rejected") && filled > 0n)
    judge.fault("ended without a fill, and had one", t, txt(filled));
  const held = main.positions.get(t.market);
  if ((t.status === "closed" || t.status === "closed_outside") && held !== undefined)
    judge.fault("closed, and held", t, txt(held.szi));
}

/** In the end stops are exactly of what is held, and nothing of an ended trade is left. */
async function atRest(stage, live, seen) {
  const { engine, main, judge } = stage;
  for (const until = Date.now() + 22_000; Date.now() < until; await sleep(800)) {
    for (const id of live.values()) await look(stage, id, seen);
    if ([...live.entries()].every(([market, id]) => isSettled(stage, market, seen.get(id)))) return;
  }
  for (const [market, id] of live) {
    const t = seen.get(id);
    if (isSettled(stage, market, t)) continue;
    const open = [...main.orders.values()]
      .filter((o) => o.coin === market)
      .map(
        (o) =>
          `${o.isBuy ? "buy" : "sell"} ${txt(o.left)} ${o.trigger === null ? "limit" : o.trigger.tpsl} ${o.reduceOnly}`,
      );
    const held = main.positions.get(market);
    judge.fault("not at rest 22 s after all is well", t, {
      held: held === undefined ? "0" : txt(held.szi),
      open,
      mark: txt(engine.markets.get(market).mark),
    });
    stage.say(
      (await stage.gateway.command("order", "explain", id).catch((e) => ({ text: String(e) }))).text?.slice(0, 3000) ??
        "",
    );
  }
}

function isSettled(stage, market, t) {
  const { main } = stage;
  const open = [...main.orders.values()].filter((o) => o.coin === market);
  const size = abs(main.positions.get(market)?.szi ?? 0n);
  const stops = open.filter((o) => o.reduceOnly && o.trigger?.tpsl === "sl").reduce((sum, o) => sum + o.left, 0n);
  if (t === undefined) return true;
  if (ENDS.has(t.status)) return open.length === 0 && size === 0n;
  if (t.status === "open") return stops === size && t.protected;
  return stops >= size && t.protected;
}

const behind = (most) => (stage) => (stage.roll() < 0.6 ? 0 : stage.between(0, most));

export const scenes = {
  "trades-plain": (stage) => trades(stage, {}),
  "trades-behind": (stage) => trades(stage, { lag: behind(1500) }),
  "trades-lost": (stage) => trades(stage, { chance: 0.25, lag: behind(800) }),
  "trades-killed": (stage) => trades(stage, { chance: 0.15, lag: behind(800), isKilled: true }),
};
