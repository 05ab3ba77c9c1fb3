// The words of refusals, and a key's rails, against the truth at that moment.
import { pause } from "./gateway.mjs";
import { lieOf, mend, rest, settle, spoilFeed, watch } from "./scenes-modify.mjs";

const RAILS = [
  "--bot",
  "grid-1",
  "--markets",
  "BTC,ETH",
  "--may",
  "increase,reduce,modify,cancel,twap",
  "--max-order",
  "400 USD",
  "--max-position",
  "1000 USD",
  "--max-exposure",
  "1500 USD",
  "--max-turnover-per-day",
  "5000 USD",
  "--max-distance",
  "10 %",
];

async function limits(stage, key) {
  const said = await stage.gateway.get("/v1/whoami", { key });
  return said.json.limits;
}
async function tell(stage, what, said) {
  stage.notes.push(
    `${what}: ${said.status} retry ${said.retryAfter} ${said.json.error ? `${said.json.error.code}: ${said.json.error.message}` : `${said.json.status} ${said.json.filled_size}/${said.json.size} ${said.json.error}`}`,
  );
  return said;
}

async function rails(stage) {
  const { gateway, ledger, judge } = stage;
  const key = await gateway.grant(RAILS);
  const send = (fields) => gateway.order({ market: "BTC", ...fields }, { key });
  await tell(stage, "too large", await send({ side: "buy", size: "0.01", price: "60000" }));
  stage.notes.push(JSON.stringify((await limits(stage, key)).headroom));
  await tell(stage, "far", await send({ side: "buy", size: "0.001", price: "70000" }));
  await tell(stage, "bought", await send({ side: "buy", size: "0.005", price: "61000", time_in_force: "ioc" }));
  await tell(stage, "rests", await send({ side: "buy", size: "0.005", price: "59000" }));
  stage.notes.push(JSON.stringify(await limits(stage, key)));
  const over = await tell(stage, "over position", await send({ side: "buy", size: "0.0065", price: "60000" }));
  const left = /(?:at most|size that passes|largest)[^0-9]*([0-9.]+)/.exec(over.json.error?.message ?? "")?.[1];
  if (left && Number(left) > 0) {
    const step = (Number(left) + 0.00001).toFixed(5);
    await tell(stage, `one step over ${step}`, await send({ side: "buy", size: step, price: "60000" }));
    const exact = await tell(
      stage,
      `exactly ${left}`,
      await send({ side: "buy", size: left, price: "60000", time_in_force: "alo" }),
    );
    if (exact.status !== 201) judge.fail(`told that ${left} passes, and it does not: ${JSON.stringify(exact.json)}`);
  }
  stage.notes.push(JSON.stringify(await limits(stage, key)));
  await tell(stage, "reduce too much", await send({ side: "sell", size: "0.006", price: "59000", reduce_only: true }));
  ledger.leverages.push({ t: Date.now(), coin: "BTC", isCross: true, leverage: 5 });
  const held = (await limits(stage, key)).use;
  if (held.nets[0]?.net !== String(ledger.position("BTC").szi))
    judge.fail(`net told ${JSON.stringify(held.nets)}, true ${ledger.position("BTC").szi}`);
}

// One bot buys, another sells: who holds the other side, told while fills are behind.
async function opposite(stage) {
  const { gateway, ledger, faults, pick } = stage;
  const one = await gateway.grant(RAILS);
  const two = await gateway.grant(RAILS.map((w) => (w === "grid-1" ? "grid-2" : w)));
  await tell(
    stage,
    "one buys",
    await gateway.order(
      { market: "BTC", side: "buy", size: "0.005", price: "61000", time_in_force: "ioc" },
      { key: one },
    ),
  );
  await tell(
    stage,
    "two sells",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.005", price: "59000", time_in_force: "ioc" },
      { key: two },
    ),
  );
  await tell(
    stage,
    "two reduces nothing",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.005", price: "59000", time_in_force: "ioc", reduce_only: true },
      { key: two },
    ),
  );
  faults.lag.fills = pick([3000, 8000]);
  faults.lag.state = pick([3000, 8000]);
  await tell(
    stage,
    "one sells all",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.005", price: "59500", time_in_force: "ioc", reduce_only: true },
      { key: one },
    ),
  );
  await tell(
    stage,
    "two sells at once",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.002", price: "59500", time_in_force: "ioc" },
      { key: two },
    ),
  );
  stage.notes.push(`held ${ledger.position("BTC").szi}`, JSON.stringify((await limits(stage, two)).use));
  await pause(9000);
  await tell(
    stage,
    "two sells later",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.002", price: "59500", time_in_force: "ioc" },
      { key: two },
    ),
  );
  await tell(
    stage,
    "one buys against",
    await gateway.order(
      { market: "BTC", side: "buy", size: "0.003", price: "60500", time_in_force: "ioc" },
      { key: one },
    ),
  );
  stage.notes.push(`held ${ledger.position("BTC").szi}`);
}

