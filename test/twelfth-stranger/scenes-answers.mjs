// Each kind of write under each answer that is none, executed and not; what is told of it at last, and on the way.
import { ENTRIES, LOST } from "./answers.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest } from "./judge.mjs";
import { operated, settled, world } from "./world.mjs";

const WEIGHT = {
  POSTERN_EXCHANGE_WEIGHT: "0",
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_LIMIT_WRITES: "0",
  POSTERN_LIMIT_READS: "0",
};

/** Something newer happens all the while, as at an account that trades. */
export function busy(w) {
  const timer = setInterval(() => {
    const order = w.venue.elsewhere("ETH", "B", ["1000", "0.02"]);
    setTimeout(() => w.venue.end(order, "canceled"), 400);
  }, 1500);
  return () => clearInterval(timer);
}

async function calm(w, ids, ms = 70000) {
  w.door.actionFate = () => undefined;
  w.door.infoFate = () => undefined;
  const stop = busy(w);
  const until = Date.now() + ms;
  for (const [id] of ids) await settled(w.gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(2500);
}

/** Orders that rest and that execute, each with a size of its own, under each answer. */
async function places(binary, answers, executed) {
  const w = await world(binary, { env: WEIGHT });
  const ids = [];
  let n = 0;
  const jobs = [];
  const plans = new Map();
  w.door.actionFate = (action) => (action.type === "order" ? plans.get(action.orders[0].s) : undefined);
  for (const [name, answer] of Object.entries(answers)) {
    for (const kind of ["gtc", "ioc"]) {
      const size = (0.0201 + n++ / 10000).toFixed(4).replace(/0+$/, "");
      plans.set(size, { never: !executed, answer });
      const price = kind === "gtc" ? "50000" : "61000";
      jobs.push(
        w.gateway.order({ market: "BTC", side: "buy", size, price, time_in_force: kind }).then((row) => {
          if (row.body?.id) ids.push([row.body.id, `${name} ${kind} ${executed ? "done" : "never"}`]);
          else
            w.findings.push({
              severity: "MEDIUM",
              text: `${name} ${kind}: HTTP ${row.status} ${JSON.stringify(row.body)}`,
            });
        }),
      );
      await pause(120);
    }
  }
  await Promise.all(jobs);
  await calm(w, ids);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Modifies of resting orders, with and without always_place; then cancels of what is left. */
async function changes(binary, answers, executed, type) {
  const w = await world(binary, { env: WEIGHT });
  const ids = [];
  const jobs = [];
  const plans = new Map();
  let n = 0;
  w.door.actionFate = (action) => {
    if (type === "modify" && action.type === "batchModify") return plans.get(action.modifies[0].order.s);
    if (type === "cancel" && action.type === "cancel") return plans.get(String(action.cancels[0].o));
    return undefined;
  };
  for (const [name, answer] of Object.entries(answers)) {
    const size = (0.0201 + n++ / 10000).toFixed(4).replace(/0+$/, "");
    const made = await w.gateway.order({ market: "BTC", side: "buy", size, price: "50000" });
    ids.push([made.body.id, `${name} ${type} ${executed ? "done" : "never"}`]);
    let times = 0;
    const plan = {
      get never() {
        return !executed;
      },
      answer: (right) =>
        times++ === 0 || type === "modify"
          ? answer(right)
          : { body: JSON.stringify(right ?? { status: "err", response: "x" }) },
    };
    plans.set(type === "modify" ? size : made.body.exchange_order_id, plan);
    if (type === "modify")
      jobs.push(
        w.gateway.post(`/v1/orders/${made.body.id}/modify`, {
          price: n % 2 ? "51000" : "49000",
          ...(n % 3 === 0 ? { always_place: true } : {}),
        }),
      );
    else jobs.push(w.gateway.post(`/v1/orders/${made.body.id}/cancel`, {}));
    await pause(120);
  }
  await Promise.all(jobs);
  await calm(w, ids);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Leverage, margin, TWAPs and their ends, each under each answer; one after the other, as a person would. */
async function operations(binary, answers, executed) {
  const w = await world(binary, { env: WEIGHT });
  const { gateway, venue, door } = w;
  const say = (severity, text) => w.findings.push({ severity, text });
  const ids = [];
  let n = 0;
  for (const [name, answer] of Object.entries(answers)) {
    n += 1;
    door.actionFate = (action) => (action.type === "twapOrder" ? { never: !executed, answer } : undefined);
    const size = (0.5 + n / 100).toFixed(2).replace(/0+$/, "");
    const made = await gateway.post("/v1/twaps", { market: "ETH", side: "buy", size, duration_minutes: 30 });
    if (!made.body.id) say("MEDIUM", `${name} twap: HTTP ${made.status} ${JSON.stringify(made.body)}`);
    else ids.push([made.body.id, `${name} twap ${executed ? "done" : "never"}`, size]);
  }
  door.actionFate = () => undefined;
  const stop = busy(w);
  const until = Date.now() + 80000;
  for (const [id, label, size] of ids) {
    const { body } = await operated(gateway, id, Math.max(1000, until - Date.now()));
    const row = [...venue.twaps.values()].find((x) => x.sz === size);
    const right = row ? "succeeded" : "rejected";
    if (body.status === "unknown") say("MEDIUM", `at rest ${label}: unknown, true ${right} (${body.error})`);
    else if (body.status !== right) say("HIGH", `at rest ${label}: ${body.status} (${body.error}), true ${right}`);
    else if (row && body.exchange_id !== String(row.id))
      say("HIGH", `at rest ${label}: id ${body.exchange_id}, true ${row.id}`);
  }
  stop();
  await w.end();
  return w;
}

export const scenes = {
  placesLostDone: (b) => places(b, LOST, true),
  placesLostNever: (b) => places(b, LOST, false),
  placesEntriesDone: (b) => places(b, ENTRIES, true),
  modifiesLostDone: (b) => changes(b, LOST, true, "modify"),
  modifiesLostNever: (b) => changes(b, LOST, false, "modify"),
  modifiesEntriesDone: (b) => changes(b, ENTRIES, true, "modify"),
  cancelsLostDone: (b) => changes(b, LOST, true, "cancel"),
  cancelsLostNever: (b) => changes(b, LOST, false, "cancel"),
  cancelsEntriesDone: (b) => changes(b, ENTRIES, true, "cancel"),
  twapsLostDone: (b) => operations(b, LOST, true),
  twapsLostNever: (b) => operations(b, LOST, false),
};
