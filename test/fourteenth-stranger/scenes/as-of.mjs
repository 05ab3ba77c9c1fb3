// Each answer says of when it is. Is it so? The feed is late by the same for all, servers by their own; one asks all the time.
import { cancel, market, openDay, outside, place, report, settle } from "../day.mjs";
import { wait } from "../gateway.mjs";
import { stateAt } from "../venue/reads.mjs";
import { servers } from "./stops.mjs";

const COINS = ["BTC", "ETH", "xyz:TSLA"];

const POSITIONS = {
  path: "/v1/positions?limit=500",
  told: (data) => new Map(data.map((row) => [row.market, (row.side === "long" ? 1 : -1) * Number(row.size)])),
  shown: (state) =>
    new Map(
      Object.values(state.perps)
        .flatMap((one) => one.assetPositions)
        .map(({ position }) => [position.coin, Number(position.szi)]),
    ),
};
const ORDERS = {
  path: "/v1/orders?status=open&limit=500",
  told: (data) => new Map(data.map((row) => [row.exchange_order_id, "open"])),
  shown: (state) => new Map(state.open.map((order) => [String(order.oid), "open"])),
};

// Each thing by itself: own writes are newer than the rest of a list.
async function askOne(day, { path, told, shown }) {
  const { venue, judge, reader } = day;
  const start = Date.now();
  const answer = await reader.get(path);
  const end = Date.now();
  if (answer.status !== 200) return;
  const from = (answer.asOf === null ? start - 1000 : Math.min(Date.parse(answer.asOf), start)) - 60;
  const says = told(answer.data.data);
  const moments = [
    { t: from, state: stateAt(venue, from) },
    ...venue.snapshots.filter((one) => one.t > from && one.t <= end),
  ].map((one) => shown(one.state));
  for (const key of new Set([...says.keys(), ...moments.flatMap((one) => [...one.keys()])])) {
    const isTrue = moments.some((one) => one.get(key) === says.get(key));
    const last = venue.snapshots.findLastIndex((one) => shown(one.state).get(key) === says.get(key));
    const age =
      last < 0 ? "never true" : `last true ${start - (venue.snapshots[last + 1]?.t ?? start)} ms before it was asked`;
    judge.hold(
      `as of: ${path.split("?")[0]}`,
      isTrue,
      `${key} ${says.get(key) ?? "none"}, ${age} (as of ${answer.asOf}, asked ${new Date(start).toISOString()})`,
      `then ${moments[0].get(key) ?? "none"}, now ${moments.at(-1).get(key) ?? "none"}`,
    );
  }
}

async function ask(day) {
  const { venue, judge, reader } = day;
  await askOne(day, POSITIONS);
  await askOne(day, ORDERS);
  const start = Date.now();
  const { rows, asOf } = await reader.all("/v1/fills");
  const upTo = asOf === null ? start - 1000 : Date.parse(asOf);
  const ids = new Set(rows.map((row) => row.id));
  const missing = venue.fills.filter(
    (row) => row.wire.time <= upTo && !ids.has(`${row.wire.time}-${row.wire.coin}-${row.wire.tid}`),
  );
  judge.hold(
    "as of: fills are complete",
    missing.length === 0,
    `as of ${asOf}, asked ${new Date(start).toISOString()}`,
    missing.map((row) => `${row.wire.time} ${row.wire.coin} ${row.wire.sz}`).join("; "),
  );
}

export async function asOf(seed = 1, options = {}) {
  const day = await openDay(seed, { plain: null, other: null });
  const { venue } = day;
  const late = options.late ?? [0, 400, 3000, 8000][seed % 4];
  servers(day, options.lags ?? [0, 0, 1500, 20000, 100000], [late]);
  const end = Date.now() + (options.ms ?? 70000);
  const trading = async () => {
    while (Date.now() < end) {
      const client = day.clients[day.dice.of(["plain", "other"])];
      const roll = day.dice.next();
      if (roll < 0.5) await place(day, client, day.dice.of(COINS));
      else if (roll < 0.7) await market(day, client, day.dice.of(COINS));
      else if (roll < 0.85) await cancel(day, client);
      outside(day, COINS, { byHand: true, liquidations: true, swing: 0.008 });
      await wait(200 + day.dice.to(900));
      if (day.dice.is(0.03)) venue.dropFeeds();
    }
  };
  const asking = async () => {
    while (Date.now() < end) {
      await ask(day);
      await wait(150);
    }
  };
  await Promise.all([trading(), asking()]);
  servers(day, [0], [0]);
  await settle(day);
  const result = report(day, "as-of");
  await day.gateway.end();
  return { ...result, late };
}
