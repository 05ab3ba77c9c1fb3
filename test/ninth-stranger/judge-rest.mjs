// When all is calm: everything is asked for once more, and has to be exactly what is.
import { grains, text } from "./grain.mjs";
import { chain, filledOf, trueStatus } from "./judge-orders.mjs";
import { perpState } from "./shows.mjs";

export async function judgeRest(world) {
  for (const caller of world.callers) {
    await ordersAtRest(world, caller);
    await fillsAtRest(world, caller);
    await positionsAtRest(world, caller);
    await twapsAtRest(world, caller);
    await spotAtRest(world, caller);
  }
}

async function ordersAtRest(world, caller) {
  const { rows, page } = await caller.pages("/v1/orders");
  if (page?.status !== 200) world.find("high", `orders at rest: ${page?.status} ${page?.text?.slice(0, 200)}`);
  for (const listed of rows) {
    const told = await caller.get(`/v1/orders/${listed.id}`);
    if (told.status !== 200) {
      world.find("high", `${listed.id} at rest: ${told.status} ${told.json?.error?.code}`, { listed });
      continue;
    }
    atRest(world, told.json);
    if (rows.indexOf(listed) % 4 === 0) await storyAtRest(world, caller, told.json);
    if (listed.status !== told.json.status)
      world.find("soft", `${listed.id} listed ${listed.status}, read ${told.json.status}`);
  }
  const open = await caller.pages("/v1/orders?status=open");
  const account = world.truth(caller);
  const truly = new Set(account.orders.filter((of) => world.venue.isOpen(of)).map((of) => String(of.oid)));
  const told = new Set(open.rows.map((of) => of.exchange_order_id));
  for (const oid of truly)
    if (!told.has(oid))
      world.find("CRITICAL", `open order ${oid} is not listed at rest`, {
        coin: world.venue.byOid.get(Number(oid)).coin,
        account: caller.account,
      });
  for (const of of open.rows)
    if (of.exchange_order_id && !truly.has(of.exchange_order_id))
      world.find(
        "CRITICAL",
        `${of.id} listed open at rest, truly ${world.venue.byOid.get(Number(of.exchange_order_id))?.states.now.status}`,
        { told: of },
      );
}

function atRest(world, order) {
  const legs = chain(world, order.id, order.exchange_order_id);
  const at = Date.now();
  if (order.status === "unknown" || order.status === "processing") {
    const truth = legs.length ? trueStatus(world, legs, at) : "never there";
    return world.find(
      "high",
      `${order.id} still ${order.status} ${Math.round(world.restMs / 1000)} s after all is calm, truly ${truth}`,
      { told: order },
    );
  }
  if (legs.length === 0) return;
  const truth = trueStatus(world, legs, at);
  const last = legs.at(-1);
  const isWaived = order.status === "filled" && truth === "canceled" && last.tif === "Ioc";
  if (truth !== order.status && !isWaived)
    world.find(
      "CRITICAL",
      `${order.id} at rest told ${order.status}, truly ${truth} (${legs.map((leg) => leg.states.now.status)})`,
      { told: order },
    );
  if (isWaived) world.find("soft", `${order.id} an ioc filled in part is still told filled at rest`, { told: order });
  const filled = filledOf(world, legs, at);
  if (order.filled_size !== null && grains(order.filled_size) !== filled)
    world.find("CRITICAL", `${order.id} at rest filled ${order.filled_size}, truly ${text(filled)}`, { told: order });
  if (order.filled_size === null && filled > 0n)
    world.find("high", `${order.id} at rest filled null, truly ${text(filled)}`, { told: order });
  if (
    order.exchange_order_id !== String(last.oid) &&
    truth !== "rejected" &&
    !last.states.now.status.endsWith("Rejected")
  )
    world.find("high", `${order.id} at rest is ${order.exchange_order_id}, truly ${last.oid}`, { told: order });
  if (filled > 0n && order.average_price !== null) {
    const worth = legs.flatMap((leg) => leg.fills).reduce((sum, of) => sum + of.size * of.px, 0n);
    const mean = worth / filled;
    if (grains(order.average_price) !== mean)
      world.find("high", `${order.id} average price ${order.average_price}, truly ${text(mean)}`, { told: order });
  }
}

/** The story names every order at the exchange behind it, and none besides. */
async function storyAtRest(world, caller, order) {
  const { json, status } = await caller.get(`/v1/orders/${order.id}/story`);
  if (status !== 200) return world.find("high", `${order.id} has no story: ${status}`);
  const truly = chain(world, order.id, order.exchange_order_id).map((leg) => String(leg.oid));
  const told = json.legs.map((leg) => leg.exchange_order_id).filter(Boolean);
  for (const oid of told)
    if (!truly.includes(oid)) world.find("high", `the story of ${order.id} names ${oid}, truly ${truly}`);
  if (json.order.status !== order.status)
    world.find("high", `the story of ${order.id} ends ${json.order.status}, read ${order.status}`);
}

