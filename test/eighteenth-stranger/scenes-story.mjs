import { dec, plain, txt } from "./decimals.mjs";
import { sleep } from "./stage.mjs";

const OVER = new Set(["filled", "canceled", "rejected", "absent"]);
const HOWS = ["reset", "502", "504", "429", "cut", "empty", "torn", "hang"];

/** What became of an answer, drawn by the seed. */
export function spoilAnswers(stage, chance) {
  stage.faults.onAction = (entry) => {
    if (entry.action.type === "noop" || stage.roll() > chance) return null;
    const how = stage.pick(HOWS);
    const roll = stage.roll();
    if (roll < 0.5) return { after: how };
    if (roll < 0.8) return { before: how === "cut" || how === "torn" ? "reset" : how };
    return { before: "reset", late: stage.between(200, 4000) };
  };
}

/** A size that no other order of the scene has. */
export function ownSize(stage, unit) {
  stage.serialSize = (stage.serialSize ?? 0) + 1;
  return plain(txt(dec(unit) + dec("0.00001") * BigInt(stage.serialSize)));
}

/** Keeps the stories of orders, and holds each against those before and against the exchange. */
export class Stories {
  constructor(stage) {
    this.stage = stage;
    this.before = new Map();
    this.told = new Set();
  }

  async read(id) {
    const { judge, gateway } = this.stage;
    const { status, value, text } = await gateway.get(`/v1/orders/${id}/story`);
    if (status !== 200) {
      if (status !== 429) judge.fault(`story ${status}`, text, id);
      return;
    }
    judge.count("story");
    const before = this.before.get(id);
    this.before.set(id, value);
    if (before !== undefined) this.compare(before, value);
    for (const leg of value.legs) this.leg(leg, value);
    for (const attempt of value.attempts) this.attempt(attempt, value);
  }

  /** What was written down stays written down, and what is over stays over. */
  compare(before, now) {
    const { judge } = this.stage;
    const lines = (story) => story.steps.map((s) => `${s.at} ${s.what} ${s.detail}`);
    const later = new Set(lines(now));
    const gone = lines(before).filter((l) => !later.has(l));
    if (gone.length > 0) judge.fault("steps of a story have gone", gone, lines(now));
    for (const leg of before.legs) {
      const same = now.legs.find((l) => l.client_order_id === leg.client_order_id);
      if (same === undefined) judge.fault("a leg has gone", leg, now.legs);
      else if (OVER.has(leg.state) && (same.state !== leg.state || same.filled_size !== leg.filled_size)) {
        judge.fault("a leg that was over is told otherwise", same, leg);
      }
    }
    for (const a of before.attempts) {
      const same = now.attempts.find((b) => b.nonce === a.nonce);
      if (a.state === "done" && same?.state !== "done") judge.fault("an attempt that was done is not", same, a);
    }
  }

  leg(leg, story) {
    const { judge, engine, main } = this.stage;
    const rows = engine.log.filter((e) => e.cloid === leg.client_order_id && e.account === main.address);
    const placed = rows.filter((e) => e.kind === "placed");
    judge.count(`leg ${leg.state}`);
    if (placed.length > 1) judge.fault("a leg was placed twice", leg, placed);
    if (!OVER.has(leg.state)) return;
    const status = rows.filter((e) => e.kind === "order").at(-1)?.status ?? null;
    const filled = engine.log
      .filter((e) => e.kind === "fill" && e.fill.cloid === leg.client_order_id)
      .reduce((sum, e) => sum + dec(e.fill.sz), 0n);
    const lives = status === "open" || status === "triggered";
    if (lives) judge.fault("a leg is told over and lives", { leg, steps: story.steps }, status);
    if (leg.state === "absent" && placed.length > 0)
      judge.fault("a leg is told absent and was placed", { leg, steps: story.steps }, placed);
    if (dec(leg.filled_size) !== filled) judge.fault("filled size of a leg", { leg, steps: story.steps }, txt(filled));
    if (placed.length > 0 && leg.exchange_order_id !== null && leg.exchange_order_id !== String(placed[0].oid))
      judge.fault("native id of a leg", leg, placed[0].oid);
  }

  attempt(attempt, story) {
    const { judge, exchange } = this.stage;
    const sent = exchange.actions.filter((a) => a.nonce === attempt.nonce && a.action.type !== "noop");
    const ran = sent.find((a) => a.ran !== null);
    if (attempt.seal !== null && attempt.state === "done" && ran === undefined) judge.count("sealed and never ran");
    if (attempt.state === "done" && attempt.exchange_text !== null) this.words(attempt, sent, story);
  }

  /** The exchange's own words are words that it has said. */
  words(attempt, sent, story) {
    const said = sent.map((a) => JSON.stringify(a.answer)).join(" ");
    const text = attempt.exchange_text;
    const isSaid = said.includes(text) || said.includes(JSON.stringify(text).slice(1, -1));
    if (sent.length === 0 || isSaid || /HTTP|html|null/i.test(text) || this.told.has(text)) return;
    this.told.add(text);
    const steps = story.steps.map((s) => `${s.what}: ${s.detail}`);
    this.stage.judge.fault("words of the exchange that it has not said", { text, steps }, said);
  }
}

