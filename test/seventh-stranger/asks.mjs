// What scenes ask for, and say when it is not so.
import { num, sleep } from "./codec.mjs";
import { nextKey, priceAt } from "./play.mjs";

/** Places an order once, of a size of its own and so many times the mark: `what` is market, side and times. */
export async function once(world, client, what, more = {}) {
  const [coin, side, times] = what;
  const { key = nextKey(world, "scene"), ...members } = more;
  const size = more.size ?? world.size(coin);
  const body = { account: client.account, market: coin, side, size, price: priceAt(world, coin, times), ...members };
  const isOfItsOwn = more.size === undefined && !more.reduce_only;
  world.intend({
    client: client.name,
    key,
    path: "/v1/orders",
    json: JSON.stringify(body),
    ...(isOfItsOwn ? { coin, size, side } : {}),
  });
  return patiently(client, "/v1/orders", body, key);
}

/** Says `what` where it is not so: "high", unless it begins with another word for how bad it is. */
export function expect(world, what, isSo, detail) {
  const [, severity = "high", words] = /^(?:(CRITICAL|soft): )?(.*)$/.exec(what);
  if (!isSo) world.judge.say(severity, words, detail);
}

export const brief = (e) => ({
  id: `${e.method} ${e.path} ${e.idempotency ?? ""}`,
  status: e.status || e.fault,
  answer: e.raw?.slice(0, 400),
});

export const placedOf = (world, client, coin, size) =>
  world.chain.log.filter(
    (e) => e.what === "order" && e.account === client.address && e.market === coin && num(e.sz) === num(size),
  );
export const bodyOf = (world, client, coin = "BTC", more = {}) => ({
  account: client.account,
  market: coin,
  side: "buy",
  size: world.size(coin),
  price: priceAt(world, coin, "0.9"),
  ...more,
});

/** Waits as it is told to, with the same key, where nothing was sent. */
export async function patiently(client, path, body, key) {
  for (let attempt = 0; ; attempt++) {
    const entry = await client.post(path, body, key);
    if (![429, 503].includes(entry.status) || attempt > 3) return entry;
    await sleep(entry.retryAfter * 1000 + 200);
  }
}

/** The fate of the next action of a type; the others are well. */
export function nextFate(world, type, name, seconds = 5) {
  let isUsed = false;
  world.exchange.fate = (envelope) => {
    if (isUsed || (type && envelope.action.type !== type)) return "ok";
    isUsed = true;
    return { name, seconds };
  };
}
