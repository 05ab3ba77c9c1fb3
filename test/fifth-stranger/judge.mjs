// All that was told against what was so.
import { chainAt, legsOf } from "./chains.mjs";
import { dec, plain } from "./codec.mjs";

const CLOSED = ["filled", "canceled", "rejected"];

/** Each order in an answer or an event. */
export function* ordersIn(value) {
  if (Array.isArray(value)) for (const item of value) yield* ordersIn(item);
  else if (value && typeof value === "object") {
    if (value.object === "order" && value.id && value.status) yield value;
    else for (const item of Object.values(value)) yield* ordersIn(item);
  }
}

export class Judge {
  constructor({ account, log, grace = 2500 }) {
    Object.assign(this, { account, log, grace });
    this.findings = [];
    this.restores = []; // {from, to}: what was done in between the restored database does not know
  }

  /** After a restore the replacement of a modify of in between is an order of its own, and what was told before does not count. */
  legs(told, time) {
    return legsOf(this.account, told, (order) =>
      this.restores.some(({ from, to }) => time >= to && order.timestamp >= from && order.timestamp <= to),
    );
  }

  restoredBetween(left, right) {
    return this.restores.some(({ to }) => left <= to && right >= to);
  }

  find(severity, what, told, ...[truth, row = null]) {
    const text = `${what} | told ${told} | true ${truth}`;
    if (this.findings.some((one) => one.text === text)) return;
    this.findings.push({
      severity,
      text,
      at: row ? `${row.kind} ${row.type ?? `${row.method} ${row.path}`} ${new Date(row.t1).toISOString()}` : null,
    });
  }

  told() {
    for (const row of this.log) for (const order of ordersIn(row.body)) this.order(row, order);
    this.regress();
  }

  order(row, told) {
    const legs = this.legs(told, row.t1);
    const now = chainAt(this.account, legs, row.t1);
    const before = chainAt(this.account, legs, row.t0 - this.grace);
    const words = `${told.market} ${told.id.slice(0, 18)} ${told.status} filled ${told.filled_size} of ${told.size}${told.error ? ` "${told.error.slice(0, 160)}"` : ""}`;
    const truth = `${now.status} filled ${now.filledText}${now.live.length > 0 ? ` live ${now.live.map((leg) => leg.oid)}` : ""}`;
    const filled = told.filled_size === null ? 0n : dec(told.filled_size);
    if (filled > now.filled) this.find("CRITICAL", "more filled than was", words, truth, row);
    if (CLOSED.includes(told.status) && now.live.length > 0)
      this.find("CRITICAL", "closed, and it lives", words, truth, row);
    if (told.status === "rejected" && now.filled > 0n)
      this.find("CRITICAL", "rejected, and it has filled", words, truth, row);
    if (told.status === "filled" && now.filled < dec(told.size))
      this.find("CRITICAL", "filled, and it was not whole", words, truth, row);
    if (told.status === "canceled" && now.filled >= dec(told.size) && now.status === "filled")
      this.find("high", "canceled, and it was filled whole", words, truth, row);
    if (
      row.kind === "answer" &&
      ["open", "waiting_for_trigger"].includes(told.status) &&
      before.live.length === 0 &&
      before.status !== null &&
      now.live.length === 0 &&
      !row.asOf &&
      !this.replayed(row)
    ) {
      this.find("high", `open, and it was over for more than ${this.grace} ms`, words, truth, row);
    }
    if (
      row.kind === "answer" &&
      filled < before.filled &&
      !row.asOf &&
      !this.replayed(row) &&
      told.status !== "unknown"
    )
      this.find("high", `less filled than for ${this.grace} ms`, words, truth, row);
    if (told.average_price && filled === now.filled && told.average_price !== now.average)
      this.find("soft", "average price", `${words} @ ${told.average_price}`, now.average, row);
    if (told.exchange_order_id && legs.length > 0 && !legs.some((leg) => String(leg.oid) === told.exchange_order_id))
      this.find(
        "CRITICAL",
        "another order's native id",
        `${words} ${told.exchange_order_id}`,
        legs.map((leg) => leg.oid).join(),
        row,
      );
  }

  replayed(row) {
    return row.key !== undefined;
  }

  /** Nothing that was told may be taken back. Answers of repeated keys are of their first time. */
  regress() {
    const seen = new Map();
    for (const kind of ["answer", "event"]) {
      const rows = this.log
        .filter((row) => row.kind === kind && !this.replayed(row))
        .sort((left, right) => left.t1 - right.t1);
      seen.clear();
      for (const row of rows) {
        for (const told of ordersIn(row.body)) {
          const last = seen.get(told.id);
          if (last && row.t0 >= last.t1 && !this.restoredBetween(last.t1, row.t0)) {
            const words = `${told.market} ${told.id.slice(0, 18)} ${last.status}/${last.filled} then ${told.status}/${told.filled_size} "${told.error ?? ""}"`;
            if (CLOSED.includes(last.status) && told.status !== last.status)
              this.find("high", `${kind}: a final state has changed`, words, "", row);
            if (told.filled_size !== null && last.filled !== null && dec(told.filled_size) < dec(last.filled))
              this.find("high", `${kind}: filled shrinks`, words, "", row);
          }
          seen.set(told.id, { status: told.status, filled: told.filled_size, t1: row.t1 });
        }
      }
    }
  }

