// What scenes share: wishes that wait their turn, faults for the next action of a kind, and the reading back of a thing.
import { sleep } from "./server.mjs";
import { patient } from "./settle.mjs";

export { sleep };

// The next action that fits meets this plan; others go through.
export function meet(world, fits, plan, times = 1) {
  const { exchange } = world;
  const before = exchange.onAction;
  let left = times;
  exchange.onAction = (envelope, arrival) => {
    if (left > 0 && fits(envelope.action)) {
      left--;
      return typeof plan === "function" ? plan(envelope, arrival) : plan;
    }
    return before(envelope, arrival);
  };
}

export const isOrder = ({ type }) => type === "order";
export const isNoop = ({ type }) => type === "noop";
export const isCancel = ({ type }) => type === "cancel" || type === "cancelByCloid";
export const placesPlain = ({ type, orders }) =>
  type === "order" && orders.some((order) => !order.r && !order.t.trigger);
export const placesTrigger = ({ type, orders }) => type === "order" && orders.some((order) => order.t.trigger);
export const increases = ({ type, orders, modifies, twap }) =>
  (type === "order" && orders.some(({ r }) => !r)) ||
  (type === "batchModify" && modifies.some(({ order }) => !order.r)) ||
  (type === "twapOrder" && !twap.r);

export const post = (world, route, body, key = world.key) =>
  world.tape.want(
    key,
    route,
    route.startsWith("/v1/orders") && !/cancel$|modify$/.test(route) ? { account: world.account, ...body } : body,
  );
export const place = (world, body, key) => post(world, "/v1/orders", { time_in_force: "gtc", ...body }, key);
export const trade = (world, body, key = world.key) =>
  world.tape.want(key, "/v1/trades", { account: world.account, ...body });
export const read = async (world, route, key = world.key) => (await patient(world, key, route)).answer;

export async function until(test, withinMs = 20_000, everyMs = 250) {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(everyMs)) {
    const found = await test();
    if (found) return found;
  }
}

export const oidOf = (answer) => Number(answer.exchange_order_id);
export const held = (world, coin) => world.engine.positionOf(coin).szi;
export const armed = (world, coin) =>
  world.engine
    .live()
    .filter((order) => order.coin === coin && order.ro && order.trigger)
    .reduce((sum, order) => sum + order.sz, 0);
