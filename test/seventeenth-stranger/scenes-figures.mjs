// Balances, positions, liquidation prices and equity: each digit against the ledger.
import { pause } from "./gateway.mjs";
import { mend, rest, spoilFeed } from "./scenes-modify.mjs";

function same(told, wire) {
  if (told === null || wire === null || wire === undefined)
    return told === null && (wire === null || wire === undefined);
  return Math.abs(Number(told) - Number(wire)) < 1e-7;
}
function positionFits(told, wire) {
  if (!wire) return `${told.market} is not held`;
  const pairs = {
    size: [told.size, Math.abs(Number(wire.szi))],
    entry_price: [told.entry_price, wire.entryPx],
    position_value: [told.position_value, wire.positionValue],
    unrealized_pnl: [told.unrealized_pnl, wire.unrealizedPnl],
    margin_used: [told.margin_used, wire.marginUsed],
    liquidation_price: [told.liquidation_price, wire.liquidationPx],
    leverage: [told.leverage, wire.leverage.value],
    max_leverage: [told.max_leverage, wire.maxLeverage],
  };
  for (const [name, [a, b]] of Object.entries(pairs))
    if (!same(a, b)) return `${told.market} ${name} told ${a}, true ${b}`;
  if (told.side !== (Number(wire.szi) > 0 ? "long" : "short")) return `${told.market} side ${told.side}`;
  if (told.margin_type !== wire.leverage.type) return `${told.market} ${told.margin_type}`;
  return null;
}

// Whether all that was told was so at one moment of the time that it may be of.
function fitsAt(stage, said, test) {
  const { ledger } = stage;
  const from = (said.asOf ? Date.parse(said.asOf) : said.t0 - 6000) - 20;
  const times = new Set([said.t1]);
  for (const list of [ledger.fills, ledger.marks, ledger.leverages, ledger.cash])
    for (const e of list) if (e.t >= from && e.t <= said.t1) times.add(e.t).add(e.t - 1);
  for (const o of ledger.orders.values())
    for (const e of o.log) if (e.t >= from && e.t <= said.t1) times.add(e.t).add(e.t - 1);
  times.add(from);
  let first = null;
  for (const t of [...times].sort((a, b) => b - a)) {
    const wrong = test(t);
    if (wrong === null) return null;
    first ??= wrong;
  }
  return first;
}

export function judgeFigures(stage) {
  const { judge, exchange } = stage;
  for (const said of judge.said) {
    if (said.status !== 200) continue;
    if (said.path.startsWith("/v1/positions") && said.method === "GET") {
      const wrong = fitsAt(stage, said, (t) => {
        const wire = ["", "xyz"].flatMap((dex) => exchange.views.state(dex, t).assetPositions.map((p) => p.position));
        if (wire.length !== said.json.data.length)
          return `${said.json.data.length} positions told, ${wire.length} held`;
        return (
          said.json.data
            .map((told) =>
              positionFits(
                told,
                wire.find((w) => w.coin === told.market),
              ),
            )
            .find((w) => w !== null) ?? null
        );
      });
      if (wrong) judge.fail(`positions as of ${said.asOf ?? "now"}: ${wrong}`, said);
    }
    if (said.path === "/v1/account") {
      for (const part of said.json.perpetuals) {
        const wrong = fitsAt(stage, said, (t) => {
          const s = exchange.views.state(part.dex, t);
          const rows = [
            ["equity", s.marginSummary.accountValue],
            ["withdrawable", s.withdrawable],
            ["margin_used", s.marginSummary.totalMarginUsed],
          ];
          const bad = rows.find(([name, wire]) => !same(part[name], wire));
          return bad ? `dex "${part.dex}" ${bad[0]} told ${part[bad[0]]}, true ${bad[1]}` : null;
        });
        if (wrong) judge.fail(`account as of ${said.asOf ?? "now"}: ${wrong}`, said);
      }
      const wrong = fitsAt(stage, said, (t) => {
        const rows = exchange.views.spotState(t).balances;
        if (rows.length !== said.json.spot.length) return `${said.json.spot.length} tokens told, ${rows.length} held`;
        for (const r of rows) {
          const told = said.json.spot.find((s) => s.token === r.coin);
          if (!told) return `${r.coin} not told`;
          if (
            !same(told.total, r.total) ||
            !same(told.hold, r.hold) ||
            !same(told.available, Number(r.total) - Number(r.hold))
          )
            return `${r.coin} told ${told.total}/${told.hold}, true ${r.total}/${r.hold}`;
        }
        return null;
      });
      if (wrong) judge.fail(`spot as of ${said.asOf ?? "now"}: ${wrong}`, said);
    }
  }
}

