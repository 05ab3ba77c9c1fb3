// Everything told, held against what was true.
import { num, plain } from "./codec.mjs";
import { cloidOf, holdings, isLiveAt, orderAt, wordsFor } from "./truth.mjs";

const FINAL = new Set(["filled", "canceled", "rejected"]);

export class Judge {
  constructor(world) {
    this.world = world;
    this.found = [];
    this.seen = new Set();
  }

  say(severity, what, detail) {
    const key = `${severity} ${what} ${detail?.id ?? detail?.key ?? JSON.stringify(detail)}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.found.push({ severity, what, detail });
  }

  account(client) {
    return this.world.chain.accounts.get(client.address);
  }

  /** Every order in an answer or event, with when it was asked for and told. */
  *tellings() {
    for (const e of this.world.told) {
      const client = this.world.clients[e.client];
      const body = e.answer;
      if (!body || e.status >= 300 || !client) continue;
      const list =
        body.object === "order"
          ? [body]
          : body.object === "order_batch"
            ? body.orders
            : body.object === "list"
              ? body.data.filter((o) => o.object === "order")
              : [];
      for (const order of list)
        yield {
          order,
          client,
          from: e.t,
          to: e.done,
          how: `${e.method} ${e.path}`,
          isReplay: e.replayed,
          isHistory: body.object === "list" && !e.path.includes("status=open"),
        };
    }
    for (const e of this.world.events) {
      if (e.event?.data?.object === "order")
        yield {
          order: e.event.data,
          client: this.world.clients[e.client],
          from: e.t - 3000,
          to: e.t,
          how: `event ${e.type}`,
          isEvent: true,
        };
    }
  }

  tellingsAgainstTruth() {
    for (const t of this.tellings()) this.telling(t);
  }

  telling({ order, client, to, how, isReplay, isHistory }) {
    const { chain } = this.world;
    const account = this.account(client);
    if (order.account !== client.account)
      this.say("CRITICAL", "an order of another account was told", { how, id: order.id, to: client.name });
    const then = orderAt(chain, account, order.id, to);
    const now = orderAt(chain, account, order.id);
    const detail = {
      id: order.id,
      client: client.name,
      how,
      told: `${order.status} ${order.filled_size}`,
      at: new Date(to).toISOString(),
      market: order.market,
      error: order.error,
      true: `${then.state} ${plain(then.filled)}`,
      later: `${now.state} ${plain(now.filled)}`,
    };
    if (order.filled_size !== null && num(order.filled_size) > then.filled && then.legs.length > 0)
      this.say("CRITICAL", "more filled than was true", detail);
    if (order.status === "rejected" && !["rejected", "none"].includes(now.state) && !/Rejected$/.test(now.state))
      this.say("CRITICAL", "told as rejected, and the exchange has taken it", detail);
    if (order.status === "filled" && (then.state === "none" || isLiveAt(chain, account, order.id, to)))
      this.say("CRITICAL", "told as filled, and it was not", detail);
    if (order.status === "canceled" && isLiveAt(chain, account, order.id, to))
      this.say("CRITICAL", "told as canceled, and it was live", detail);
    if (
      order.status === "canceled" &&
      now.filled > num(order.filled_size ?? "0") &&
      !isReplay &&
      !isHistory &&
      how.startsWith("GET")
    )
      this.say("high", "told as canceled with less filled than was", detail);
  }

  /** A status that was final never becomes another. */
  contradictions() {
    const finals = new Map();
    for (const t of [...this.tellings()].sort((a, b) => a.to - b.to)) {
      if (t.isReplay || t.isHistory) continue;
      const before = finals.get(t.order.id);
      if (before && before.order.status !== t.order.status && t.from > before.to)
        this.say("high", "a final status has changed", {
          id: t.order.id,
          first: `${before.order.status} ${before.how}`,
          next: `${t.order.status} ${t.how}`,
          error: t.order.error,
        });
      if (FINAL.has(t.order.status) && !before && !/modify/.test(t.how)) finals.set(t.order.id, t);
    }
  }

  /** One key is at most one order, in its own account; a refusal has sent nothing. */
  doubles() {
    const { chain, intents } = this.world;
    const placed = chain.log.filter((e) => e.what === "order");
    for (const intent of intents) {
      if (!intent.size) continue;
      const mine = placed.filter(
        (e) => e.market === intent.coin && num(e.sz) === num(intent.size) && (intent.side === "buy") === e.isBuy,
      );
      const entries = this.world.told.filter(
        (e) => e.idempotency === intent.key && e.client === intent.client && JSON.stringify(e.body) === intent.json,
      );
      const detail = {
        key: intent.key,
        client: intent.client,
        coin: intent.coin,
        size: intent.size,
        answers: entries.map((e) => `${e.status || e.fault} ${e.answer?.status ?? e.answer?.error?.code ?? ""}`),
        placed: mine.map((e) => `${e.oid} ${e.account} ${new Date(e.t).toISOString()}`),
      };
      if (mine.length > 1) this.say("CRITICAL", "one key has placed twice", detail);
      if (mine.some((e) => e.account !== this.world.clients[intent.client].address))
        this.say("CRITICAL", "placed in another account", detail);
      if (mine.length > 0 && entries.length > 0 && entries.every((e) => e.status >= 300))
        this.say("CRITICAL", "refused, and placed", detail);
    }
  }

  /** Operations: how often each was carried out against how often that was told. */
  operations(operations) {
    const { chain, intents } = this.world;
    for (const intent of intents.filter((i) => i.operation)) {
      const address = this.world.clients[intent.client].address;
      const done = chain.log.filter(
        (e) => e.what === "action" && e.account === address && intent.matches(e.action) && isDone(e.answer),
      );
      const rows = operations[intent.client].filter((o) => intent.ids.has(o.id));
      const detail = {
        key: intent.key,
        client: intent.client,
        operation: intent.operation,
        done: done.length,
        told: rows.map((r) => `${r.id} ${r.status} ${r.error ?? ""}`),
        answers: [...intent.ids],
      };
      if (rows.length === 0) {
        if (done.length > 0 && intent.wasAnswered)
          this.say("CRITICAL", "an operation was carried out that is not told", detail);
        continue;
      }
      const others = intents.filter(
        (i) => i !== intent && i.operation && i.client === intent.client && i.same === intent.same,
      ).length;
      if (others > 0) continue;
      const { status } = rows[0];
      if (status === "succeeded" && done.length === 0)
        this.say("CRITICAL", "told as succeeded, and never done", detail);
      if (status === "rejected" && done.length > 0) this.say("CRITICAL", "told as rejected, and done", detail);
      if (done.length > 1) this.say("CRITICAL", "an operation was done twice", detail);
      const saysWhen = /at the latest from|(within|after) ten minutes/.test(rows[0].error ?? "");
      if (["unknown", "processing"].includes(status))
        this.say(saysWhen ? "soft" : "high", "an operation is not known a minute after all is well", detail);
    }
  }

  /** Answers to one key: one change at most, from unknown to known. */
  replays() {
    const groups = new Map();
    for (const e of this.world.told) {
      if (!e.idempotency || e.status === 0 || e.status >= 300 || e.method !== "POST") continue;
      const name = `${e.client} ${e.idempotency} ${e.path}`;
      groups.set(name, [...(groups.get(name) ?? []), e]);
    }
    for (const [name, list] of groups) {
      list.sort((a, b) => a.t - b.t);
      const known = list.filter((e) => e.status !== 202);
      const texts = new Set(known.map((e) => e.raw));
      if (texts.size > 1) this.say("high", "a key was answered in two ways", { key: name, answers: [...texts] });
      const ids = new Set(list.map((e) => e.answer?.id).filter(Boolean));
      if (ids.size > 1) this.say("CRITICAL", "a key has two orders", { key: name, ids: [...ids] });
      const first = known[0];
      if (first && list.some((e) => e.status === 202 && e.t > first.done))
        this.say("high", "known, and then unknown again", { key: name });
    }
  }

  /** At rest, each account: what the gateway shows against what is; what differs. Fills say up to when they are whole. */
  rest(client, shown, fillsAsOf) {
    const truth = holdings(this.world.chain, this.account(client));
    const problems = [];
    for (const [what, rows] of Object.entries(shown)) {
      if (!rows) continue;
      const isDue = (row) => what !== "fills" || Number.parseInt(row, 10) <= fillsAsOf;
      const missing = truth[what].filter((r) => !rows.includes(r) && isDue(r));
      const invented = rows.filter((r) => !truth[what].includes(r));
      if (missing.length + invented.length > 0)
        problems.push([
          what === "spot" ? "high" : "CRITICAL",
          `${what} at rest are not what is true`,
          { client: client.name, missing: missing.slice(0, 5), invented: invented.slice(0, 5) },
        ]);
    }
    return problems;
  }

  orderAtRest(client, order) {
    const found = orderAt(this.world.chain, this.account(client), order.id);
    const detail = {
      id: order.id,
      client: client.name,
      market: order.market,
      told: `${order.status} ${order.filled_size} ${order.average_price}`,
      error: order.error,
      true: `${found.state} ${plain(found.filled)}`,
    };
    if (["unknown", "processing"].includes(order.status))
      return this.say("high", "an order is not known a minute after all is well", detail);
    if (!wordsFor(found).includes(order.status))
      return this.say("CRITICAL", "an order at rest is not what is true", detail);
    if (order.filled_size !== null && num(order.filled_size) !== found.filled)
      return this.say("CRITICAL", "a filled size at rest is not what is true", detail);
    return undefined;
  }
}

function isDone(answer) {
  if (answer?.status !== "ok") return false;
  const status = answer.response?.data?.status;
  return status === undefined || !status.error;
}

export { cloidOf };