// The holder has just got out, and its own answer said so; the exchange's positions are behind. Who is said to hold what?
async function oppositeBehind(stage) {
  const { gateway, ledger, faults, judge, pick } = stage;
  const one = await gateway.grant(RAILS);
  const two = await gateway.grant(RAILS.map((w) => (w === "grid-1" ? "grid-2" : w)));
  const feed = pick(["up", "down", "late"]);
  const lag = pick([2000, 5000, 9000]);
  await gateway.order(
    { market: "BTC", side: "buy", size: "0.005", price: "61000", time_in_force: "ioc" },
    { key: one },
  );
  await pause(3000);
  spoilFeed(stage, feed);
  for (const store of ["state", "fills", "history"]) faults.lag[store] = lag;
  await pause(500);
  await tell(
    stage,
    "one sells all",
    await gateway.order(
      { market: "BTC", side: "sell", size: "0.005", price: "59500", time_in_force: "ioc", reduce_only: true },
      { key: one },
    ),
  );
  const sold = Date.now();
  for (const wait of [0, 300, 1500, 3000, 6000]) {
    await pause(wait);
    const said = await gateway.order({ market: "BTC", side: "sell", size: "0.002", price: "65000" }, { key: two });
    await tell(
      stage,
      `two sells, asked ${said.t0 - sold} ms after, told ${said.t1 - sold} ms after (feed ${feed}, states ${lag} behind)`,
      said,
    );
    stage.notes.push(
      `asked of the exchange meanwhile: ${
        stage.exchange.requests
          .filter((r) => r.t >= said.t0 && r.t <= said.t1)
          .map((r) => `${r.body.type} ${r.body.dex ?? ""}`)
          .join(", ") || "nothing"
      }`,
    );
    if (/others hold/.test(said.json.error?.message ?? "") && ledger.position("BTC").szi === 0)
      judge.fail(
        `told "${said.json.error.message}" ${said.t1 - sold} ms after nobody held anything, and after the seller was told so`,
      );
    if (said.status === 201) await gateway.post(`/v1/orders/${said.json.id}/cancel`, {}, { key: two });
  }
  const held = (await limits(stage, one)).use.nets;
  if (held.some((n) => n.net !== "0")) judge.fail(`net of the seller told ${JSON.stringify(held)}`);
}

// Nothing is left of a key's reads: Retry-After has to be enough, and not much more.
async function retryAfter(stage) {
  const { gateway, judge } = stage;
  spoilFeed(stage, "down");
  const waits = [];
  for (let i = 0; i < 300 && waits.length < 4; i++) {
    const said = await gateway.get(stage.pick(["/v1/positions", "/v1/account", "/v1/orders?status=open"]));
    if (said.status === 429 || said.status === 503) {
      waits.push(`${said.path} ${said.status} ${said.json.error.code} ${said.retryAfter}`);
      if (said.retryAfter === null) continue;
      await pause(Number(said.retryAfter) * 1000 + 50);
      const again = await gateway.get(said.path);
      if (again.status === said.status)
        judge.fail(
          `waited ${said.retryAfter} s as told, and again ${again.status} ${again.json.error.code} ${again.retryAfter} (${again.json.error.message})`,
        );
    }
    await pause(30);
  }
  stage.notes.push(...waits);
}

// An order that is over by one store, and what is said of canceling and changing it.
async function refusals(stage) {
  const { gateway, ledger, faults, roll, pick } = stage;
  const lies = ["canceled", "filled", "rejected"];
  const rows = [];
  for (let i = 0; i < 3; i++) rows.push(await rest(stage, { price: String(57000 + i * 100) }));
  ledger.fill(rows[0].leg, 0.004);
  await pause(1200);
  faults.lag.history = pick([0, 5000]);
  const all = rows.map((row, i) => lieOf(row.root, lies[i], 1, roll));
  faults.info = (body, answer) => all.map((lie) => lie(body, answer)).find(Boolean);
  if (roll() < 0.5) spoilFeed(stage, "down");
  for (const row of rows) {
    await tell(stage, "get", await gateway.get(`/v1/orders/${row.id}`));
    await tell(stage, "modify", await gateway.post(`/v1/orders/${row.id}/modify`, { price: "56000" }));
  }
  await watch(
    stage,
    rows.map((r) => r.id),
    4000,
  );
  for (const row of rows) await tell(stage, "cancel", await gateway.post(`/v1/orders/${row.id}/cancel`, {}));
  mend(stage);
  await settle(
    stage,
    rows.map((r) => r.id),
    25_000,
  );
  for (const row of rows) stage.notes.push(JSON.stringify((await gateway.get(`/v1/orders/${row.id}`)).json));
  stage.notes.push(rows.map((r) => `${r.leg.status} ${r.leg.filled}`).join("; "));
}

export const scenes = { rails, opposite, "opposite-behind": oppositeBehind, "retry-after": retryAfter, refusals };
