import { abs, dec, mul, plain, txt } from "./decimals.mjs";
import { DEXES } from "./markets.mjs";

const SIZES_MS = 1000;
const MARGIN_MS = 6000;
// What an answer may take between the moment that it shows and the one at which it is stamped.
const SLACK_MS = 150;
const MODES = { unifiedAccount: "unified", portfolioMargin: "portfolio_margin" };
const OVER = new Set(["filled", "canceled", "rejected"]);

/** Holds what was told against the exchange's own truth. */
export class Judge {
  constructor(exchange) {
    this.exchange = exchange;
    this.engine = exchange.engine;
    this.faults = [];
    this.counts = new Map();
    this.final = new Map();
    this.known = [];
  }

  fault(what, told, truth) {
    this.faults.push({ what, told, truth });
  }

  count(what) {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** From here on no figure of this account that this changed may be older. `from` is when it was told, `at` when it happened. */
  raise(account, { from, at, market, kind }) {
    const { dex, isSpot } = this.engine.markets.get(market);
    this.known.push({ account, from, at, market, dex, isSpot, kind });
  }

  floorOf(account, answer, isOfIt) {
    const known = this.known.filter((k) => k.account === account && k.from <= answer.from && isOfIt(k));
    return known.reduce((most, k) => Math.max(most, k.at), 0);
  }

  moments(account, answer, age, floor) {
    const low = answer.asOf === null ? answer.from - age - SLACK_MS : answer.asOf - SLACK_MS;
    const from = Math.max(low, floor);
    return account.moments.filter(
      (m, i) => m.at <= answer.to && (account.moments[i + 1]?.at ?? Number.POSITIVE_INFINITY) > from,
    );
  }

  oneOf(account, answer, { age, what, told, make, isOfIt }) {
    this.count(what);
    const floor = this.floorOf(account, answer, isOfIt);
    const line = JSON.stringify(told);
    const seen = new Set(this.moments(account, answer, age, floor).map((m) => JSON.stringify(make(m))));
    if (seen.has(line)) return;
    const ever = account.moments.findLastIndex((m) => JSON.stringify(make(m)) === line);
    const since = account.moments[ever + 1]?.at;
    const when = ever === -1 ? "never so" : `not so any more for ${answer.from - since} ms when it was asked`;
    const asOf = answer.asOf === null ? "of now" : `as of ${answer.from - answer.asOf} ms before it`;
    const own = floor === 0 ? "" : `, own change told that was made ${answer.from - floor} ms before it`;
    this.fault(`${what}: ${when}; told ${asOf}${own}`, told, [...seen]);
  }

  balances(account, answer) {
    if (answer.status !== 200) return this.count(`account ${answer.status}`);
    const { value } = answer;
    const want = MODES[account.mode] ?? "standard";
    if (value.account_mode !== want) this.fault("account_mode", value.account_mode, want);
    for (const dex of DEXES) {
      const told = value.perpetuals.find((p) => p.dex === dex);
      if (told === undefined) this.fault("a dex is missing", value.perpetuals, dex);
      else this.perpetual(account, answer, dex, told);
    }
    this.perpetual(account, answer, "", {
      equity: value.equity,
      withdrawable: value.withdrawable,
      margin_used: value.margin_used,
    });
    const isOfIt = (k) => k.isSpot || (account.isShared() && k.kind === "fill");
    this.oneOf(account, answer, {
      age: SIZES_MS,
      what: "spot totals",
      told: spotOf(value.spot, false),
      make: (m) => spotTruth(m, false),
      isOfIt: (k) => isOfIt(k) && k.kind === "fill",
    });
    this.oneOf(account, answer, {
      age: SIZES_MS,
      what: "spot holds",
      told: spotOf(value.spot, true),
      make: (m) => spotTruth(m, true),
      isOfIt,
    });
  }

  perpetual(account, answer, dex, told) {
    const isOfIt = (k) => k.kind === "fill" && !k.isSpot && k.dex === dex;
    const what = `balance of dex '${dex}'`;
    if (!account.isShared()) {
      this.oneOf(account, answer, {
        age: MARGIN_MS,
        what,
        told: { dex, ...told },
        make: (m) => perpetualOf(m, dex),
        isOfIt,
      });
      return;
    }
    // What is of two stores may be of two moments: a total of one and a gain of the other.
    const gains = this.moments(account, answer, MARGIN_MS, this.floorOf(account, answer, isOfIt)).map((m) =>
      sharedOf(m, dex),
    );
    const totals = this.moments(
      account,
      answer,
      SIZES_MS,
      this.floorOf(account, answer, (k) => k.kind === "fill"),
    ).map((m) => usdcOf(m));
    this.count(what);
    const isSo = gains.some(
      (g) => g.used === told.margin_used && totals.some((t) => plain(txt(t.total + g.gain)) === told.equity),
    );
    const show = (list) => [
      ...new Set(list.map((x) => JSON.stringify(x, (_, v) => (typeof v === "bigint" ? txt(v) : v)))),
    ];
    if (!isSo)
      this.fault(
        `${what} (shared)`,
        { ...told, asOf: answer.asOf === null ? null : answer.from - answer.asOf },
        { gains: show(gains), totals: show(totals) },
      );
  }

  positions(account, answer) {
    if (answer.status !== 200) return this.count(`positions ${answer.status}`);
    const told = answer.value.data;
    for (const market of this.engine.markets.keys()) {
      const p = told.find((q) => q.market === market);
      const isOfIt = (k) => k.kind === "fill" && k.market === market;
      const line =
        p === undefined ? "none" : `${p.market} ${p.side} ${p.size} ${p.entry_price} ${p.leverage} ${p.margin_type}`;
      this.oneOf(account, answer, {
        age: SIZES_MS,
        what: "size of a position",
        told: line,
        make: (m) => sizeLine(m, market),
        isOfIt,
      });
      if (p === undefined) continue;
      const figures = [p.market, p.position_value, p.unrealized_pnl, p.margin_used, p.funding_since_open, p.mark_price];
      this.oneOf(account, answer, {
        age: MARGIN_MS,
        what: "figures of a position",
        told: figures,
        make: (m) => figuresOf(m, market),
        isOfIt,
      });
    }
  }

  openOrders(account, answer) {
    if (answer.status !== 200) return this.count(`open orders ${answer.status}`);
    const line = (o) => `${o.oid} ${plain(txt(dec(o.origSz) - dec(o.sz)))}`;
    for (const o of answer.value.data) {
      const oid = o.exchange_order_id;
      const make = (m) => m.open.filter((one) => String(one.oid) === oid).map(line);
      this.oneOf(account, answer, {
        age: SIZES_MS,
        what: "an open order",
        told: [`${oid} ${o.filled_size}`],
        make,
        isOfIt: () => false,
      });
    }
  }

  /** An order that was told, of a size of its own: what is final has to be so, and to stay so. */
  order(account, told) {
    const truth = this.truthOf(account, told.market, told.size, told.side);
    this.count(`order ${told.status}`);
    const firsts = truth.filter((t) => !t.isReplacement);
    if (firsts.length > 1) this.fault(`placed ${firsts.length} times`, told, truth);
    const before = this.final.get(told.id);
    const word = `${told.status} ${told.filled_size} ${told.average_price} ${told.exchange_order_id}`;
    if (before !== undefined && before !== word) this.fault("a final sentence was contradicted", word, before);
    if (!OVER.has(told.status)) return;
    this.final.set(told.id, word);
    if (truth.length === 0 && told.status === "filled") this.fault("told filled and is not there", told, null);
    if (truth.some((t) => t.status === "open" || t.status === "triggered"))
      this.fault("told final and lives", told, truth);
    const filled = plain(txt(truth.reduce((sum, t) => sum + t.filled, 0n)));
    if ((told.filled_size ?? "0") !== filled) this.fault("filled size of a final order", told, truth);
    if (told.status !== "filled" && truth.at(-1)?.status === "filled" && truth.at(-1).filled > 0n)
      this.fault("was filled", told, truth);
  }

  /** Every placing at the exchange that asked for this. */
  truthOf(account, market, size, side) {
    const found = new Map();
    for (const entry of this.engine.log) {
      if (entry.account !== account.address || entry.kind !== "placed") continue;
      const { wire } = entry;
      const isIt =
        this.engine.marketOf(wire.a).coin === market && plain(wire.s) === plain(size) && wire.b === (side === "buy");
      if (isIt)
        found.set(entry.oid, {
          oid: entry.oid,
          at: entry.at,
          isReplacement: entry.isReplacement,
          isReduce: wire.r,
          status: "open",
          filled: 0n,
        });
    }
    for (const entry of this.engine.log) {
      const order = found.get(entry.oid);
      if (order === undefined) continue;
      if (entry.kind === "order") order.status = entry.status;
      if (entry.kind === "fill") order.filled += dec(entry.fill.sz);
    }
    return [...found.values()];
  }
}

function perpetualOf(moment, dex) {
  const { marginSummary, withdrawable } = moment.perpetuals[dex];
  return {
    dex,
    equity: plain(marginSummary.accountValue),
    withdrawable: plain(withdrawable),
    margin_used: plain(marginSummary.totalMarginUsed),
  };
}

function sharedOf(moment, dex) {
  const held = moment.perpetuals[dex].assetPositions.map((p) => p.position);
  const sum = (name) => held.reduce((all, p) => all + dec(p[name]), 0n);
  return { gain: sum("unrealizedPnl"), used: plain(txt(sum("marginUsed"))) };
}

function usdcOf(moment) {
  const usdc = moment.spot.balances.find((b) => b.coin === "USDC");
  return { total: dec(usdc.total), hold: dec(usdc.hold) };
}

function spotOf(rows, hasHolds) {
  const held = rows.filter((b) => b.total !== "0" || b.hold !== "0");
  return held
    .map((b) => `${b.token} ${b.token_id} ${b.total} ${b.entry_value}${hasHolds ? ` ${b.hold} ${b.available}` : ""}`)
    .sort();
}

function spotTruth(moment, hasHolds) {
  const rows = moment.spot.balances.map((b) => ({
    token: b.coin,
    token_id: b.token,
    total: plain(b.total),
    hold: plain(b.hold),
    available: plain(txt(dec(b.total) - dec(b.hold))),
    entry_value: plain(b.entryNtl),
  }));
  return spotOf(rows, hasHolds);
}

function positionOf(moment, market) {
  return DEXES.flatMap((dex) => moment.perpetuals[dex].assetPositions.map((p) => p.position)).find(
    (p) => p.coin === market,
  );
}

function sizeLine(moment, market) {
  const p = positionOf(moment, market);
  if (p === undefined) return "none";
  const side = p.szi.startsWith("-") ? "short" : "long";
  return `${p.coin} ${side} ${plain(p.szi.replace("-", ""))} ${plain(p.entryPx)} ${p.leverage.value} ${p.leverage.type}`;
}

function figuresOf(moment, market) {
  const p = positionOf(moment, market);
  if (p === undefined) return null;
  const mark = txt((dec(p.positionValue) * 10n ** 12n) / abs(dec(p.szi)));
  return [
    market,
    plain(p.positionValue),
    plain(p.unrealizedPnl),
    plain(p.marginUsed),
    plain(p.cumFunding.sinceOpen),
    plain(mark),
  ];
}

export function feesOf(account, token) {
  return account.fills.filter((f) => f.fill.feeToken === token).reduce((sum, f) => sum + dec(f.fill.fee), 0n);
}

export function volumeOf(account) {
  return account.fills.reduce((sum, { fill }) => sum + mul(dec(fill.px), dec(fill.sz)), 0n);
}
