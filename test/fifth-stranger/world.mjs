// One exchange, one gateway, one client; and the comparison at the end, when all is calm.

import { chainAt, shouldBe } from "./chains.mjs";
import { Client } from "./client.mjs";
import { abs, dec, plain } from "./codec.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { Judge } from "./judge.mjs";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class World {
  constructor({ binary, environment = {}, random = Math.random, logFile = null, grace }) {
    this.exchange = new Exchange({ random });
    this.gateway = new Gateway({ binary, exchange: this.exchange, environment, logFile });
    this.log = [];
    this.notes = [];
    this.grace = grace;
    this.more = []; // other gateways that are to be closed
  }

  async open() {
    await this.exchange.listen();
    await this.gateway.init();
    this.client = new Client(this.gateway, { log: this.log });
    this.client.follow();
    this.account = this.exchange.truth.account(this.gateway.owner.address);
    this.judge = new Judge({ account: this.account, log: this.log, grace: this.grace });
    await this.gateway.answering("/readyz");
    return this;
  }

  note(text) {
    this.notes.push(`${new Date().toISOString()} ${text}`);
  }

  show(row) {
    const { body } = row;
    const what =
      body?.object === "order"
        ? `${body.id.slice(0, 13)} ${body.status} ${body.filled_size}/${body.size}@${body.price} oid ${body.exchange_order_id} ${body.error ?? ""}`
        : JSON.stringify(body);
    this.note(`${row.method} ${row.path} → ${row.status} ${row.lost ?? what}`);
    return row;
  }

  /** The one fate of the next action of a kind. */
  next(type, fate) {
    const before = this.exchange.fate;
    return new Promise((resolve) => {
      this.exchange.fate = (action, body) => {
        if (action.type !== type) return before(action, body);
        this.exchange.fate = before;
        resolve(body);
        return fate;
      };
    });
  }

  calm() {
    this.exchange.fate = () => "well";
    this.exchange.infoFate = () => "well";
    this.exchange.lag.clear();
    this.exchange.feeds.open = true;
    this.exchange.feeds.silent.clear();
    this.exchange.book.forcedRefusal = null;
    this.exchange.actions.postOnly = false;
    this.exchange.actions.refuseAll = null;
    this.exchange.truth.halted = null;
  }

  /** Waits until nothing is unknown; what stays so for a minute is found. */
  async settle(most = 65_000) {
    const from = Date.now();
    let open = [];
    while (Date.now() - from < most) {
      const status = await this.client.get("/v1/status");
      open = [];
      if (status.status === 200) {
        const { unknown_orders: orders, unknown_operations: operations, unsettled_actions: unsettled } = status.body;
        if (orders.count + operations.count + unsettled === 0 && status.body.phase === "ready")
          return Date.now() - from;
        open.push(
          `${orders.count} orders, ${operations.count} operations, ${unsettled} actions, phase ${status.body.phase}`,
        );
      } else open.push(`status ${status.status}`);
      await sleep(1000);
    }
    const { said, waits } = await this.why();
    // By the documents nothing newer can be had of an account that does nothing else.
    const isQuiet = waits.length > 0 && waits.every((wait) => /while the account is quiet/.test(wait));
    this.judge.find(isQuiet ? "med" : "high", `not settled ${most} ms after all servers agree`, open.join(), said);
    return null;
  }

  async why() {
    const rows = await this.client.get("/v1/orders?status=unknown");
    const said = [];
    const waits = [];
    for (const order of rows.body?.data ?? []) {
      const { body } = await this.client.get(`/v1/orders/${order.id}/story`);
      const wait = body?.attempts?.findLast((attempt) => attempt.waits_for !== null)?.waits_for ?? null;
      said.push(
        `${order.market} ${order.id} ${order.error} ${JSON.stringify(wait ?? body?.steps?.at(-1) ?? body).slice(0, 300)}`,
      );
      waits.push(wait ?? "");
    }
    return { said: said.join("; "), waits };
  }

  /** After calm: everything asked for once more, and compared to the digit. */
  async finish({ settle = true } = {}) {
    this.calm();
    if (settle) this.note(`settled after ${await this.settle()} ms`);
    await sleep(2500);
    for (const key of this.client.wants.keys()) {
      await this.client.repeat(key);
      await sleep(60);
    }
    const ids = new Set();
    for (const row of this.log)
      for (const order of [row.body, ...(row.body?.data ?? [])]) if (order?.object === "order") ids.add(order.id);
    for (const id of ids) {
      const row = await this.client.get(`/v1/orders/${id}`);
      if (row.status === 200) this.final(row.body, row);
      else
        this.judge.find(
          "high",
          "an order that was told cannot be read",
          `${id} ${row.status} ${JSON.stringify(row.body)}`,
          "",
        );
      await sleep(55);
    }
    await this.lists();
    this.judge.told();
    this.judge.keys(this.client.wants);
    this.judge.operations(this.client.wants, this.exchange.truth);
    for (const row of this.exchange.log.filter((one) => one.fault || one.unmodelled))
      this.judge.find("harness", JSON.stringify(row).slice(0, 400), "", "");
    return this.judge.print();
  }

  final(told, row) {
    if (row.asOf !== null) return; // it says itself that it is of before
    const chain = chainAt(this.account, this.judge.legs(told, row.t1), row.t1);
    const words = `${told.market} ${told.id} ${told.status} ${told.filled_size}/${told.size} ${told.error ?? ""}`;
    if (!shouldBe(chain, told).includes(told.status))
      this.judge.find("high", "at the end", words, `${chain.status} ${chain.filledText}`, row);
    if (told.filled_size !== null ? dec(told.filled_size) !== chain.filled : chain.filled > 0n)
      this.judge.find("high", "filled at the end", words, `${chain.status} ${chain.filledText}`, row);
  }

  async lists() {
    const { judge, account } = this;
    const positions = await this.client.insistGet("/v1/positions?limit=500");
    const told = new Map(
      (positions.body.data ?? []).map((one) => [one.market, one.side === "long" ? one.size : `-${one.size}`]),
    );
    for (const coin of new Set([...told.keys(), ...account.positions.keys()])) {
      const truth = plain(account.positions.get(coin)?.szi ?? 0n);
      if ((told.get(coin) ?? "0") !== truth)
        judge.find("CRITICAL", "position at the end", `${coin} ${told.get(coin) ?? "none"}`, truth, positions);
    }
    const open = await this.client.insistGet("/v1/orders?status=open&limit=500");
    const shown = new Set(open.body.data.map((order) => order.exchange_order_id));
    const live = new Set(this.exchange.truth.live(account).map((order) => String(order.oid)));
    for (const oid of shown) if (!live.has(oid)) judge.find("CRITICAL", "listed as open at the end", oid, "over", open);
    for (const oid of live)
      if (!shown.has(oid))
        judge.find(
          "CRITICAL",
          "open, and not listed at the end",
          "absent",
          this.exchange.truth.describe(account.orders.get(Number(oid))),
          open,
        );
    const fills = await this.client.insistGet("/v1/fills?limit=500");
    const listed = new Set(fills.body.data.map((fill) => `${fill.market}-${fill.id.split("-").at(-1)}`));
    const missing = account.fills.filter((fill) => !listed.has(`${fill.coin}-${fill.tid}`));
    if (missing.length > 0 && fills.body.has_more === false)
      judge.find(
        "high",
        "fills that are not listed",
        `${fills.body.data.length}`,
        missing
          .map((fill) => `${fill.coin} ${fill.sz} oid ${fill.oid}`)
          .join("; ")
          .slice(0, 300),
        fills,
      );
    await this.money();
    await this.twapsAtEnd();
  }

  async money() {
    const balances = await this.client.insistGet("/v1/account");
    const spot = this.exchange.views.spot(this.account, Date.now());
    for (const { coin, total, hold } of spot.balances) {
      const told = balances.body.spot.find((row) => row.token === coin);
      if (!told || dec(told.total) !== dec(total) || dec(told.hold) !== dec(hold))
        this.judge.find(
          "high",
          "balance at the end",
          `${coin} ${told?.total} hold ${told?.hold}`,
          `${total} hold ${hold}`,
          balances,
        );
    }
  }

  async twapsAtEnd() {
    const rows = await this.client.insistGet("/v1/twaps");
    for (const told of rows.body.data ?? []) {
      const twap = told.exchange_id === null ? null : this.account.twaps.get(Number(told.exchange_id));
      if (!twap) {
        if (told.exchange_id !== null)
          this.judge.find("CRITICAL", "a TWAP that is none", told.exchange_id, "none", rows);
        continue;
      }
      const running = twap.status === "activated";
      if (running !== (told.status === "running"))
        this.judge.find("CRITICAL", "TWAP at the end", `${told.exchange_id} ${told.status}`, twap.status, rows);
      if (dec(told.filled_size) !== twap.executed)
        this.judge.find(
          "high",
          "TWAP filled at the end",
          `${told.exchange_id} ${told.status} ${told.filled_size}`,
          plain(twap.executed),
          rows,
        );
    }
    for (const id of this.account.twaps.keys())
      if (!rows.body.data?.some((told) => told.exchange_id === String(id)))
        this.judge.find(
          "high",
          "a TWAP that is not listed",
          "absent",
          this.exchange.twaps.describe(this.account.twaps.get(id)),
          rows,
        );
  }

  size(coin) {
    return plain(abs(this.account.positions.get(coin)?.szi ?? 0n));
  }

  async close() {
    await this.client?.close();
    for (const gateway of [this.gateway, ...this.more]) await gateway.close().catch(() => undefined);
    await this.exchange.close();
  }
}
