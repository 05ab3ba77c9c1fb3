// A thief of a bot's key: what he reaches by every verb, many at once, and what is left of the others afterwards.
import { pause } from "./lab.mjs";

const WIDE = [
  "--max-order",
  "5000 USD",
  "--max-position",
  "5000 USD",
  "--max-exposure",
  "10000 USD",
  "--max-turnover-per-day",
  "50000 USD",
];

async function stage(lab, words) {
  await lab.start();
  const thief = await lab.grant("thief-1", words);
  const victim = await lab.grant("victim-1", ["--markets", "BTC,ETH", ...WIDE]);
  const eth = Number((await lab.mark("ETH")).mark_price);
  const btc = Number((await lab.mark("BTC")).mark_price);
  const at = (share) => (eth * share).toFixed(1);
  await lab.post("/v1/orders/market", { account: lab.account, market: "ETH", side: "buy", size: "0.5" }, victim.key);
  const trigger = { kind: "stop_loss", price: at(0.95), market: true };
  const stop = await lab.order(
    { market: "ETH", side: "sell", size: "0.5", price: at(0.9), reduce_only: true, trigger },
    victim.key,
  );
  const rest = await lab.order(
    { market: "ETH", side: "buy", size: "0.01", price: at(0.985) },
    victim.key,
    "victim-name-1",
  );
  return { thief, victim, stop: stop.json.id, rest: rest.json.id, eth, btc, at };
}

/** What is asked, and whether it has to be refused. */
function wishes(lab, { stop, rest, at, btc }) {
  const { account } = lab;
  const price = (share) => String(Math.floor(btc * share));
  return [
    [`/v1/orders/${stop}/cancel`, {}],
    [`/v1/orders/${stop}/modify`, { price: at(0.91), always_place: true }],
    [`/v1/orders/${rest}/cancel`, {}],
    ["/v1/orders/cancel-all", { account, touches: "all" }],
    ["/v1/positions/close", { account, market: "ETH" }],
    ["/v1/orders/market", { account, market: "ETH", side: "sell", size: "0.1", reduce_only: true }],
    ["/v1/orders/market", { account, market: "ETH", side: "sell", size: "0.1" }],
    ["/v1/orders", { account, market: "SOL", side: "buy", size: "1", price: "100" }],
    ["/v1/orders", { account, market: "BTC", side: "buy", size: "0.05", price: price(0.99) }],
    ["/v1/orders", { account, market: "BTC", side: "buy", size: "0.001", price: price(1.2) }],
    ["/v1/leverage", { market: "ETH", leverage: 25, margin_type: "cross" }],
    ["/v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" }],
    ["/v1/margin", { market: "ETH", amount: "-5" }],
    ["/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 }],
    ["/v1/twaps/cancel", { market: "ETH", twap_id: 1 }],
    ["/v1/stop", { scope: "account" }],
    ["/v1/api-keys/demo", { key_hash: "ab".repeat(32) }],
    ["/v1/api-keys/self/narrow", { bot: "victim-1", max_order: "1 USD" }],
  ];
}

async function untouched(report, lab, { stop, rest, victim }) {
  const [left, resting] = await Promise.all([
    lab.get(`/v1/orders/${stop}`, victim.key),
    lab.get(`/v1/orders/${rest}`, victim.key),
  ]);
  report.say("the victim's stop stands", left.json.status === "waiting_for_trigger", left.text, "critical");
  report.say("the victim's order rests", resting.json.status === "open", resting.text, "critical");
  const { json } = await lab.get("/v1/positions");
  const held = json.data.find((row) => row.market === "ETH");
  report.say("what the victim holds is held", held?.size === "0.5", held, "critical");
}