  /** One key, one order at most; and what was answered with nothing sent has sent nothing. */
  keys(wants) {
    for (const [key, want] of wants) {
      if (want.path !== "/v1/orders") continue;
      const { market, side, size, price } = want.body;
      const made = [...this.account.orders.values()].filter(
        (order) =>
          order.modifyOf === undefined &&
          order.coin === market &&
          order.side === (side === "buy" ? "B" : "A") &&
          order.origSz === dec(size) &&
          order.limitPx === dec(price),
      );
      if (made.length > 1)
        this.find(
          "CRITICAL",
          "one key, two orders",
          `${key} ${market} ${size}@${price}`,
          made.map((order) => order.oid).join(),
        );
      const answers = want.answers.filter((row) => row.status !== 0);
      if (
        made.length > 0 &&
        answers.length === want.answers.length &&
        answers.length > 0 &&
        answers.every((row) => row.status >= 400)
      ) {
        this.find(
          "CRITICAL",
          "only refusals, and it was placed",
          `${key} ${answers.map((row) => `${row.status} ${row.body?.error?.code}`).join(", ")}`,
          made.map((order) => order.oid).join(),
        );
      }
      const final = want.answers.filter((row) => row.status === 200 || row.status === 201);
      for (const row of final.slice(1))
        if (!this.restoredBetween(final[0].t1, row.t0) && JSON.stringify(row.body) !== JSON.stringify(final[0].body))
          this.find(
            "high",
            "the stored answer has changed",
            `${key} ${JSON.stringify(final[0].body)}`,
            JSON.stringify(row.body),
          );
      const ids = new Set(want.answers.map((row) => row.body?.id).filter(Boolean));
      if (ids.size > 1 && this.restores.length === 0) this.find("high", "one key, two ids", key, [...ids].join());
    }
  }

  /** Operations, by values that only one wish has. */
  operations(wants, truth) {
    for (const [key, want] of wants) {
      const last = want.answers.findLast((row) => row.status === 200 || row.status === 202);
      const carried = this.carried(want, truth);
      if (carried === null) continue;
      const equal = [...wants.values()].filter(
        (other) => other.path === want.path && JSON.stringify(other.body) === JSON.stringify(want.body),
      ).length;
      if (carried > equal && want.path !== "/v1/leverage")
        this.find(
          "CRITICAL",
          "one key, done twice",
          `${key} ${want.path} ${JSON.stringify(want.body)}`,
          `${carried} times`,
        );
      if (!last) continue;
      if (last.body.status === "succeeded" && carried === 0)
        this.find(
          "CRITICAL",
          "succeeded, and it was not done",
          `${want.path} ${JSON.stringify(want.body)}`,
          "not done",
          last,
        );
      if (last.body.status === "rejected" && carried > 0)
        this.find(
          "CRITICAL",
          "rejected, and it was done",
          `${want.path} ${JSON.stringify(want.body)} "${last.body.error}"`,
          `done ${carried}`,
          last,
        );
    }
  }

  carried(want, truth) {
    const done = (test) =>
      truth.actions.filter(
        (row) =>
          row.carried && row.account === this.account.address && row.answer?.status === "ok" && test(row.action, row),
      ).length;
    if (want.path === "/v1/margin")
      return done(
        (action) => action.type === "updateIsolatedMargin" && BigInt(action.ntli) * 100n === dec(want.body.amount),
      );
    if (want.path === "/v1/twaps")
      return done(
        (action, row) =>
          action.type === "twapOrder" && dec(action.twap.s) === dec(want.body.size) && row.twapId !== undefined,
      );
    if (want.path === "/v1/leverage")
      return done(
        (action) =>
          action.type === "updateLeverage" &&
          action.leverage === want.body.leverage &&
          action.isCross === (want.body.margin_type === "cross"),
      );
    if (want.path === "/v1/twaps/cancel")
      return done(
        (action, row) =>
          action.type === "twapCancel" &&
          action.t === want.body.twap_id &&
          row.answer.response.data.status === "success",
      );
    return null;
  }

  print() {
    const rank = ["CRITICAL", "high", "med", "soft"];
    return this.findings
      .sort((left, right) => rank.indexOf(left.severity) - rank.indexOf(right.severity))
      .map((one) => `${one.severity}: ${one.text}${one.at ? ` | at ${one.at}` : ""}`);
  }

  sum(coin) {
    return plain(this.account.positions.get(coin)?.szi ?? 0n);
  }
}
