// One scene: an exchange and a gateway of its own, what the scene does with them, and the judge.
import { randomBytes } from "node:crypto";
import { Exchange } from "./exchange/server.mjs";
import { Gateway, newOwner } from "./gateway.mjs";
import { Judge, legsOf } from "./judge.mjs";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Context {
  constructor(exchange, gateway) {
    this.ex = exchange;
    this.truth = exchange.truth;
    this.gw = gateway;
    this.sent = [];
    this.ids = new Set();
    this.operations = new Set();
  }

  async post(path, body, key = `stranger-${randomBytes(8).toString("hex")}`) {
    const request = { path, body, key };
    if (!this.sent.some((each) => each.key === key)) this.sent.push(request);
    const said = await this.gw.ask("POST", path, { key, body });
    if (said.body?.object === "order") this.ids.add(said.body.id);
    if (said.body?.object === "operation") this.operations.add(said.body.id);
    return said;
  }

  place(fields = {}, key) {
    return this.post(
      "/v1/orders",
      { account: this.gw.account, market: "BTC", side: "buy", size: "0.01", price: "90000", ...fields },
      key,
    );
  }

  modify(id, fields, key) {
    return this.post(`/v1/orders/${id}/modify`, fields, key);
  }

  cancel(id, key) {
    return this.post(`/v1/orders/${id}/cancel`, {}, key);
  }

  again(said) {
    return this.gw.ask("POST", said.path, { key: said.key, body: said.request });
  }

  get(id) {
    return this.gw.ask("GET", `/v1/orders/${id}`);
  }

  operation(id) {
    return this.gw.ask("GET", `/v1/operations/${id}`);
  }

  read(path) {
    return this.gw.ask("GET", path);
  }

  /** The exchange's order that an order of the gateway is now. */
  leg(id) {
    return legsOf(this.truth, id).at(-1);
  }

  oid(id) {
    return this.leg(id).oid;
  }

  fill(id, size, px) {
    return this.truth.fill(this.oid(id), size, px);
  }

  /** Reads it again and again; ends early when `until` says so. */
  async watch(id, ms, { everyMs = 700, until = () => false } = {}) {
    const end = Date.now() + ms;
    let said = null;
    while (Date.now() < end) {
      said = await this.get(id);
      if (said.body && until(said.body)) return said;
      await sleep(Math.min(everyMs, Math.max(0, end - Date.now())));
    }
    return said;
  }

  async watchOperation(id, ms, until = (body) => body.status !== "unknown" && body.status !== "processing") {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      const said = await this.operation(id);
      if (said.body && until(said.body)) return said;
      await sleep(700);
    }
    return null;
  }

  async restart(signal = "SIGKILL", downMs = 0) {
    await this.gw.kill(signal);
    this.truth.note("gateway", `ended with ${signal}`);
    if (downMs) await sleep(downMs);
    await this.gw.start();
    const isReady = await this.gw.ready();
    this.truth.note("gateway", isReady ? "started again" : "started again, not ready");
    return isReady;
  }
}

export const known = (body) => body.status !== "unknown" && body.status !== "processing";
export const ended = (body) => ["filled", "canceled", "rejected"].includes(body.status);

const epilogue = async (context) => {
  const { gw } = context;
  for (const { path, body, key } of context.sent.slice(0, 12)) await gw.ask("POST", path, { key, body });
  for (const id of [...context.ids].slice(0, 12)) await context.get(id);
  for (const id of context.operations) await context.operation(id);
  await context.read("/v1/orders?status=open&limit=500");
  await context.read("/v1/orders?limit=500");
  await context.read("/v1/positions");
  await context.read("/v1/fills?limit=500");
  await sleep(400);
};

const short = (body) => {
  if (!body) return "";
  if (body.object === "order")
    return `${body.status} filled ${body.filled_size} of ${body.size} ${body.market} at ${body.price}, native ${body.exchange_order_id}, average ${body.average_price}, error ${JSON.stringify(body.error)}`;
  if (body.object === "operation")
    return `${body.action} ${body.status} ${body.exchange_id ?? ""} error ${JSON.stringify(body.error)}`;
  if (body.object === "fill") return `${body.size} at ${body.price} of ${body.exchange_order_id}`;
  if (body.object === "list") return `[${body.data.map(short).join(" ; ")}]`.slice(0, 600);
  return JSON.stringify(body).slice(0, 300);
};

/** Every statement once; repeats of the same words are counted. */
const brief = (statements, startedAt) => {
  const lines = [];
  let last = null;
  for (const each of statements) {
    const words = `${each.method} ${each.path} ${each.http}${each.isReplay ? " replay" : ""}${each.fault ? ` ${each.fault}` : ""} ${short(each.body)}${each.asOf ? ` as of ${each.asOf}` : ""}`;
    if (last && last.words === words) {
      last.times++;
      last.to = each.t1;
      continue;
    }
    last = { words, times: 1, from: each.t1, to: each.t1, took: each.t1 - each.t0 };
    lines.push(last);
  }
  return lines.map(
    ({ words, times, from, to, took }) =>
      `+${((from - startedAt) / 1000).toFixed(2)}s ${took > 1000 ? `(took ${(took / 1000).toFixed(1)} s) ` : ""}${words}${times > 1 ? ` ×${times} until +${((to - startedAt) / 1000).toFixed(2)}s` : ""}`,
  );
};

export const perform = async (scene, { binary, keep }) => {
  const owner = newOwner();
  const exchange = new Exchange({ owner: owner.address });
  scene.prepare?.(exchange);
  await exchange.listen();
  const gateway = new Gateway({ binary, owner, exchangeUrl: exchange.url, settings: scene.settings ?? {}, keep });
  const startedAt = Date.now();
  const leave = () => {
    void gateway.stop().finally(() => process.exit(143));
  };
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
  let broken = null;
  let context;
  try {
    await gateway.init();
    await gateway.start();
    if (!(await gateway.ready())) throw new Error("the gateway never became ready");
    await gateway.register();
    gateway.follow();
    await sleep(400);
    context = new Context(exchange, gateway);
    await scene.run(context);
    await epilogue(context);
  } catch (error) {
    broken = error.stack;
  }
  const endedAt = Date.now();
  process.off("SIGTERM", leave);
  process.off("SIGINT", leave);
  await gateway.stop();
  await exchange.stop();
  const judge = new Judge({ exchange, gateway, scene, startedAt, endedAt });
  const result = judge.run();
  for (const finding of scene.check?.(context, judge) ?? []) result.findings.push(finding);
  const bug = exchange.truth.log.find((line) => line.kind === "bug");
  if (broken || bug) result.findings.push({ kind: "broken", what: broken ?? bug.text, log: [] });
  const order = ["broken", "double", "false", "too much", "hazard", "stuck", "slow"];
  result.verdict = order.find((kind) => result.findings.some((each) => each.kind === kind)) ?? "true";
  return {
    scene: scene.name,
    point: scene.point ?? null,
    about: scene.about,
    isBeyond: scene.isBeyond ?? false,
    ...result,
    seconds: (endedAt - startedAt) / 1000,
    log: exchange.truth.log.map((line) => judge.line(line)),
    statements: brief(gateway.statements, startedAt),
  };
};