export async function thiefVerbs(report, lab) {
  const told = await stage(lab, ["--markets", "BTC,ETH"]);
  const { key } = told.thief;
  for (const [path, body] of wishes(lab, told)) {
    const answer = await lab.post(path, body, key);
    report.say(
      `${path} ${JSON.stringify(body).slice(0, 60)} is refused`,
      answer.status >= 400,
      answer.text,
      "critical",
    );
  }
  const before = (await lab.get("/v1/whoami", key)).json.limits.rails;
  for (const loose of [
    { max_order: "any" },
    { max_order: "9999 USD" },
    { touches: "all" },
    { may: "increase,reduce,modify,cancel,leverage,margin,twap,stop" },
  ]) {
    await lab.post("/v1/api-keys/self/narrow", loose, key);
  }
  const after = (await lab.get("/v1/whoami", key)).json.limits.rails;
  report.say(
    "narrowing loosens nothing",
    JSON.stringify(before) === JSON.stringify(after),
    [before, after],
    "critical",
  );
  const own = await lab.order(
    { market: "BTC", side: "buy", size: "0.001", price: String(Math.floor(told.btc * 0.985)) },
    key,
    "victim-name-1",
  );
  report.say(
    "the victim's Idempotency-Key is another's",
    own.status === 201 && own.json.id !== told.rest,
    own.text,
    "high",
  );
  const found = await lab.get("/v1/orders?idempotency_key=victim-name-1", key);
  report.say(
    "a name finds the bot's own order alone",
    found.json.data.every((row) => row.id !== told.rest),
    found.text,
  );
  await untouched(report, lab, told);
}

/** All doors at once: whatever is accepted, what could be held stays within the rails. */
export async function thiefStorm(report, lab) {
  lab.settings = {
    POSTERN_LIMIT_ORDERS: "0",
    POSTERN_LIMIT_WRITES: "0",
    POSTERN_LIMIT_READS: "0",
    POSTERN_LIMIT_CANCELS: "0",
  };
  const may = "increase,reduce,modify,cancel,leverage,margin,twap,stop";
  const told = await stage(lab, ["--markets", "BTC,ETH", "--may", may, "--max-distance", "3 %"]);
  const { key } = told.thief;
  const { account } = lab;
  const size = (usd) => (usd / told.btc).toFixed(5);
  const price = (share) => String(Math.floor(told.btc * share));
  const asked = [];
  for (let n = 0; n < 6; n++) {
    asked.push(
      lab.order({ market: "BTC", side: "buy", size: size(200), price: price(1.01), time_in_force: "ioc" }, key),
    );
    asked.push(lab.post("/v1/orders/market", { account, market: "BTC", side: "buy", size: size(300) }, key));
    const pair = [1, 2].map(() => ({ market: "BTC", side: "buy", size: size(150), price: price(0.99) }));
    asked.push(lab.post("/v1/orders/batch", { account, orders: pair }, key));
    asked.push(lab.post("/v1/twaps", { market: "BTC", side: "buy", size: size(400), duration_minutes: 5 }, key));
    const trade = {
      account,
      market: "BTC",
      side: "buy",
      size: size(200),
      entry: { price: price(0.99) },
      stop_loss: { trigger_price: price(0.95) },
    };
    asked.push(lab.post("/v1/trades", trade, key));
  }
  const answers = await Promise.all(asked);
  await pause(3000);
  const { use } = (await lab.get("/v1/whoami", key)).json.limits;
  const worst = Number(use.positions.find((row) => row.market === "BTC")?.worst_case_usd ?? 0);
  report.say("thirty at once come to no more than max_position", worst <= 1010, use, "critical");
  const { json } = await lab.get("/v1/positions");
  const held = Number(json.data.find((row) => row.market === "BTC")?.position_value ?? 0);
  const { open } = await lab.atExchange();
  const resting = open.filter((row) => row.coin === "BTC" && row.side === "B");
  const out = resting.reduce((sum, row) => sum + Number(row.sz) * Number(row.limitPx), 0);
  report.say("by the exchange's books as well", held + out <= 1010, { held, out }, "critical");
  report.note(`${answers.filter((answer) => answer.status < 300).length} of ${answers.length} were taken`);
  const lowered = await lab.post("/v1/leverage", { market: "ETH", leverage: 1, margin_type: "cross" }, key);
  if (lowered.status === 200)
    report.note(
      "a key with the word `leverage` lowers the leverage of what another bot holds, which ties up its margin",
    );
  await untouched(report, lab, told);
  await lab.command(["key", "block", "--cancel-orders", told.thief.hash]);
  await pause(5000);
  const left = (await lab.atExchange()).open.filter((row) => row.coin === "BTC" && row.side === "B");
  report.say("a block with --cancel-orders takes what could increase", left.length === 0, left, "high");
  const back = await lab.grant("thief-1", ["--markets", "BTC"], { key_hash: told.thief.hash, api_key: key });
  report.say("a blocked key never comes back", Boolean(back.refused), back.registered, "critical");
  await untouched(report, lab, told);
}