async function portfolio(stage) {
  const { gateway } = stage;
  await gateway.post("/v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" });
  const buy = (market, size, price, side = "buy") => gateway.order({ market, side, size, price, time_in_force: "ioc" });
  for (const said of [
    await buy("BTC", "0.02", "61000"),
    await buy("ETH", "1", "1900", "sell"),
    await buy("xyz:TSLA", "2", "255"),
    await buy("xyz:NVDA", "3", "95", "sell"),
    await buy("@107", "2", "31"),
  ])
    if (said.json.status !== "filled") stage.notes.push(JSON.stringify(said.json));
  await rest(stage, { market: "@107", side: "buy", size: "5", price: "28" });
  await rest(stage, { market: "@107", side: "sell", size: "3", price: "33" });
  await pause(3500);
}
async function poll(stage, ms, step = 700) {
  const { gateway } = stage;
  const end = Date.now() + ms;
  while (Date.now() < end) {
    await gateway.get("/v1/account");
    await gateway.get("/v1/positions");
    await gateway.get("/v1/equity");
    await pause(step);
  }
}
async function figures(stage) {
  const { ledger, gateway, roll } = stage;
  await portfolio(stage);
  for (let i = 0; i < 6; i++) {
    ledger.move("BTC", 60000 + Math.round((roll() - 0.5) * 4000));
    ledger.move("ETH", 2000 + Math.round((roll() - 0.5) * 200));
    ledger.move("xyz:TSLA", 250 + Math.round((roll() - 0.5) * 20));
    await poll(stage, 4000);
  }
  judgeFigures(stage);
  stage.notes.push(
    JSON.stringify((await gateway.get("/v1/equity")).json),
    JSON.stringify((await gateway.get("/v1/performance")).json.total),
    JSON.stringify((await gateway.get("/v1/account")).json),
  );
}

// One store answers what is of another account, cut, turned round or older; the feed is gone.
const SPOILS = {
  "row missing": (b, a) =>
    b.type === "clearinghouseState" && a.assetPositions.length > 0
      ? { ...a, assetPositions: a.assetPositions.slice(1) }
      : undefined,
  "member missing": (b, a) => (b.type === "clearinghouseState" ? { ...a, assetPositions: undefined } : undefined),
  "another account": (b, a) =>
    b.type === "clearinghouseState"
      ? {
          ...a,
          assetPositions: [],
          withdrawable: "77.0",
          crossMarginSummary: sum("77.0"),
          marginSummary: sum("77.0"),
          crossMaintenanceMarginUsed: "0.0",
        }
      : undefined,
  "spot row missing": (b, a) => (b.type === "spotClearinghouseState" ? { balances: a.balances.slice(1) } : undefined),
  "no spot": (b) => (b.type === "spotClearinghouseState" ? { balances: [] } : undefined),
  "dexes turned": (b, _a, stage) =>
    b.type === "clearinghouseState" ? stage.exchange.views.state(b.dex === "xyz" ? "" : "xyz", Date.now()) : undefined,
  "signs turned": (b, a) =>
    b.type === "clearinghouseState"
      ? {
          ...a,
          assetPositions: a.assetPositions.map((p) => ({
            ...p,
            position: {
              ...p.position,
              szi: p.position.szi.startsWith("-") ? p.position.szi.slice(1) : `-${p.position.szi}`,
            },
          })),
        }
      : undefined,
  "older with a new time": (b, _a, stage, _at) =>
    b.type === "clearinghouseState"
      ? { ...stage.exchange.views.state(b.dex ?? "", Date.now() - 30000), time: Date.now() }
      : undefined,
};
function sum(accountValue) {
  return { accountValue, totalNtlPos: "0.0", totalRawUsd: accountValue, totalMarginUsed: "0.0" };
}
async function spoilt(stage, name) {
  const { faults, ledger, roll } = stage;
  await portfolio(stage);
  spoilFeed(stage, "down");
  faults.info = (b, a, at) => (roll() < 0.7 ? SPOILS[name](b, a, stage, at) : undefined);
  ledger.move("BTC", 60500);
  await poll(stage, 20000, 1500);
  const many = stage.judge.said.filter((s) => s.status >= 400 && s.method === "GET");
  stage.notes.push(
    `${name}: ${many.length} refused: ${[...new Set(many.map((s) => `${s.status} ${s.json.error.code} ${s.json.error.message}`))].join(" | ")}`,
  );
  mend(stage);
  judgeFigures(stage);
}
export const scenes = { figures };
for (const name of Object.keys(SPOILS)) scenes[`spoilt-${name.replaceAll(" ", "-")}`] = (stage) => spoilt(stage, name);