async function fillsAtRest(world, caller) {
  const { rows } = await caller.pages("/v1/fills");
  const told = new Map(rows.map((of) => [`${of.exchange_order_id} ${of.id.split("-")[0]} ${of.price} ${of.size}`, of]));
  for (const fill of world.truth(caller).fills) {
    const key = `${fill.oid} ${fill.shownAt} ${text(fill.px)} ${text(fill.size)}`;
    if (!told.has(key))
      world.find("CRITICAL", `a fill is lost at rest: ${key} of ${fill.coin}`, {
        tid: fill.tid,
        at: fill.at,
        account: caller.account,
      });
    const shown = told.get(key);
    const ours = world.venue.byOid.get(fill.oid);
    if (shown && ours?.by && shown.order_id === null)
      world.find("high", `a fill of ours is told as nobody's: ${key}`, { fill: shown });
    if (
      shown &&
      !world.tape.rows.some(
        (of) =>
          of.kind === "event" &&
          of.type === "fill.created" &&
          of.data.data.id === shown.id &&
          of.account === caller.account,
      )
    )
      world.find("high", `no event told of the fill ${shown.id}`, { at: fill.at });
  }
}

async function positionsAtRest(world, caller) {
  const { rows, page } = await caller.pages("/v1/positions");
  if (page?.status !== 200)
    return world.find("high", `positions at rest: ${page?.status} ${page?.text?.slice(0, 200)}`);
  for (const market of world.venue.markets.filter((of) => !of.spot)) {
    const told = rows.find((of) => of.market === market.coin);
    const size = told ? grains(told.size) * (told.side === "long" ? 1n : -1n) : 0n;
    const truly = world.venue.held(world.truth(caller), market.coin);
    if (size !== truly)
      world.find("CRITICAL", `position of ${market.coin} at rest told ${text(size)}, truly ${text(truly)}`, {
        account: caller.account,
      });
    const leverage = world.venue.leverageOf(world.truth(caller), market.coin);
    if (told && (told.leverage !== leverage.value || told.margin_type !== leverage.type))
      world.find(
        "high",
        `leverage of ${market.coin} told ${told.leverage} ${told.margin_type}, truly ${leverage.value} ${leverage.type}`,
      );
  }
}

async function twapsAtRest(world, caller) {
  const { rows, page } = await caller.pages("/v1/twaps");
  if (page?.status !== 200) return world.find("high", `TWAPs at rest: ${page?.status} ${page?.text?.slice(0, 200)}`);
  const words = { activated: "running", terminated: "canceled", finished: "finished" };
  for (const row of world.truth(caller).twaps) {
    const told = rows.find((of) => of.exchange_id === String(row.id));
    if (!told) {
      world.find("high", `TWAP ${row.id} is not listed`);
      continue;
    }
    if (grains(told.filled_size ?? "0") !== row.states.now.done)
      world.find("CRITICAL", `TWAP ${row.id} filled ${told.filled_size}, truly ${text(row.states.now.done)}`, { told });
    if (told.status !== words[row.states.now.status])
      world.find("CRITICAL", `TWAP ${row.id} told ${told.status}, truly ${row.states.now.status}`, { told });
  }
  const { rows: operations } = await caller.pages("/v1/operations");
  for (const of of operations)
    if (["unknown", "processing"].includes(of.status))
      world.find(
        "high",
        `operation ${of.id} ${of.action} still ${of.status} ${Math.round(world.restMs / 1000)} s after all is calm`,
        { told: of },
      );
}

async function spotAtRest(world, caller) {
  const told = await caller.get("/v1/account");
  if (told.status !== 200) return world.find("high", `account at rest: ${told.status} ${told.text.slice(0, 200)}`);
  for (const of of told.json.perpetuals) {
    const truly = perpState(world.venue, world.truth(caller), Date.now(), of.dex).marginSummary.accountValue;
    if (Math.abs(Number(of.equity) - Number(truly)) > 0.001)
      world.find("high", `equity of "${of.dex}" at rest told ${of.equity}, truly ${truly}`);
  }
  for (const [token, past] of world.truth(caller).tokens) {
    const row = told.json.spot.find((of) => of.token_id === token);
    if (!row || grains(row.total) !== past.now)
      world.find("high", `token ${token} at rest told ${row?.total}, truly ${text(past.now)}`);
  }
}