async function settle(stage, ids, ms) {
  let open = ids;
  for (const until = Date.now() + ms; Date.now() < until && open.length > 0; await sleep(700)) {
    const left = [];
    for (const id of open) {
      const { status, value } = await stage.gateway.get(`/v1/orders/${id}`);
      if (status !== 200) left.push(id);
      else {
        stage.judge.order(stage.main, value);
        if (value.status === "unknown" || value.status === "processing") left.push(id);
      }
    }
    open = left;
  }
  return open;
}

/** Orders of one account while answers are lost; their stories are read all the while. */
async function stories(stage, { chance = 0.35, lag = () => 0, isKilled = false, hasFeed = true, ms = 20_000 }) {
  await stage.open({
    env: { POSTERN_EXCHANGE_WEIGHT: "0", POSTERN_ANSWER_DEADLINE_MS: "2000", POSTERN_ACTION_LIFE_MS: "6000" },
  });
  const { gateway, faults, exchange, engine, main } = stage;
  if (!hasFeed) {
    faults.hasFeed = false;
    exchange.cutFeeds();
  }
  faults.lag = () => lag(stage);
  spoilAnswers(stage, chance);
  const book = new Stories(stage);
  const ids = new Set();
  const names = new Map();
  const until = Date.now() + ms;
  const killAt = Date.now() + stage.between(5000, 12_000);
  let isDone = !isKilled;
  while (Date.now() < until) {
    if (!isDone && Date.now() > killAt) {
      isDone = true;
      await gateway.kill();
      await gateway.start();
    }
    await step(stage, ids, names);
    if (main.orders.size > 0 && stage.roll() < 0.2) {
      const order = stage.pick([...main.orders.values()]);
      engine.fillResting(main, order.oid, stage.roll() < 0.5 ? order.left : order.left / 2n);
    }
    for (const id of [...ids].slice(-6)) await book.read(id);
  }
  faults.onAction = () => null;
  faults.lag = () => 0;
  faults.hasFeed = true;
  for (const [name, body] of names) {
    const again = await gateway.post(body.path, name, body.body);
    if (again.value?.id !== undefined && again.value.object === "order") ids.add(again.value.id);
  }
  const open = await settle(stage, [...ids], 25_000);
  for (const id of ids) await book.read(id);
  for (const id of open) await explain(stage, id);
  holdEvents(stage);
}

/** An order that is still unknown although the exchange is well and shows it. */
async function explain(stage, id) {
  const { value } = await stage.gateway.get(`/v1/orders/${id}/story`);
  const shown = stage.engine.log.some(
    (e) => e.kind === "placed" && value?.legs.some((l) => l.client_order_id === e.cloid),
  );
  stage.say(
    `${id} is ${value?.order.status} at the end; the exchange ${shown ? "has" : "has not"} it; waits for: ${value?.attempts
      .map((a) => a.waits_for)
      .filter((w) => w !== null)
      .join("; ")}`,
  );
  if (shown)
    stage.judge.fault("unknown 25 s after all is well, and the exchange shows it", value?.steps, value?.attempts);
}

async function step(stage, ids, names) {
  const { gateway, main, judge } = stage;
  const kind = stage.between(0, 9);
  const known = [...ids];
  if (kind <= 4 || known.length === 0) {
    const isResting = stage.roll() < 0.6;
    const body = {
      account: gateway.accounts.get("main").id,
      market: "BTC",
      side: "buy",
      size: ownSize(stage, "0.01"),
      price: isResting ? "50000" : "61000",
      time_in_force: isResting ? "gtc" : "ioc",
    };
    const name = stage.name("story");
    names.set(name, { path: "/v1/orders", body });
    const got = await gateway.post("/v1/orders", name, body);
    judge.count(`POST orders ${got.status}`);
    if (got.value?.id !== undefined) ids.add(got.value.id);
    if (got.value?.object === "order") judge.order(main, got.value);
    return;
  }
  const id = stage.pick(known);
  const isModify = kind <= 7;
  const path = `/v1/orders/${id}/${isModify ? "modify" : "cancel"}`;
  const got = await gateway.post(
    path,
    stage.name("change"),
    isModify ? { price: String(50000 + stage.between(1, 900)) } : {},
  );
  judge.count(`${isModify ? "modify" : "cancel"} ${got.status} ${got.value?.error?.code ?? ""}`);
}

/** No event contradicts what an event before it has told as over. */
export function holdEvents(stage) {
  const over = new Map();
  for (const { type, event } of stage.stream.events) {
    if (type !== "order.updated" && type !== "order.created") continue;
    const { id, status, filled_size: filled } = event.data;
    stage.judge.count(`event ${status}`);
    const before = over.get(id);
    const word = `${status} ${filled}`;
    if (before !== undefined && before !== word)
      stage.judge.fault("an event contradicts one before it", { id, word }, before);
    if (["filled", "canceled", "rejected"].includes(status)) over.set(id, word);
  }
}

const behind = (most) => (stage) => (stage.roll() < 0.6 ? 0 : stage.between(0, most));

export const scenes = {
  "story-lost": (stage) => stories(stage, {}),
  "story-lost-behind": (stage) => stories(stage, { lag: behind(1500) }),
  "story-lost-no-feed": (stage) => stories(stage, { lag: behind(1500), hasFeed: false }),
  "story-killed": (stage) => stories(stage, { lag: behind(1000), isKilled: true }),
};
