// Two clients, or a hundred, at the same instant.
import { d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { legsOf } from "../judge.mjs";

export function rich(h) {
  h.x.cash.set("", d("100000"));
  h.x.cash.set("xyz", d("10000"));
  h.x.cash.set("hyna", d("10000"));
  h.x.balance("USDC", d("5000"));
}
// Each store behind by something drawn for each request.
export function behind(h, most, ws = 0) {
  for (const store of ["positions", "spot", "open", "status", "history", "fills", "twaps", "funding", "ledger"])
    h.x.lag[store] = () => Math.floor(h.x.rnd() * most);
  h.x.lag.ws = ws;
}
export function sluggish(h, most, lose = 0) {
  h.x.before = async (body) => {
    await pause(h.x.rnd() * most);
    return body.action.type !== "noop" && h.x.rnd() < lose ? "swallow" : "run";
  };
  h.x.after = async (body) => {
    await pause(h.x.rnd() * most);
    return body.action.type !== "noop" && h.x.rnd() < lose ? "lose" : undefined;
  };
}
async function sameKey(h, say) {
  behind(h, 3000, 200);
  sluggish(h, 400, 0.3);
  for (let round = 0; round < 3; round++) {
    const name = `same-key-${round}`;
    const asks = Array.from({ length: 100 }, (_, i) =>
      h.order("BTC", "buy", i % 2 ? "0.010" : "0.01", "60000", name, i % 3 ? {} : { reduce_only: false }),
    );
    const answers = await Promise.all(asks);
    const kinds = new Set(answers.map((a) => a.status));
    for (const a of answers) if (![200, 201, 202].includes(a.status)) say(`${name}: ${a.status} ${a.text}`);
    const settled = new Set(answers.filter((a) => a.status !== 202).map((a) => a.text.replace(/"(size)":"[^"]*"/, "")));
    if (settled.size > 1) say(`${name}: ${settled.size} settled answers: ${[...settled].join(" | ")}`);
    const orders = [...h.x.orders.values()].filter((o) => o.cloid === `0x${answers[0].json.id.replaceAll("-", "")}`);
    if (orders.length > 1) say(`${name}: ${orders.length} orders`);
    h.notes.push(`${name}: ${[...kinds]}`);
  }
  await finish(h, say);
}
async function otherBodies(h, say) {
  behind(h, 2000, 100);
  sluggish(h, 300, 0.2);
  for (let round = 0; round < 4; round++) {
    const name = `other-body-${round}`;
    const before = h.x.orders.size;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        h.order(["BTC", "ETH"][i % 2], "buy", "0.01", i % 2 ? "2000" : `6000${i % 5}`, name),
      ),
    );
    const good = answers.filter((a) => a.status < 300);
    const ids = new Set(good.map((a) => a.json.id));
    if (ids.size !== 1) say(`${name}: ${ids.size} ids`);
    for (const a of answers)
      if (a.status >= 300 && !(a.status === 409 && a.json.error.code === "idempotency_key_reused"))
        say(`${name}: ${a.status} ${a.text}`);
    const bodies = new Set(good.map((a) => `${a.json.market} ${a.json.price}`));
    if (bodies.size !== 1) say(`${name}: one id told with ${[...bodies]}`);
    await pause(1000);
    if (h.x.orders.size - before > 1) say(`${name}: ${h.x.orders.size - before} orders at the exchange`);
  }
  await finish(h, say);
}
export async function finish(h, say, seconds = 25) {
  h.x.before = null;
  h.x.after = null;
  h.x.lag = {};
  await pause(500);
  const ids = new Set(h.said.flatMap((s) => (s.json?.object === "order" ? [s.json.id] : [])));
  await h.until(
    "settled",
    async () => {
      let open = 0;
      for (const id of ids)
        if (["unknown", "processing"].includes((await h.get(`/v1/orders/${id}`)).json?.status)) open++;
      return open === 0;
    },
    seconds,
  );
  for (const id of ids) {
    const order = (await h.get(`/v1/orders/${id}`)).json;
    const row = (await h.pages("/v1/orders")).rows.find((r) => r.id === id);
    if (row && order && (row.status !== order.status || row.filled_size !== order.filled_size))
      say(`list and order differ: ${JSON.stringify(row)} ${JSON.stringify(order)}`);
  }
  // Every name again: what was settled has to come back as it was.
  const last = new Map();
  for (const s of h.said) if (s.name && s.method === "POST" && s.sent) last.set(s.name, s);
}
async function atOnce(h, say) {
  behind(h, 1500, 150);
  sluggish(h, 250, 0.1);
  for (let round = 0; round < 6; round++) {
    const made = await h.order("BTC", "buy", "0.01", "60000", `at-once-${round}`);
    if (!made.json?.id) {
      say(`place: ${made.status} ${made.text}`);
      continue;
    }
    const path = `/v1/orders/${made.json.id}`;
    const act = [
      h.post(`${path}/modify`, { price: "61000" }, `at-once-${round}-modify`),
      h.post(`${path}/cancel`, {}, `at-once-${round}-cancel`),
      h.post(`${path}/modify`, { price: "60500", size: "0.02" }, `at-once-${round}-modify2`),
      h.post("/v1/orders/cancel-all", { account: h.account, market: "BTC" }, `at-once-${round}-all`),
    ];
    if (round % 2) {
      await pause(h.x.rnd() * 300);
      const leg = legsOf(h.x, made.json).at(-1);
      if (leg && h.x.live(leg)) h.x.fill(leg, d("0.004"), leg.px);
    }
    await Promise.all(act);
    await Promise.all([h.get(path), h.get("/v1/orders?status=open"), h.get("/v1/positions")]);
  }
  await finish(h, say);
  for (const o of h.x.orders.values()) if (h.x.live(o)) say(`a canceled order lives: ${o.oid} ${plain(o.sz)}`);
}
async function closing(h, say) {
  behind(h, 1500, 100);
  sluggish(h, 250, 0.1);
  for (let round = 0; round < 4; round++) {
    h.x.hand("BTC", "B", "0.02", "64001");
    await pause(400);
    const answers = await Promise.all(
      [0, 1, 2].map((i) =>
        h.post(
          "/v1/positions/close",
          { account: h.account, market: "BTC", ...(i === 2 ? { fraction: "0.5" } : {}) },
          `close-${round}-${i}`,
        ),
      ),
    );
    h.notes.push(answers.map((a) => `${a.status} ${a.json?.error?.code ?? a.json?.status}`).join(", "));
    await pause(1500);
    const held = h.x.holding("BTC").szi;
    if (held < 0n) say(`closing turned the position: ${plain(held)}`);
    if (held > 0n) h.x.hand("BTC", "A", plain(held), "63999");
    await pause(300);
  }
  await finish(h, say);
}
async function stopping(h, say) {
  behind(h, 1500, 100);
  sluggish(h, 300, 0.2);
  const asks = [];
  for (let i = 0; i < 40; i++) {
    asks.push(h.order(i % 2 ? "BTC" : "ETH", "buy", "0.01", i % 2 ? "60000" : "2300", `stopping-${i}`));
    if (i === 15) asks.push(h.post("/v1/stop", { scope: "account" }, "stopping-stop"));
    await pause(20);
  }
  const answers = await Promise.all(asks);
  const stop = answers.find((a) => a.json?.object === "stop");
  if (!stop) return say(`no stop: ${answers.map((a) => a.status)}`);
  const ends = await h.until(
    "stopped",
    async () => ((s) => s.status === 200 && s.json.status === "stopped" && s)(await h.get(`/v1/stops/${stop.json.id}`)),
    60,
  );
  if (!ends) say(`not stopped after 60 s: ${(await h.get(`/v1/stops/${stop.json.id}`)).text.slice(0, 700)}`);
  else
    for (const o of h.x.orders.values())
      if (h.x.live(o) && !o.reduceOnly) say(`told stopped, and ${o.oid} lives (${o.cloid})`);
  const after = await h.order("BTC", "buy", "0.01", "60000", "after-stop");
  if (after.json?.error?.code !== "trading_stopped") say(`after the stop: ${after.status} ${after.text}`);
  await finish(h, say);
}
async function revoking(h, say) {
  sluggish(h, 200, 0);
  const other = await h.newKey();
  const hash = h.keys[other].hash;
  const asks = [];
  const { run } = await import("../house.mjs");
  for (let i = 0; i < 30; i++) {
    asks.push(h.order("BTC", "buy", "0.01", "60000", `revoking-${i}`, {}, other));
    if (i === 12) asks.push(run(["key", "block", hash, "--cancel-orders", "--data-dir", h.dir]));
    await pause(40);
  }
  const answers = await Promise.all(asks);
  const blocked = answers.find((a) => "code" in a);
  if (blocked.code !== 0) say(`block: ${blocked.out} ${blocked.err}`);
  await pause(3000);
  for (const a of answers) {
    if ("code" in a) continue;
    const had = [...h.x.orders.values()].some((o) => a.json?.id && o.cloid === `0x${a.json.id.replaceAll("-", "")}`);
    if (a.status === 401 && had) say("401 and it was sent");
  }
  for (let i = 0; i < 30; i++) {
    const again = await h.order("BTC", "buy", "0.01", "60000", `revoking-${i}`, {}, other);
    if (![401, 429].includes(again.status)) say(`a blocked key answers ${again.status}`);
  }
  const sent = answers.filter((a) => a.status === 201).length;
  if (h.x.orders.size > sent + answers.filter((a) => a.status === 202).length)
    say(`${h.x.orders.size} orders, ${sent} told`);
  for (const o of h.x.orders.values()) if (h.x.live(o)) say(`${o.oid} lives after block --cancel-orders`);
}
export const scenes = {
  "same-key": {
    about: "a hundred requests under one key at once, answers lost",
    before: rich,
    play: sameKey,
    slack: 6000,
  },
  "other-bodies": {
    about: "a hundred requests under one key with other bodies at once",
    before: rich,
    play: otherBodies,
    slack: 6000,
  },
  "at-once": {
    about: "two modifies, a cancel and a cancel-all of one order at the same instant",
    before: rich,
    play: atOnce,
    slack: 4000,
  },
  closing: { about: "three closes of one position at the same instant", before: rich, play: closing, slack: 4000 },
  stopping: { about: "a stop in the midst of forty placings", before: rich, play: stopping, slack: 4000 },
  revoking: { about: "a key blocked in the midst of thirty placings", before: rich, play: revoking, slack: 4000 },
};
