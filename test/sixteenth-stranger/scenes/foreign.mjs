// Ids that somebody else uses, and a hand that trades, moves and sets beside us.
import { abs, d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { legsOf } from "../judge.mjs";
import { lags } from "./canceled.mjs";
import { behind, finish, rich, sluggish } from "./races.mjs";

async function stolenCloid(h, say) {
  // An order of elsewhere carries the client order id of ours: other side, other market, other size; before, during and after ours.
  for (let i = 0; i < 6; i++) {
    lags(h, i < 3 ? 200 : 2500);
    let foreign;
    const steal = (cloid) => {
      foreign = h.x.make({
        coin: i % 2 ? "ETH" : "BTC",
        side: i % 3 ? "A" : "B",
        px: d(i % 2 ? "2600" : "66000"),
        sz: d("5"),
        tif: "Gtc",
        reduceOnly: false,
        cloid,
        foreign: true,
        elsewhere: true,
      });
      h.x.set(foreign, "open");
      h.x.snap();
    };
    if (i % 3 === 0) {
      h.x.before = async (body) => {
        if (body.action.type === "order" && !foreign) {
          steal(body.action.orders[0].c);
          return "swallow";
        }
        return "run";
      };
    }
    const made = await h.order("BTC", "buy", "0.01", "60000", `stolen-${h.seed}-${i}`);
    h.x.before = null;
    if (!made.json?.id) {
      const metas = h.server.asked
        .filter((a) => a.type === "meta" && !a.dex)
        .map((a) => new Date(a.t).toISOString().slice(14));
      h.notes.push(`meta asked ${metas}`);
      h.notes.push(`${i}: ${made.status} ${made.text} at ${new Date().toISOString()}`);
      await pause(3000);
      continue;
    }
    const cloid = `0x${made.json.id.replaceAll("-", "")}`;
    const ours = [...h.x.orders.values()].find((o) => o.cloid === cloid && !o.foreign);
    if (!foreign) steal(cloid);
    if (i % 2) h.x.fill(foreign, d("5"), foreign.px);
    for (let k = 0; k < 4; k++) {
      await Promise.all([h.get(`/v1/orders/${made.json.id}`), h.get("/v1/orders?status=open"), h.get("/v1/fills")]);
      await pause(500);
    }
    const c = await h.post(`/v1/orders/${made.json.id}/cancel`, {}, `stolen-${h.seed}-${i}-c`);
    h.notes.push(
      `${i}: placed ${made.status} ${made.json.status}, cancel ${c.status} ${c.json?.status} ${c.json?.filled_size} ${String(c.json?.error).slice(0, 120)}; ours ${ours ? ours.status : "none"}, theirs ${foreign.status}`,
    );
    if (!i % 2 && foreign.status === "canceled")
      say(`${i}: the order of somebody else was canceled in the place of ours`);
  }
  await finish(h, say, 10);
}
async function reusedOid(h, say) {
  // The exchange gives a number again: an order of ours that ended, and a fill of another market under its number.
  const made = await h.order("ETH", "buy", "0.1", "2300", "reused-1");
  const leg = legsOf(h.x, made.json)[0];
  h.x.fill(leg, d("0.1"), leg.px);
  await pause(1000);
  const told = (await h.get(`/v1/orders/${made.json.id}`)).json;
  if (told.status !== "filled" || told.filled_size !== "0.1") say(JSON.stringify(told));
  const other = {
    ...leg,
    coin: "BTC",
    statuses: [],
    filled: 0n,
    sz: d("0.02"),
    origSz: d("0.02"),
    px: d("60000"),
    cloid: undefined,
    status: "new",
    foreign: true,
  };
  h.x.orders.set(leg.oid, other);
  h.x.set(other, "open");
  await pause(500);
  const list = (await h.get("/v1/orders?status=open")).json;
  h.notes.push(JSON.stringify(list.data?.map((o) => [o.id, o.market, o.status, o.exchange_order_id])));
  h.x.fill(other, d("0.02"), d("60000"));
  await pause(2500);
  h.said.length = 0;
  const after = (await h.get(`/v1/orders/${made.json.id}`)).json;
  if (after.filled_size !== "0.1" || after.status !== "filled" || after.average_price !== "2300")
    say(`a fill of another market under our number changed our order: ${JSON.stringify(after)}`);
  const fills = (await h.pages("/v1/fills")).rows;
  h.notes.push(JSON.stringify(fills.map((f) => [f.market, f.size, f.order_id])));
  for (const f of fills)
    if (f.market === "BTC" && f.order_id) say(`a fill in BTC is told as one of our order in ETH ${f.order_id}`);
  const p = await h.until(
    "booked",
    async () => ((r) => (r.total?.fills === 2 ? r : null))((await h.get("/v1/performance?group_by=market,key")).json),
    40,
  );
  for (const line of p?.data ?? [])
    if (line.market === "BTC" && line.key_hash)
      say(`performance gives the fill in BTC to our key: ${JSON.stringify(line)}`);
  h.said.length = 0;
}
async function byHand(h, say) {
  // Position turned, leverage set, orders canceled, money moved: every read in between has to be of its time.
  const x = h.x;
  for (let i = 0; i < 14; i++) {
    lags(h, [200, 1500, 4000][i % 3]);
    const made = await h.order("ETH", "buy", "0.1", "2300", `hand-${h.seed}-${i}`);
    const leg = legsOf(x, made.json)[0];
    if (i % 4 === 0) x.hand("ETH", x.rnd() < 0.5 ? "A" : "B", plain(d((0.01 + x.rnd()).toFixed(4))), "2500");
    if (i % 4 === 1) {
      x.leverage.set("ETH", { type: "cross", value: 1 + Math.floor(x.rnd() * 20) });
      x.snap();
    }
    if (i % 4 === 2 && leg) x.cancelOne(leg);
    if (i % 4 === 3) {
      const usdc = plain(d((x.rnd() * 50).toFixed(6)));
      x.move(
        { type: "accountClassTransfer", usdc, toPerp: false },
        () => (x.cash.set("", x.cash.get("") - d(usdc)), x.balance("USDC", d(usdc))),
      );
    }
    for (let k = 0; k < 3; k++) {
      const [account, positions] = await Promise.all([
        h.get("/v1/account"),
        h.get("/v1/positions"),
        h.get(`/v1/orders/${made.json.id}`),
        h.get("/v1/orders?status=open"),
      ]);
      balances(h, account, say);
      leverages(h, positions, say);
      await pause(350);
    }
  }
  await pause(4500);
  await finish(h, say);
}
function balances(h, told, say) {
  if (told.status !== 200) return;
  const from = told.asOf ? Date.parse(told.asOf) - 60 : told.t0 - 1060;
  const spot = told.json.spot.find((b) => b.token === "USDC")?.total ?? "0";
  const snaps = h.x.snaps.filter((n, i) => n.t <= told.t1 && (h.x.snaps[i + 1]?.t ?? Infinity) >= from);
  if (!snaps.some((n) => plain(((n.state.spot.get("USDC")?.total ?? 0n) / 10n ** 4n) * 10n ** 4n) === spot))
    say(
      `account at ${new Date(told.t1).toISOString()} as of ${told.asOf}: USDC ${spot}, it was ${snaps.map((n) => plain(n.state.spot.get("USDC")?.total ?? 0n))}`,
    );
}
function leverages(h, told, say) {
  if (told.status !== 200) return;
  const from = told.asOf ? Date.parse(told.asOf) - 60 : told.t0 - 6060;
  const snaps = h.x.snaps.filter((n, i) => n.t <= told.t1 && (h.x.snaps[i + 1]?.t ?? Infinity) >= from);
  for (const p of told.json.data)
    if (!snaps.some((n) => (n.state.leverage.get(p.market)?.value ?? h.x.markets.get(p.market).lev) === p.leverage))
      say(
        `positions at ${new Date(told.t1).toISOString()}: leverage ${p.leverage}, it was ${snaps.map((n) => n.state.leverage.get(p.market)?.value)}`,
      );
}
async function ownWrites(h, say) {
  // What was answered must be in every list that is asked for afterwards, however far each store is behind.
  for (let i = 0; i < 10; i++) {
    behind(h, [500, 3000, 6000][i % 3], [0, 1500][i % 2]);
    const made = await h.order("ETH", i % 2 ? "sell" : "buy", "0.1", i % 2 ? "2400" : "2600", `own-${h.seed}-${i}`, {
      time_in_force: "ioc",
    });
    if (made.json?.status !== "filled") {
      h.notes.push(`${made.status} ${made.json?.status}`);
      continue;
    }
    const held = h.x.holding("ETH").szi;
    const [p, a] = await Promise.all([h.get("/v1/positions"), h.get("/v1/account")]);
    if (p.status === 200) {
      const row = p.json.data.find((r) => r.market === "ETH");
      const told = row ? d(row.size) * (row.side === "long" ? 1n : -1n) : 0n;
      if (told !== held)
        say(`after ${made.json.id} was told filled: position ${plain(told)}, held ${plain(held)} as of ${p.asOf}`);
    } else h.notes.push(`positions ${p.status} ${p.json?.error?.code} after ${p.t1 - p.t0} ms`);
    if (a.status !== 200) h.notes.push(`account ${a.status} ${a.json?.error?.code} after ${a.t1 - a.t0} ms`);
  }
  await pause(3000);
  await finish(h, say);
}
const more = { before: rich, slack: 7000 };
export const scenes = {
  "stolen-cloid": {
    about: "an order of elsewhere under our client order id, before, during and after ours",
    play: stolenCloid,
    mayStick: true,
    ...more,
  },
  "reused-oid": {
    about: "the exchange gives the number of an order of ours to another of another market",
    play: reusedOid,
    ...more,
  },
  "by-hand": {
    about: "position, leverage, cancels and transfers by the owner's own hand between our requests",
    play: byHand,
    ...more,
  },
  "own-writes": { about: "a read after a fill that was answered, all stores behind", play: ownWrites, ...more },
};
export { abs, sluggish };
