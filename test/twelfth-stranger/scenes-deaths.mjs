// Deaths, restores and clocks that are off, in the middle of lost answers.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { units } from "./decimals.mjs";
import { Gateway, pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import { settled, world } from "./world.mjs";

const LIB = process.env.TWELFTH_FAKETIME ?? "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

function clock(seconds) {
  return existsSync(LIB)
    ? {
        LD_PRELOAD: LIB,
        FAKETIME: `${seconds >= 0 ? "+" : ""}${seconds}s`,
        FAKETIME_DONT_RESET: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      }
    : undefined;
}

/** Of every kind of write one whose answer is lost, carried out or not, killed in the middle, started again with reads that lag. */
async function dies(binary, { offset = 0, atMs = 250, lags = {} }) {
  const env = offset === 0 ? {} : clock(offset);
  if (env === undefined) return { findings: [{ severity: "HARNESS", text: `no ${LIB}` }], venue: { log: [] } };
  const w = await world(binary, {
    before: ({ venue, gateway }) => {
      if (offset) Object.assign(gateway.env, env);
      venue.ahead = 0;
    },
  });
  const { gateway, venue, door } = w;
  const rest = [];
  for (let i = 0; i < 6; i++)
    rest.push(await gateway.order({ market: "BTC", side: "buy", size: `0.03${i + 1}`, price: "50000" }));
  await gateway.order({ market: "ETH", side: "buy", size: "1", price: "3100", time_in_force: "ioc" });
  let n = 0;
  door.actionFate = (action) =>
    action.type === "noop"
      ? undefined
      : { never: n++ % 3 === 2, lateMs: n % 3 === 1 ? 3000 : undefined, answer: () => ({ how: "hang" }) };
  const ids = rest.map((r, i) => [r.body.id, `rested ${i}`]);
  const keys = [];
  const place = (i, price, tif) => {
    const key = `death-${process.pid}-${i}-key`;
    const body = { account: gateway.account, market: "BTC", side: "buy", size: `0.05${i}`, price, time_in_force: tif };
    keys.push([key, body]);
    return gateway.ask("POST", "/v1/orders", body, { key, tries: 1 });
  };
  for (let i = 1; i <= 5; i++) place(i, i % 2 ? "50000" : "61000", i % 2 ? "gtc" : "ioc").catch(() => {});
  void gateway.ask(
    "POST",
    `/v1/orders/${rest[0].body.id}/modify`,
    { price: "51000" },
    { key: `death-modify-${process.pid}`, tries: 1 },
  );
  void gateway.ask(
    "POST",
    `/v1/orders/${rest[1].body.id}/modify`,
    { price: "51000", always_place: true },
    { key: `death-always-${process.pid}`, tries: 1 },
  );
  void gateway.ask(
    "POST",
    `/v1/orders/${rest[2].body.id}/cancel`,
    {},
    { key: `death-cancel-${process.pid}`, tries: 1 },
  );
  await pause(atMs);
  await gateway.kill();
  venue.meet(venue.orders.get(BigInt(rest[3].body.exchange_order_id)), units("0.01"));
  venue.end(venue.orders.get(BigInt(rest[4].body.exchange_order_id)), "marginCanceled");
  door.actionFate = () => undefined;
  door.lags = lags;
  await gateway.start();
  gateway.listen();
  await pause(1000);
  for (const [key, body] of keys) {
    const row = await gateway.ask("POST", "/v1/orders", body, { key });
    if (row.body.id) ids.push([row.body.id, `lost ${body.size}`]);
    const same = [...venue.orders.values()].filter((o) => o.sz === units(body.size) && o.coin === "BTC");
    if (same.length > 1) w.findings.push({ severity: "CRITICAL", text: `${key}: ${same.length} orders` });
  }
  const stop = busy(w);
  await pause(15000);
  door.lags = {};
  const until = Date.now() + 80000;
  for (const [id] of ids) await settled(gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(4000);
  for (const [key, body] of keys)
    if ([...venue.orders.values()].filter((o) => o.sz === units(body.size) && o.coin === "BTC").length > 1)
      w.findings.push({ severity: "CRITICAL", text: `${key}: twice` });
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** A backup, more orders, a loss, a restore elsewhere; the keys are repeated. */
async function restored(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const before = await gateway.order({ market: "BTC", side: "buy", size: "0.021", price: "50000" });
  const file = join(gateway.home, "backup.db");
  await gateway.command("backup", file);
  const after = [];
  for (let i = 0; i < 4; i++) {
    const body = {
      account: gateway.account,
      market: "BTC",
      side: "buy",
      size: `0.03${i + 1}`,
      price: i === 3 ? "61000" : "50000",
      time_in_force: i === 3 ? "ioc" : "gtc",
    };
    const key = `restored-${process.pid}-${i}`;
    after.push([key, body, await gateway.ask("POST", "/v1/orders", body, { key })]);
  }
  const moved = await gateway.post(`/v1/orders/${after[0][2].body.id}/modify`, { price: "51000" });
  await gateway.post(`/v1/orders/${before.body.id}/modify`, { price: "52000" });
  venue.meet(venue.orders.get(BigInt(after[1][2].body.exchange_order_id)), units("0.01"));
  await gateway.kill();
  const next = new Gateway(binary, door.url, gateway.owner);
  Object.assign(next, {
    account: gateway.account,
    apiKey: gateway.apiKey,
    keyHash: gateway.keyHash,
    made: gateway.made,
    told: gateway.told,
    events: gateway.events,
  });
  await next.command("restore", file);
  const list = JSON.parse(await next.command("agent", "list", "--json").catch(() => "{}"));
  console.log("  ", JSON.stringify(list).slice(0, 400));
  await next.approveNew(venue);
  await next.start();
  await next.command("key", "keep", next.keyHash, "--passphrase-file", next.pass);
  w.gateway = next;
  next.listen();
  const ids = [[before.body.id, "before the backup"]];
  for (const [key, body, first] of after) {
    const row = await next.ask("POST", "/v1/orders", body, { key, tries: 20 });
    if (row.body.id !== first.body.id)
      w.findings.push({
        severity: "CRITICAL",
        text: `${key}: ${row.status} ${row.body.id ?? JSON.stringify(row.body)}, before ${first.body.id}`,
      });
    else ids.push([row.body.id, `after the backup ${body.size}`]);
    const same = [...venue.orders.values()].filter((o) => o.sz === units(body.size) && o.coin === "BTC" && !o.replaces);
    if (same.length > 1)
      w.findings.push({ severity: "CRITICAL", text: `${key}: ${same.length} orders, modified ${moved.body.status}` });
  }
  const stop = busy(w);
  await pause(20000);
  stop();
  // A modify of after the backup shows as a cancel and a new order: docs/backup.md.
  const modified = new Set([before.body.id, after[0][2].body.id]);
  await judgeRest(
    w,
    ids.filter(([id]) => !modified.has(id)),
  );
  await judgeLists(w);
  await next.end();
  await w.end();
  return w;
}

export const scenes = {
  dies: (b) => dies(b, {}),
  diesAtOnce: (b) => dies(b, { atMs: 20 }),
  diesLate: (b) => dies(b, { atMs: 6000, lags: { status: 4000, open: 6000, fills: 8000 } }),
  diesClockAhead: (b) => dies(b, { offset: 90 }),
  diesClockBehind: (b) => dies(b, { offset: -90, lags: { status: 4000, open: 6000 } }),
  restored,
};
