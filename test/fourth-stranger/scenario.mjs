// What seed 32 found, by hand: a modify that never arrived, its empty actions unanswered, the order canceled meanwhile.
// Letters of a variant: n no stream, l a history of latest states only, L lagging stores, f no fills, c no cancel; a: none of these.
import fs from "node:fs";
import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { MARKETS, sleep } from "./markets.mjs";

export async function playScenario({ binary, variant, seconds = 90, keep }) {
  const begunAt = Date.now();
  const lines = [];
  const log = (k, v) => lines.push(JSON.stringify({ ms: Date.now() - begunAt, k, ...v }));
  const has = (letter) => variant.includes(letter);
  const ex = new Exchange(
    1,
    {
      ws: !has("n"),
      maxLag: 10_000,
      fresh: 0.3,
      infoFault: 0,
      rejects: 0,
      doubleLap: 0,
      fates: { ok: 1 },
      traceInfo: true,
      historyLatestOnly: has("l"),
    },
    log,
  );
  const gateway = new Gateway({ binary, logFile: keep && `${keep}/gateway-scenario-${variant}.log` });
  try {
    await ex.listen();
    ex.owner = gateway.owner.address.toLowerCase();
    await gateway.setUp(ex.url, { POSTERN_EXCHANGE_WEIGHT: "20000" });
    return await play({ ex, call: caller(gateway.url, await gateway.startWithKey(), log), gateway, has, seconds });
  } finally {
    await gateway.end();
    ex.close();
    if (keep) fs.writeFileSync(`${keep}/scenario-${variant}.jsonl`, `${lines.join("\n")}\n`);
  }
}

const caller = (base, apiKey, log) => async (method, path, key, body) => {
  const headers = { authorization: `Bearer ${apiKey}` };
  if (key) Object.assign(headers, { "idempotency-key": key, "content-type": "application/json" });
  const answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const j = await answer.json();
  log("call", { m: method, path, st: answer.status, s: j.status, f: j.filled_size, e: j.error });
  return { st: answer.status, j };
};

// Whether the order was told as it is within the time.
async function play({ ex, call, gateway, has, seconds }) {
  const asked = { account: gateway.account, market: "ETH", side: "sell", size: "0.3", price: "3010" };
  const placed = await call("POST", "/v1/orders", "scenario-0", asked);
  const { id } = placed.j;
  const [order] = ex.orders;
  console.log("placed", placed.st, placed.j.status, placed.j.exchange_order_id);
  let isDeaf = true;
  ex.script = (rec) => {
    if (rec.type === "batchModify") return "badBefore";
    return rec.type === "noop" && isDeaf ? "lostAfter" : "ok";
  };
  if (has("L")) ex.lagOn = true;
  const modify = call("POST", `/v1/orders/${id}/modify`, "scenario-1", { price: "3028.3", size: "0.3487" });
  await sleep(300);
  if (!has("f")) {
    ex.fill(order, 500, 3010, false);
    await sleep(1000);
    ex.fill(order, 700, 3010, false);
  }
  await sleep(3000);
  if (!has("c")) {
    const cancel = await call("POST", `/v1/orders/${id}/cancel`, "scenario-2", {});
    console.log("cancel", cancel.st, cancel.j.status);
  }
  console.log("modify", (await modify).st);
  await sleep(16_000);
  ex.lagOn = false;
  isDeaf = false;
  for (let i = 0; i < 2; i++) {
    ex.place({ m: MARKETS.BTC, buy: true, px: 58000 - i, u: 1000, tif: "Gtc", via: "outside-newer" });
    await sleep(1200);
  }
  console.log("newer records are there; truth:", order.status);
  const newerAt = Date.now();
  let told;
  do {
    if (told) await sleep(2000);
    told = await call("GET", `/v1/orders/${id}`);
  } while (told.j.status === "unknown" && Date.now() - newerAt < seconds * 1000);
  const after = ((Date.now() - newerAt) / 1000).toFixed(1);
  console.log("after", after, "s:", told.j.status, told.j.filled_size, "truth", order.status);
  const story = await call("GET", `/v1/orders/${id}/story`);
  console.log(story.j.attempts.map((a) => [a.action, a.state, a.seal, a.negative_looks, a.waits_for]));
  return told.j.status === order.status;
}
