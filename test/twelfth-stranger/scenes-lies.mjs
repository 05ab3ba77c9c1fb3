// Answers of /info and frames that are no answers, at each store by itself; and balances that are behind what was told.
import { plain, units } from "./decimals.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest, truth } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import { settled, world } from "./world.mjs";

const EMPTY = { body: "[]" };
const NULL = { body: "null" };

/** Of one kind of /info, one wrong answer, all the while; three orders whose answers were lost, one that rests and is filled, reads. */
async function lie(binary, types, answer, { frames, label, after }) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const say = (severity, text) => w.findings.push({ severity, text: `${label}: ${text}` });
  await gateway.order({ market: "ETH", side: "buy", size: "1", price: "3100", time_in_force: "ioc" });
  const rest = await gateway.order({ market: "BTC", side: "buy", size: "0.03", price: "50000" });
  await pause(2500);
  door.infoFate = (body, right) => (types.includes(body.type) ? answer(body, right) : undefined);
  if (frames) door.frameFate = frames;
  let n = 0;
  door.actionFate = (action) =>
    action.type === "order" ? { never: n++ === 1, answer: () => ({ how: "reset" }) } : undefined;
  const jobs = ["0.041", "0.042", "0.043"].map((size, i) =>
    gateway.order({
      market: "BTC",
      side: "buy",
      size,
      price: i === 2 ? "61000" : "50000",
      time_in_force: i === 2 ? "ioc" : "gtc",
    }),
  );
  const lost = await Promise.all(jobs);
  door.actionFate = () => undefined;
  const order = venue.orders.get(BigInt(rest.body.exchange_order_id));
  venue.meet(order, units("0.01"));
  for (let i = 0; i < 5; i++) {
    for (const path of ["/v1/positions", "/v1/account", "/v1/orders?status=open", "/v1/fills", "/v1/twaps"]) {
      const row = await gateway.get(path, { tries: 1 });
      if (row.status !== 200 || (row.asOf && Date.now() - Date.parse(row.asOf) > 3000)) continue;
      if (path === "/v1/positions" && !row.body.data.some((p) => p.market === "ETH" && p.size === "1"))
        say(
          "HIGH",
          `positions ${JSON.stringify(row.body.data.map((p) => [p.market, p.size]))} without the ETH that is held`,
        );
      if (path === "/v1/account" && units(row.body.equity) < units("90000")) say("HIGH", `equity ${row.body.equity}`);
      if (
        path === "/v1/account" &&
        units(row.body.spot.find((s) => s.token === "PURR")?.total ?? "0") !== units("1000")
      )
        say("HIGH", `spot ${JSON.stringify(row.body.spot)}`);
      if (path.includes("open") && !row.body.data.some((o) => o.id === rest.body.id))
        say(
          "HIGH",
          `open list without the order that rests: ${JSON.stringify(row.body.data.map((o) => o.exchange_order_id))}`,
        );
    }
    await pause(4000);
  }
  venue.meet(order, units("0.02"));
  await pause(15000);
  door.infoFate = () => undefined;
  // What comes after such a lie is seen without a feed where it had none.
  if (!after) door.frameFate = (_c, data) => data;
  for (const own of door.sockets) own.socket.terminate();
  const ids = [
    [rest.body.id, `${label} rested`],
    ...lost.filter((r) => r.body.id).map((r, i) => [r.body.id, `${label} lost ${i}`]),
  ];
  const stop = busy(w);
  const until = Date.now() + 60000;
  for (const [id] of ids) await settled(gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(4000);
  await after?.(w, ids);
  if (after) {
    // At rest all agrees again, the feed as well.
    door.frameFate = (_c, data) => data;
    for (const own of door.sockets) own.socket.terminate();
    await pause(30000);
  }
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Orders whose end was told while they live: an alarm has to say so, within 160 s and two readings of the list; and then they can be canceled. */
async function alarmed(w, ids) {
  const { gateway, venue, findings } = w;
  const until = Date.now() + 250000;
  for (const [id, label] of ids) {
    const endOf = (o) => ["filled", "canceled", "rejected"].includes(o?.status);
    const tells = (row) => (row.body?.id === id ? [row.body] : (row.body?.data ?? [])).find?.((o) => o.id === id);
    const first = gateway.told.find((row) => row.status < 300 && endOf(tells(row)));
    if (!first || !truth(venue, id).live) continue;
    let row = await gateway.get(`/v1/orders/${id}`);
    while (!/ALARM/.test(row.body.error ?? "") && Date.now() < until) {
      await pause(5000);
      row = await gateway.get(`/v1/orders/${id}`);
    }
    const told = `told ${row.body.status} ${Math.round((row.t - first.t) / 1000)} s after its end was told: ${row.body.error}`;
    if (/ALARM/.test(row.body.error ?? "")) console.log("  ", label, told);
    else findings.push({ severity: "HIGH", text: `${label} lives, no alarm, ${told}` });
    const open = (await gateway.get("/v1/orders?status=open&limit=500")).body.data;
    if (!open.some((o) => o.id === id)) findings.push({ severity: "HIGH", text: `${label} lives, and is not listed` });
    const gone = await gateway.post(`/v1/orders/${id}/cancel`, {});
    await pause(2000);
    if (truth(venue, id).live)
      findings.push({ severity: "HIGH", text: `${label} lives after its cancel: ${gone.status} ${gone.body.status}` });
  }
}

/** Balances on spot that are behind by five seconds, by REST and stream, right after a purchase that was told. */
async function spotBehind(binary) {
  const w = await world(binary);
  const { gateway, door, venue } = w;
  door.lags = { spot: 5000, "state:spotState": 5000 };
  for (let i = 0; i < 4; i++) {
    const bought = await gateway.order({
      market: "PURR/USDC",
      side: "buy",
      size: "100",
      price: "0.21",
      time_in_force: "ioc",
    });
    for (let k = 0; k < 3; k++) {
      const row = await gateway.get("/v1/account", { tries: 1 });
      const told = row.body.spot?.find((s) => s.token === "PURR")?.total;
      const true1 = plain(venue.balances.get("PURR").at(-1).total);
      if (row.status === 200 && told !== true1)
        w.findings.push({
          severity: "MEDIUM",
          text: `bought 100 PURR (${bought.body.status} ${bought.body.filled_size}), ${row.asked - bought.t} ms after it was told: PURR ${told}, true ${true1}, as of ${row.asOf ? `${row.t - Date.parse(row.asOf)} ms before` : "now"}`,
        });
      await pause(1200);
    }
    await pause(4000);
  }
  const events = gateway.events.filter((e) => e.type === "balance.updated").map((e) => JSON.stringify(e.body.data));
  console.log("  ", events.length, "balance events;", events.at(-1)?.slice(0, 300));
  await w.end();
  return w;
}

const notFound = () => ({ body: '{"status":"unknownOid"}' });
const REST = ["userFills", "userFillsByTime"];
const dropAll = () => undefined;

function canceledIfOpen(_body, right) {
  const said = (key, value) => (key === "status" && value === "open" ? "canceled" : value);
  return {
    body: JSON.stringify(right, (key, value) => (typeof value === "bigint" ? Number(value) : said(key, value))),
  };
}

export const scenes = {
  openNull: (b) => lie(b, ["openOrders", "frontendOpenOrders"], () => NULL, { label: "open null" }),
  openEmpty: (b) =>
    lie(b, ["openOrders", "frontendOpenOrders"], () => EMPTY, {
      label: "open list empty, frames as well",
      frames: (c, d) => (c === "openOrders" ? { ...d, orders: [] } : d),
    }),
  statusUnknown: (b) => lie(b, ["orderStatus"], notFound, { label: "orderStatus unknownOid" }),
  statusOther: (b) =>
    lie(b, ["orderStatus"], canceledIfOpen, { label: "orderStatus says canceled of what is open", after: alarmed }),
  statusOtherUnheard: (b) =>
    lie(b, ["orderStatus"], canceledIfOpen, {
      label: "orderStatus says canceled of what is open, no frames",
      frames: dropAll,
      after: alarmed,
    }),
  historyNull: (b) => lie(b, ["historicalOrders"], () => NULL, { label: "history null" }),
  fillsNull: (b) =>
    lie(b, REST, () => NULL, {
      label: "fills null, and no frames of them",
      frames: (c, d) => (["userFills", "user"].includes(c) ? undefined : d),
    }),
  fillsEmpty: (b) =>
    lie(b, REST, () => EMPTY, {
      label: "fills empty, and no frames of them",
      frames: (c, d) => (["userFills", "user"].includes(c) ? undefined : d),
    }),
  positionsNull: (b) =>
    lie(b, ["clearinghouseState"], () => NULL, {
      label: "positions null, no frames",
      frames: (c, d) => (/learinghouse/.test(c) ? undefined : d),
    }),
  positionsEmpty: (b) =>
    lie(b, ["clearinghouseState"], () => ({ body: '{"assetPositions":null,"marginSummary":null,"time":null}' }), {
      label: "positions of nulls, frames too",
      frames: (c, d) =>
        c === "clearinghouseState"
          ? { ...d, clearinghouseState: { assetPositions: null, marginSummary: null, time: null } }
          : d,
    }),
  spotNull: (b) =>
    lie(b, ["spotClearinghouseState"], () => ({ body: '{"balances":null}' }), {
      label: "spot null, frames too",
      frames: (c, d) => (c === "spotState" ? { ...d, spotState: { balances: null } } : d),
    }),
  framesBroken: (b) =>
    lie(b, [], () => undefined, {
      label: "frames cut in the middle",
      frames: (c, d) => (Math.random() < 0.5 ? { raw: `{"channel":"${c}","data":{"user":` } : d),
    }),
  framesNulls: (b) =>
    lie(b, [], () => undefined, {
      label: "frames with null where a list is",
      frames: (c, d) =>
        c === "orderUpdates"
          ? null
          : c === "userFills"
            ? { ...d, fills: null }
            : c === "openOrders"
              ? { ...d, orders: null }
              : d,
    }),
  infoSlow: (b) =>
    lie(
      b,
      ["orderStatus", "userFillsByTime", "frontendOpenOrders", "clearinghouseState", "exchangeStatus"],
      (_b, right) => ({
        body: JSON.stringify(right, (_k, v) => (typeof v === "bigint" ? Number(v) : v)),
        how: "trickle",
      }),
      { label: "answers of /info by the drop", frames: dropAll },
    ),
  spotBehind,
};
