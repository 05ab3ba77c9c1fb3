// Whole trades and triggers, while every source is late by its own.
import { abs, d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { lags } from "./canceled.mjs";
import { finish, rich, sluggish } from "./races.mjs";

function byCloid(h, pick) {
  return [...h.x.orders.values()].filter((o) => o.cloid && !o.foreign && pick(o));
}
function entryOf(h, since) {
  return byCloid(h, (o) => o.born >= since && !o.trigger && !o.reduceOnly).at(-1);
}
function stopsOf(h, coin) {
  return byCloid(h, (o) => o.coin === coin && o.trigger && h.x.live(o));
}
async function open(h, say, name, side = "buy", market = "ETH", prices = ["2480", "2400", "2600"]) {
  const t = await h.post(
    "/v1/trades",
    {
      account: h.account,
      market,
      side,
      size: "0.3",
      entry: { price: prices[0] },
      stop_loss: { trigger_price: prices[1] },
      ...(prices[2] ? { take_profit: { trigger_price: prices[2] } } : {}),
    },
    name,
  );
  if (![200, 201, 202].includes(t.status)) say(`${name}: ${t.status} ${t.text}`);
  return t.json;
}
async function told(h, id) {
  return (await h.get(`/v1/trades/${id}`)).json;
}
// What is said of a trade: never more protected than the stops at the exchange in the time that it may speak of.
function protection(h, say, market, graceMs) {
  for (const s of h.said) {
    const t =
      s.json?.object === "trade" ? s.json : s.json?.data?.object === "trade" ? s.json.data : s.json?.data?.trade;
    if (!t || t.market !== market) continue;
    const at = s.t1;
    const snaps = h.x.snaps.filter((n, i) => n.t <= at && (h.x.snaps[i + 1]?.t ?? Infinity) >= s.t0 - graceMs);
    const good = snaps.some((n) => {
      const held = abs(n.state.positions.get(market)?.szi ?? 0n);
      const stops = n.state.open
        .filter((o) => o.coin === market && o.trigger?.tpsl === "sl")
        .reduce((a, o) => a + o.sz, 0n);
      return stops >= held;
    });
    if (t.protected && t.held_size !== "0" && !good)
      say(`${s.method} ${s.path}: protected, held ${t.held_size}, and no stops cover it`);
    if (["closed", "closed_outside", "canceled", "rejected"].includes(t.status)) {
      const entry =
        t.entry.order?.id &&
        [...h.x.orders.values()].find((o) => o.cloid === `0x${t.entry.order.id.replaceAll("-", "")}`);
      if (entry && h.x.live(entry) && entry.born < at) say(`${s.path}: ${t.status}, and the entry lives`);
    }
  }
}
async function ended(h, say, id, seconds = 50) {
  const end = await h.until("end", async () => ((t) => t?.ended_at && t)(await told(h, id)), seconds);
  if (!end) say(`the trade has no end: ${JSON.stringify(await told(h, id))}`);
  return end;
}
async function checkEnd(h, say, end, held) {
  await pause(1000);
  const left = stopsOf(h, "ETH");
  if (end && h.x.holding("ETH").szi === 0n && left.length) say(`${end.status}: ${left.length} triggers are left`);
  if (end && held !== undefined && end.held_size !== held) say(`ended with held_size ${end.held_size}`);
}
async function stopWhileModified(h, say) {
  for (const i of [(h.seed - 1) % 3]) {
    lags(h, [300, 2500, 5000][i]);
    sluggish(h, 200, 0);
    const since = Date.now();
    h.x.setMid("ETH", "2500");
    const t = await open(h, say, `swm-${i}`);
    if (!t?.id) continue;
    const entry = await h.until("entry", () => entryOf(h, since), 15);
    if (!entry) {
      say(`no entry: ${JSON.stringify(await told(h, t.id))}`);
      continue;
    }
    h.x.fill(entry, d("0.12"), entry.px);
    const moving = h.post(`/v1/orders/${entry.cloid}/modify`, { price: "2470" }, `swm-${i}-modify`);
    const shift = h.post(`/v1/trades/${t.id}/modify`, { stop_loss: { trigger_price: "2410" } }, `swm-${i}-shift`);
    await pause(h.x.rnd() * 400);
    h.x.setMid("ETH", "2395");
    await Promise.all([moving, shift, told(h, t.id), h.get("/v1/positions"), h.get("/v1/orders?status=open")]);
    const end = await ended(h, say, t.id);
    h.notes.push(
      `${end?.status} filled ${end?.filled_size} held ${end?.held_size} ${end?.error ?? ""}; position ${plain(h.x.holding("ETH").szi)}`,
    );
    await checkEnd(h, say, end);
    const held = h.x.holding("ETH").szi;
    if (held !== 0n) h.x.hand("ETH", held > 0n ? "A" : "B", plain(abs(held)), "2395");
    await pause(500);
  }
  protection(h, say, "ETH", 7000);
  await finish(h, say);
}
async function bothGuards(h, say) {
  // The take-profit fills a part, then the stop fires: both have sold.
  for (const i of [(h.seed - 1) % 3]) {
    lags(h, [300, 2500, 5000][i]);
    const since = Date.now();
    h.x.setMid("ETH", "2500");
    const t = await open(h, say, `both-${i}`);
    if (!t?.id) continue;
    const entry = await h.until("entry", () => entryOf(h, since), 15);
    if (!entry) {
      say("no entry");
      continue;
    }
    h.x.fill(entry, entry.sz, entry.px);
    await h.until(
      "guards",
      () =>
        stopsOf(h, "ETH").some((o) => o.trigger.tpsl === "tp") &&
        stopsOf(h, "ETH").some((o) => o.trigger.tpsl === "sl"),
      15,
    );
    const tp = stopsOf(h, "ETH").find((o) => o.trigger.tpsl === "tp");
    if (tp) {
      h.x.set(tp, "triggered");
      h.x.fill(tp, d("0.1"), d("2600"), { crossed: true });
      await pause(h.x.rnd() * 200);
    }
    h.x.setMid("ETH", "2395");
    if (tp && h.x.live(tp)) h.x.set(tp, "reduceOnlyCanceled");
    await Promise.all([told(h, t.id), h.get("/v1/positions"), h.get("/v1/orders?status=open")]);
    const end = await ended(h, say, t.id);
    h.notes.push(
      `${end?.status} filled ${end?.filled_size} held ${end?.held_size}; position ${plain(h.x.holding("ETH").szi)}`,
    );
    if (h.x.holding("ETH").szi < 0n) say(`both guards turned the position: ${plain(h.x.holding("ETH").szi)}`);
    await checkEnd(h, say, end);
    await pause(500);
  }
  protection(h, say, "ETH", 7000);
  await finish(h, say);
}
async function guardTaken(h, say) {
  // The exchange takes the stop away by itself while the entry fills.
  const words = ["reduceOnlyCanceled", "siblingFilledCanceled", "internalCancel", "marginCanceled", "canceled"];
  for (const i of [(h.seed - 1) % 4]) {
    lags(h, [300, 1500, 4000, 6000][i]);
    const since = Date.now();
    h.x.setMid("ETH", "2500");
    const t = await open(h, say, `taken-${i}`);
    if (!t?.id) continue;
    const entry = await h.until("entry", () => entryOf(h, since), 15);
    if (!entry) {
      say("no entry");
      continue;
    }
    h.x.fill(entry, d("0.2"), entry.px);
    await pause(h.x.rnd() * 300);
    for (const s of stopsOf(h, "ETH")) h.x.cancelOne(s, words[(i + h.seed) % words.length]);
    for (let k = 0; k < 5; k++) {
      await told(h, t.id);
      await pause(700);
    }
    const now = await told(h, t.id);
    const held = abs(h.x.holding("ETH").szi);
    const stops = stopsOf(h, "ETH")
      .filter((o) => o.trigger.tpsl === "sl")
      .reduce((a, o) => a + o.sz, 0n);
    h.notes.push(
      `${now.status} protected ${now.protected} held ${now.held_size} ${now.unprotected_because ?? ""}; at the exchange ${plain(held)} with stops ${plain(stops)}`,
    );
    if (held !== 0n) h.x.hand("ETH", "A", plain(held), "2499");
    const end = await ended(h, say, t.id, 50);
    await checkEnd(h, say, end);
  }
  protection(h, say, "ETH", 8000);
  await finish(h, say);
}
async function ownHand(h, say) {
  // The owner turns the position, closes it, and opens it again while the trade is entering.
  lags(h, 2500);
  const since = Date.now();
  const t = await open(h, say, "hand-1");
  const entry = await h.until("entry", () => entryOf(h, since), 15);
  if (!entry) return say("no entry");
  h.x.fill(entry, d("0.2"), entry.px);
  await pause(1200);
  h.x.hand("ETH", "A", "0.5", "2499");
  for (let k = 0; k < 8; k++) {
    await Promise.all([told(h, t.id), h.get("/v1/positions"), h.get("/v1/account")]);
    await pause(500);
  }
  h.x.hand("ETH", "B", "0.3", "2501");
  const end = await ended(h, say, t.id, 30);
  h.notes.push(
    `${end?.status} held ${end?.held_size} filled ${end?.filled_size} ${end?.error}; left ${stopsOf(h, "ETH").length}, position ${plain(h.x.holding("ETH").szi)}`,
  );
  await checkEnd(h, say, end, "0");
  protection(h, say, "ETH", 6000);
  await finish(h, say);
}
async function positionTpsl(h, say) {
  // Guards that the owner has set on the exchange's site for the whole position; they fire beside the trade's own.
  lags(h, 2000);
  const since = Date.now();
  h.x.hand("ETH", "B", "0.2", "2501");
  const site = h.x.place(
    { a: 1, b: false, p: "2200", s: "0.5", r: true, t: { trigger: { isMarket: true, triggerPx: "2420", tpsl: "sl" } } },
    undefined,
    "positionTpsl",
  );
  if (site !== "waitingForTrigger") say(JSON.stringify(site));
  const t = await open(h, say, "tpsl-1");
  const entry = await h.until("entry", () => entryOf(h, since), 15);
  if (!entry) return say(`no entry ${JSON.stringify(await told(h, t.id))}`);
  h.x.fill(entry, entry.sz, entry.px);
  await h.until("guards", () => stopsOf(h, "ETH").length > 0, 12);
  await Promise.all([told(h, t.id), h.get("/v1/orders?status=open"), h.get("/v1/positions")]);
  h.x.setMid("ETH", "2415");
  const end = await ended(h, say, t.id, 35);
  h.notes.push(
    `${end?.status} held ${end?.held_size}; position ${plain(h.x.holding("ETH").szi)}, triggers ${stopsOf(h, "ETH").length}`,
  );
  await checkEnd(h, say, end);
  protection(h, say, "ETH", 6000);
  await finish(h, say);
}
const more = { before: rich, slack: 9000 };
export const scenes = {
  "stop-while-modified": {
    about: "a stop fires while entry and stop are being modified",
    play: stopWhileModified,
    ...more,
  },
  "both-guards": { about: "take-profit in part, then the stop", play: bothGuards, ...more },
  "guard-taken": { about: "the exchange takes the stop of a trade away while it fills", play: guardTaken, ...more },
  "own-hand": { about: "the owner turns the position of a trade by hand", play: ownHand, ...more },
  "position-tpsl": {
    about: "a guard of the whole position from the exchange's site fires beside a trade's own",
    play: positionTpsl,
    ...more,
  },
};
