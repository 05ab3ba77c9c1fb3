// Fills and positions: each told one is true, none is lost, none is told twice, and no position is older than what was told before.
import { grains, text } from "./grain.mjs";
import { chain, filledOf } from "./judge-orders.mjs";

export function judgeFills(world) {
  const events = new Map();
  for (const row of world.tape.rows) {
    const list =
      row.kind === "told" && row.json?.object === "list" ? row.json.data.filter((of) => of.object === "fill") : [];
    if (row.kind === "event" && row.type === "fill.created") {
      const key = `${row.account} ${row.data.data.id}`;
      events.set(key, (events.get(key) ?? 0) + 1);
      list.push(row.data.data);
    }
    const ids = new Set();
    for (const fill of list) {
      if (ids.has(fill.id)) world.find("high", `a fill twice in one list ${fill.id}`);
      ids.add(fill.id);
      judgeFill(world, fill);
    }
  }
  for (const [key, count] of events) if (count > 1) world.find("high", `fill.created told ${count} times: ${key}`);
  world.fillEvents = events;
}

function judgeFill(world, fill) {
  world.judged ??= new Set();
  const key = `${fill.account} ${fill.id} ${fill.order_id} ${fill.exchange_order_id}`;
  if (world.judged.has(key)) return;
  world.judged.add(key);
  const account = world.venue.accounts.get(world.addresses.get(fill.account));
  const truth = account.fills.find((of) => String(of.oid) === fill.exchange_order_id && fill.id.includes(`-${of.tid}`));
  if (!truth) return world.find("CRITICAL", "a fill that never was", { fill });
  if (
    grains(fill.price) !== truth.px ||
    grains(fill.size) !== truth.size ||
    (fill.side === "buy") !== truth.isBuy ||
    fill.market !== truth.coin
  )
    world.find("CRITICAL", "a fill told wrongly", { fill });
  if (fill.order_id && fill.order_id[14] !== "8") {
    const legs = chain(world, fill.order_id, null);
    if (legs.length > 0 && !legs.some((leg) => String(leg.oid) === fill.exchange_order_id))
      world.find("CRITICAL", "a fill told under another order", { fill });
  }
}

/** Positions told, against every true size since the newest change that was told before the question. */
export function judgePositions(world) {
  const known = [];
  for (const row of world.tape.rows) {
    if (row.kind === "event" && row.type === "fill.created")
      known.push({
        heard: row.at,
        account: row.account,
        market: row.data.data.market,
        at: fillAt(world, row.data.data),
      });
    const order = row.kind === "told" && row.json?.object === "order" ? row.json : null;
    if (order?.filled_size && grains(order.filled_size) > 0n)
      known.push({ heard: row.answered, account: row.account, market: order.market, at: reachedAt(world, order) });
  }
  for (const row of world.tape.of("told")) {
    if (row.status !== 200 || !row.path.startsWith("/v1/positions")) continue;
    const account = world.venue.accounts.get(row.account && world.addresses.get(row.account));
    for (const market of world.venue.markets.filter((of) => !of.spot)) {
      const told = row.json.data.find((of) => of.market === market.coin);
      if (!told && row.json.has_more) continue;
      const size = told ? grains(told.size) * (told.side === "long" ? 1n : -1n) : 0n;
      const since = Math.max(
        0,
        ...known
          .filter((of) => of.account === row.account && of.market === market.coin && of.heard < row.asked && of.at)
          .map((of) => of.at),
      );
      const past = account.positions.get(market.coin)?.rows ?? [];
      const could = [
        account.positions.get(market.coin)?.at(since)?.size ?? 0n,
        ...past.filter((of) => of.at > since && of.at <= row.answered + 2).map((of) => of.value.size),
      ];
      if (!could.includes(size)) {
        const before = past.some((of) => of.value.size === size && of.at <= row.answered) || size === 0n;
        world.find(
          before ? "high" : "CRITICAL",
          `position of ${market.coin} told ${text(size)}, since what was told before it was ${could.map(text).slice(0, 6)}`,
          { asked: row.asked, asOf: row.headers["x-data-as-of"] ?? null, account: row.account },
        );
      }
    }
  }
}

function fillAt(world, fill) {
  const account = world.venue.accounts.get(world.addresses.get(fill.account));
  return account.fills.find((of) => String(of.oid) === fill.exchange_order_id && fill.id.includes(`-${of.tid}`))?.at;
}
function reachedAt(world, order) {
  const legs = chain(world, order.id, order.exchange_order_id);
  const goal = grains(order.filled_size);
  const moments = legs.flatMap((leg) => leg.fills.map((of) => of.at)).sort((a, b) => a - b);
  return moments.find((at) => filledOf(world, legs, at) >= goal);
}
