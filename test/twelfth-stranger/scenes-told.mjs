// What the reads tell while each store is behind by itself, anew for each request: held against the log.
import { plain, units } from "./decimals.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders } from "./judge.mjs";
import { at } from "./venue.mjs";
import { world } from "./world.mjs";

/** Every position that was true at some moment from `from` to `to`. */
function sizes(venue, coin, from, to) {
  const rows = venue.positions.get(coin) ?? [];
  const found = [venue.position(coin, from).szi, ...rows.filter((r) => r.t > from && r.t <= to).map((r) => r.szi)];
  return new Set(found.map(String));
}

function window(row, bound) {
  return [row.asOf ? Date.parse(row.asOf) - 2 : row.asked - bound, row.t];
}

function positions(w, row) {
  const [from, to] = window(row, 1000);
  const wrong = [];
  for (const coin of Object.keys(w.venue.markets)) {
    if (w.venue.markets[coin].spot !== undefined) continue;
    const told = row.body.data.find((p) => p.market === coin);
    const size = told ? units(told.size) * (told.side === "short" ? -1n : 1n) : 0n;
    if (!sizes(w.venue, coin, from, to).has(String(size)))
      wrong.push(`${coin} ${plain(size)}, true ${plain(w.venue.position(coin, row.t).szi)}`);
  }
  return wrong;
}

function fills(w, row) {
  const [from, to] = window(row, 1000);
  const newest = row.body.data.map((f) => f.id);
  const due = w.venue.fills.filter((f) => f.time <= from).slice(-5);
  const wrong = due
    .filter((f) => !newest.includes(`${f.time}-${f.coin}-${f.tid}`))
    .map((f) => `lacks ${f.coin} ${f.sz} of ${to - f.time} ms before`);
  return row.body.data.length < 50 ? wrong : wrong.filter(() => false);
}

function openList(w, row) {
  const [from, to] = window(row, 1000);
  const told = new Set(row.body.data.map((o) => o.exchange_order_id));
  const wrong = [];
  for (const o of w.venue.orders.values()) {
    const was = (t) => ["open", "triggered"].includes(at(o.v, t)?.status);
    const changed = o.v.some((v) => v.t > from && v.t <= to);
    if (!changed && was(from) && !told.has(String(o.oid)))
      wrong.push(`lacks ${o.oid} ${o.coin} ${o.origSz}${o.cloid ? "" : " of elsewhere"}`);
    if (!changed && !was(from) && told.has(String(o.oid)))
      wrong.push(`has ${o.oid} ${o.coin} ${o.origSz}${o.cloid ? "" : " of elsewhere"}, closed`);
  }
  return wrong;
}

function balances(w, row) {
  const [from, to] = window(row, 1000);
  const wrong = [];
  for (const told of row.body.spot) {
    const rows = w.venue.balances.get(told.token);
    const right = [at(rows, from), ...rows.filter((r) => r.t > from && r.t <= to)].map((r) => String(r.total));
    if (!right.includes(String(units(told.total))))
      wrong.push(`${told.token} ${told.total}, true ${plain(rows.at(-1).total)}`);
  }
  return wrong;
}

const READS = [
  ["/v1/positions", positions, "HIGH"],
  ["/v1/fills", fills, "HIGH"],
  ["/v1/orders?status=open&limit=500", openList, "MEDIUM"],
  ["/v1/account", balances, "MEDIUM"],
];

/** Trades here and elsewhere for a minute and a half while everything is read; `lags` sets what is behind. */
async function reads(binary, lags, { seconds = 75, during } = {}) {
  const w = await world(binary, { env: { POSTERN_LIMIT_READS: "0" } });
  const { venue, door, gateway } = w;
  lags(door);
  const until = Date.now() + seconds * 1000;
  let n = 0;
  const hands = (async () => {
    while (Date.now() < until) {
      n += 1;
      const side = n % 3 === 0 ? "sell" : "buy";
      if (n % 2)
        await gateway.order({
          market: "BTC",
          side,
          size: `0.0${10 + (n % 80)}`,
          price: side === "buy" ? "61000" : "59000",
          time_in_force: "ioc",
        });
      else
        await gateway.order({
          market: "PURR/USDC",
          side: "buy",
          size: String(60 + n),
          price: "0.21",
          time_in_force: "ioc",
        });
      venue.elsewhere("ETH", n % 2 ? "B" : "A", [n % 2 ? "3100" : "2900", "0.05"], { tif: "Ioc" });
      const order = venue.elsewhere("SOL", "B", ["100", `1.${n % 90}`]);
      setTimeout(() => venue.live().includes(order) && venue.end(order, "canceled"), 1800);
      during?.(w, n);
      await pause(1100);
    }
  })();
  while (Date.now() < until) {
    for (const [path, judge, severity] of READS) {
      const row = await gateway.get(path, { tries: 1 });
      if (row.status !== 200) continue;
      for (const text of judge(w, row))
        w.findings.push({
          severity,
          text: `${path}${row.asOf ? ` as of ${row.t - Date.parse(row.asOf)} ms before` : ""}: ${text}`,
        });
    }
    await pause(350);
  }
  await hands;
  door.lags = {};
  const told = gateway.told.filter((r) => r.method === "GET");
  console.log(
    "  reads",
    told.filter((r) => r.status === 200).length,
    "of",
    told.length,
    "with an age",
    told.filter((r) => r.asOf).length,
  );
  await pause(9000);
  judgeOrders(w);
  await judgeLists(w);
  await w.end();
  return w;
}

function cutAll(door) {
  for (const own of door.sockets) own.socket.terminate();
}

const drawn = (most) => () => Math.floor(Math.random() * most);

export const scenes = {
  readsNoLag: (b) => reads(b, () => {}),
  readsRestLags: (b) =>
    reads(b, (d) => {
      d.lags = { all: drawn(6000) };
    }),
  readsStreamLags: (b) =>
    reads(b, (d) => {
      d.lags = { "state:clearinghouseState": drawn(6000), "ws:userFills": drawn(4000), "ws:orderUpdates": drawn(4000) };
    }),
  readsFillsBehind: (b) =>
    reads(b, (d) => {
      d.lags = { fills: 40000, "ws:userFills": 1e9 };
      d.frameFate = (c, data) => (["userFills", "user"].includes(c) ? undefined : data);
    }),
  readsNoStream: (b) =>
    reads(b, (d) => {
      d.frameFate = () => undefined;
      d.lags = { positions: drawn(8000), fills: drawn(8000), open: drawn(3000), status: drawn(3000) };
    }),
  readsSnapshotsBehind: (b) =>
    reads(
      b,
      (d) => {
        d.lags = { "snapshot:userFills": 20000, "snapshot:openOrders": 20000, "snapshot:clearinghouseState": 20000 };
      },
      { during: (w, n) => n % 9 === 0 && cutAll(w.door) },
    ),
};
