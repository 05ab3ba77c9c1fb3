// Compares everything that was told with what happened. Nothing here knows how the gateway works: only what its
// documents promise and what the log of the exchange says.
import { plain, q } from "./exchange/truth.mjs";

const graceMs = 1000;
const finals = new Set(["filled", "canceled", "rejected"]);
const live = new Set(["open", "waiting_for_trigger"]);
const lived = (order) =>
  order.versions.some((each) => each.status === "open" || each.status === "triggered" || each.status === "filled") ||
  order.filled > 0;

export const cloidOf = (id) => `0x${id.replaceAll("-", "")}`;

/** The exchange's orders that this order of the gateway is made of, in the order of their making. */
const follows = (order, leg) => order.replaces === leg.oid || order.firedFrom === leg.oid;

/**
 * The exchange's orders that this order of the gateway is made of, in the order of their making. What an always_place put
 * instead of an order that was canceled before is an order of its own by the documents; `isLoose` lets it count as the same,
 * since nothing on the wire tells the two apart.
 */
export const legsOf = (truth, id, { isLoose = false } = {}) => {
  const legs = (truth.byCloid.get(cloidOf(id)) ?? []).map((oid) => truth.orders.get(oid)).filter((each) => each.ours);
  for (let i = 0; i < legs.length; i++)
    for (const order of truth.orders.values())
      if (
        order.ours &&
        !legs.includes(order) &&
        (follows(order, legs[i]) || (isLoose && order.insteadOf === legs[i].oid))
      )
        legs.push(order);
  return legs;
};

const filledAt = (truth, legs, t) => {
  const oids = new Set(legs.map((each) => each.oid));
  let sum = 0;
  for (const fill of truth.fills) if (oids.has(fill.oid) && fill.t <= t) sum += fill.sz;
  return sum;
};

const openAt = (leg, t) =>
  lived(leg) && leg.createdAt <= t && (leg.closedAt === null || leg.closedAt > t) && leg.versions.length > 0;
const openWithin = (leg, from, to) =>
  lived(leg) && leg.createdAt <= to && (leg.closedAt === null || leg.closedAt >= from);

const sumsWithin = (truth, legs, from, to) => {
  const oids = new Set(legs.map((each) => each.oid));
  const times = [
    from,
    ...truth.fills.filter((each) => oids.has(each.oid) && each.t > from && each.t <= to).map((each) => each.t),
  ];
  return [...new Set(times.map((t) => filledAt(truth, legs, t)))];
};

export class Judge {
  constructor({ exchange, gateway, scene, startedAt, endedAt }) {
    Object.assign(this, { exchange, gateway, scene, startedAt, endedAt, truth: exchange.truth });
    this.findings = [];
    this.asked = new Map();
    this.requests = new Map();
    this.unknownSince = new Map();
    this.unknownMs = new Map();
    this.told = new Set();
  }

  find(kind, what, statement, legs = []) {
    const oids = new Set(legs.map((each) => each.oid));
    const log = this.truth.log
      .filter((line) => line.oid !== undefined && oids.has(line.oid))
      .map((line) => this.line(line));
    const body = statement?.body;
    this.findings.push({
      kind,
      what,
      at: statement ? statement.t1 - this.startedAt : null,
      told: statement
        ? `${statement.method} ${statement.path}${statement.isReplay ? " (replay)" : ""} ${statement.http}`
        : null,
      body:
        body?.object === "order"
          ? `${body.status} filled ${body.filled_size} of ${body.size} at ${body.price}, native ${body.exchange_order_id}, error ${JSON.stringify(body.error)}`
          : body?.object === "operation"
            ? `${body.action} ${body.status}, error ${JSON.stringify(body.error)}`
            : null,
      log,
    });
  }

  line(line) {
    return `+${((line.t - this.startedAt) / 1000).toFixed(2)}s ${line.kind}: ${line.text}`;
  }

  /** How far behind a fair reader may be, from the freshest store that shows it. */
  allowance(kind, statement, legs = []) {
    if (this.scene.allowStaleMs !== undefined) return this.scene.allowStaleMs;
    const names = {
      status: ["record", "open", "streamOrders"],
      size: ["fills", "streamFills"],
      positions: ["positions"],
    }[kind];
    // The open list tells the size of what is open; of a leg that is closed only fills do.
    if (
      kind === "size" &&
      legs.every((leg) => leg.filled === 0 || leg.closedAt === null || leg.closedAt > statement.t1)
    )
      names.push("open");
    return graceMs + this.exchange.freshest(names, statement.t0 - graceMs, statement.t1);
  }

  window(kind, statement, legs = []) {
    if (statement.kind === "event") return [this.startedAt, statement.t1];
    if (statement.isReplay) return [this.startedAt, statement.t1];
    let from = statement.t0 - this.allowance(kind, statement, legs);
    const asOf = statement.asOf ? Date.parse(statement.asOf) : Number.NaN;
    if (!Number.isNaN(asOf)) from = Math.min(from, asOf - graceMs);
    return [from, statement.t1];
  }

  run() {
    const statements = [...this.gateway.statements].sort((a, b) => a.t1 - b.t1);
    for (const statement of statements) this.remember(statement);
    for (const statement of statements) this.hear(statement);
    this.count();
    this.refusals(statements);
    this.untold(statements);
    this.lives();
    return this.verdict();
  }

  remember(statement) {
    const { body, request, path } = statement;
    if (statement.kind !== "answer" || statement.method !== "POST" || !body?.id) return;
    const known = this.requests.get(body.id);
    if (path === "/v1/orders" && body.object === "order") {
      if (!known) this.requests.set(body.id, { ...statement, request });
      if (!this.asked.has(body.id)) this.asked.set(body.id, q(request.size));
    } else if (body.object === "operation" && !known) this.requests.set(body.id, { ...statement, request });
    if (path.endsWith("/modify") && request.size !== undefined && statement.http < 300) this.asked.set(body.id, null);
  }

  hear(statement) {
    const { body } = statement;
    if (!body || statement.http >= 400 || statement.http === 0) return;
    if (body.object === "order") return this.order(body, statement);
    if (body.object === "operation") return this.operation(body, statement);
    if (body.object === "fill") return this.fill(body, statement);
    if (body.object !== "list") return undefined;
    const ids = new Set();
    for (const item of body.data) {
      if (item.object === "order") {
        if (item.status === "unknown" || item.status === "processing") ids.add(item.id);
        ids.add(item.id);
        this.order(item, { ...statement, body: item, isReplay: !statement.path.includes("status=open") });
      }
      if (item.object === "operation") this.operation(item, { ...statement, body: item });
      if (item.object === "fill") {
        if (ids.has(item.id)) this.find("false", `fill ${item.id} is listed twice`, statement);
        ids.add(item.id);
        this.fill(item, { ...statement, body: item });
      }
      if (item.object === "position") this.position(item, { ...statement, body: item });
    }
    if (statement.path.startsWith("/v1/positions")) this.missingPositions(body, statement);
    if (statement.path.includes("status=open") && !body.has_more) this.missingOrders(ids, body, statement);
    return undefined;
  }

  once(statement, key) {
    const text = `${statement.body.id ?? ""}|${key}`;
    if (this.told.has(text)) return false;
    this.told.add(text);
    return true;
  }

  complain(key, what, statement, legs) {
    if (this.once(statement, key)) this.find("false", what, statement, legs);
  }

  order(body, statement) {
    const { truth } = this;
    let legs = legsOf(truth, body.id);
    const isOutside = legs.length === 0 && !this.requests.has(body.id) && body.exchange_order_id;
    if (isOutside) legs = [truth.orders.get(Number(body.exchange_order_id))].filter(Boolean);
    if (statement.kind === "answer" && !statement.isReplay) this.clock(body, statement);
    if (body.status === "unknown" || body.status === "processing") return;
    const size = body.filled_size === null ? null : q(body.filled_size);
    const final = filledAt(truth, legs, Number.MAX_SAFE_INTEGER);
    const stillOpen = legs.find((leg) => openWithin(leg, statement.t1, Number.MAX_SAFE_INTEGER));
    const loose = isOutside ? legs : legsOf(truth, body.id, { isLoose: true });
    this.sameThing(body, statement, loose);
    this.words(body, statement, legs, final);
    if (live.has(body.status)) this.living(body, statement, loose, size);
    if (finals.has(body.status)) this.ended(body, statement, legs, { size, final, stillOpen });
  }

  living(body, statement, legs, size) {
    const { truth } = this;
    const [from, to] = this.window("status", statement);
    if (!legs.some((leg) => openWithin(leg, from, to)))
      this.complain(
        `open-${from > this.startedAt}`,
        legs.length === 0
          ? `told as ${body.status}; no such order was ever made`
          : `told as ${body.status}; nothing of it was open in the last ${((to - from) / 1000).toFixed(1)} s`,
        statement,
        legs,
      );
    if (size === null) return;
    const [sizeFrom, sizeTo] = this.window("size", statement, legs);
    const sums = sumsWithin(truth, legs, sizeFrom, sizeTo);
    if (!sums.includes(size))
      this.complain(
        `size-${size}-${sums}`,
        `told filled ${plain(size)}; it was ${sums.map(plain).join(", ")} in the last ${((sizeTo - sizeFrom) / 1000).toFixed(1)} s`,
        statement,
        legs,
      );
    const asked = this.asked.get(body.id);
    if (asked && q(body.size) > asked && body.error === null && statement.kind === "answer")
      this.complain("grown", `told size ${body.size} without a word; ${plain(asked)} was asked`, statement, legs);
  }

  ended(body, statement, legs, { size, final, stillOpen }) {
    const say = (key, what) => this.complain(key, what, statement, legs);
    if (body.status === "rejected") {
      if (legs.some(lived))
        say(
          "rejected",
          `told as rejected; the exchange ${final > 0 ? `filled ${plain(final)}` : "had it open"}${stillOpen ? ", and it was open after that" : ""}`,
        );
      return;
    }
    if (stillOpen)
      say(
        `${body.status}-open`,
        `told as ${body.status}; ${stillOpen.oid} was still open${stillOpen.closedAt ? ` for ${((stillOpen.closedAt - statement.t1) / 1000).toFixed(1)} s` : ""}`,
      );
    if (legs.length === 0 && body.status === "filled") say("nothing", "told as filled; no such order was ever made");
    if (size !== null && size !== final)
      say(
        `${body.status}-size-${size}`,
        `told as ${body.status} with ${plain(size)} filled; ${plain(final)} was${filledAt(this.truth, legs, statement.t1) === final ? "" : " in the end"}`,
      );
    const last = legs.filter(lived).at(-1);
    if (body.status === "canceled" && last && last.versions.at(-1).status === "filled" && last.filled === last.origSz)
      say("canceled-filled", "told as canceled; it was filled whole");
    if (body.status === "filled" && size !== null && size < q(body.size))
      say("filled-short", `told as filled with ${body.filled_size} of ${body.size}`);
    if (body.average_price !== null && size === final && final > 0) {
      const oids = new Set(legs.map((each) => each.oid));
      const notional = this.truth.fills
        .filter((each) => oids.has(each.oid))
        .reduce((sum, each) => sum + (each.sz / 1e8) * (each.px / 1e8), 0);
      if (Math.abs(notional / (final / 1e8) - Number(body.average_price)) > 1e-4 * Number(body.average_price))
        say("price", `told an average price of ${body.average_price}; it was ${notional / (final / 1e8)}`);
    }
  }

  /** What is shown has to be what was asked, and the exchange's order the one that was made for it. */
  sameThing(body, statement, legs) {
    const ask = this.requests.get(body.id);
    if (ask) {
      if (ask.request.market !== body.market)
        this.complain("market", `asked for ${ask.request.market}, told as ${body.market}`, statement, legs);
      if (ask.request.side !== body.side)
        this.complain("side", `asked to ${ask.request.side}, told as ${body.side}`, statement, legs);
    }
    const made = legs.filter(lived);
    const other = made.find((leg) => leg.coin !== body.market && body.market !== undefined);
    if (other)
      this.complain(
        "coin",
        `told as ${body.status} in ${body.market}; the exchange has it in ${other.coin}`,
        statement,
        legs,
      );
    if (
      body.exchange_order_id !== null &&
      legs.length > 0 &&
      !legs.some((leg) => String(leg.oid) === body.exchange_order_id)
    )
      this.complain(
        `native-${body.exchange_order_id}`,
        `told under the native id ${body.exchange_order_id}, which is not ours`,
        statement,
        [...legs, this.truth.orders.get(Number(body.exchange_order_id))].filter(Boolean),
      );
    if (body.exchange_order_id !== null && legs.length === 0 && this.requests.has(body.id))
      this.complain(
        `native-${body.exchange_order_id}`,
        `told under the native id ${body.exchange_order_id}; nothing of ours was ever made`,
        statement,
        [this.truth.orders.get(Number(body.exchange_order_id))].filter(Boolean),
      );
  }

  words(body, statement, legs, final) {
    if (!body.error) return;
    const said = /([0-9.]+) of ([0-9.]+) (?:was|were|is) filled/.exec(body.error);
    if (
      said &&
      q(said[1]) !== final &&
      !sumsWithin(this.truth, legs, statement.t0 - graceMs, statement.t1).includes(q(said[1]))
    )
      this.complain(`words-${said[0]}`, `says "${said[0]}"; ${plain(final)} was`, statement, legs);
    if (
      /nothing of (the|this) order is left/i.test(body.error) &&
      legs.some((leg) => openWithin(leg, statement.t1, statement.t1))
    )
      this.complain("words-left", "says that nothing of the order is left; it was open", statement, legs);
    if (
      /never (reached|arrived|executed|ran)|not executed|no longer can/i.test(body.error) &&
      legs.some(lived) &&
      body.status === "rejected"
    )
      this.complain("words-never", `says "${body.error.slice(0, 120)}"`, statement, legs);
  }

  /** How long it was unknown. */
  clock(body, statement) {
    const isUnknown = body.status === "unknown" || body.status === "processing";
    const key = `${body.object}:${body.id}`;
    if (isUnknown && !this.unknownSince.has(key)) this.unknownSince.set(key, statement.t0);
    if (!isUnknown && this.unknownSince.has(key)) {
      const ms = statement.t1 - this.unknownSince.get(key);
      this.unknownMs.set(key, Math.max(this.unknownMs.get(key) ?? 0, ms));
      this.unknownSince.delete(key);
    }
  }

  operation(body, statement) {
    if (statement.kind === "answer" && !statement.isReplay) this.clock(body, statement);
    const ask = this.requests.get(body.id);
    if (!ask || body.status === "unknown" || body.status === "processing") return;
    const done = this.doneBy(body.action, ask);
    const lines = this.truth.log
      .filter((line) => ["twap", "leverage", "margin", "refused", "lost"].includes(line.kind))
      .map((line) => this.line(line));
    const say = (key, what) => {
      if (!this.once(statement, key)) return;
      this.find("false", what, statement);
      this.findings.at(-1).log = lines;
    };
    if (body.status === "rejected" && done.length > 0) say("rejected", `told as rejected; it was done: ${done[0]}`);
    if (body.status === "succeeded" && done.length === 0 && !this.inForce(body.action, ask, statement))
      say("succeeded", "told as succeeded; it was never done");
    if (body.action === "twap" && body.status === "succeeded" && !this.truth.twaps.has(Number(body.exchange_id)))
      say("twap-id", `told the native id ${body.exchange_id}; there is none`);
    if (body.action === "twap" && body.status === "succeeded") {
      const twap = this.truth.twaps.get(Number(body.exchange_id));
      if (
        twap &&
        (twap.sz !== q(ask.request.size) ||
          twap.coin !== ask.request.market ||
          twap.minutes !== ask.request.duration_minutes ||
          twap.randomize !== (ask.request.randomize ?? false) ||
          twap.isForeign)
      )
        say("twap-other", `told TWAP ${body.exchange_id}, which is not the one asked for`);
    }
  }

  doneBy(action, { request, t0 }) {
    const { truth } = this;
    const after = (each) => each.t >= t0 - 50 && !each.isForeign;
    if (action === "twap")
      return [...truth.twaps.values()]
        .filter(
          (each) =>
            each.createdAt >= t0 - 50 &&
            !each.isForeign &&
            each.coin === request.market &&
            each.sz === q(request.size) &&
            each.minutes === request.duration_minutes,
        )
        .map((each) => `TWAP ${each.twapId} runs`);
    if (action === "twap_cancel")
      return [...truth.twaps.values()]
        .filter(
          (each) =>
            each.twapId === request.twap_id &&
            each.versions.some((version) => version.status === "terminated" && after(version)),
        )
        .map((each) => `TWAP ${each.twapId} terminated`);
    if (action === "leverage")
      return truth.leverages
        .filter(
          (each) =>
            after(each) &&
            each.coin === request.market &&
            each.leverage === request.leverage &&
            each.isCross === (request.margin_type === "cross"),
        )
        .map((each) => `${each.coin} ${each.leverage}x`);
    if (action === "isolated_margin")
      return truth.margins
        .filter(
          (each) =>
            after(each) && each.coin === request.market && each.ntli === Math.round(Number(request.amount) * 1e6),
        )
        .map((each) => `${each.ntli / 1e6} USDC`);
    return [];
  }

  inForce(action, { request }, statement) {
    if (action !== "leverage")
      return action === "twap_cancel" && this.truth.twaps.get(request.twap_id)?.versions.at(-1).status === "terminated";
    const held = this.truth.leverageAt(statement.t1, request.market);
    return held.leverage === request.leverage && held.isCross === (request.margin_type === "cross");
  }

  fill(body, statement) {
    if (this.scene.isBeyond) return undefined;
    const match = this.truth.fills.find((each) => `${each.t}-${each.coin}-${each.tid}` === body.id);
    if (!match) return this.complain("fill", `fill ${body.id} never happened`, statement);
    if (q(body.size) !== match.sz || q(body.price) !== match.px)
      this.complain("fill-size", `fill ${body.id} told as ${body.size} at ${body.price}`, statement);
    const order = this.truth.orders.get(match.oid);
    if (body.order_id !== null && order && !legsOf(this.truth, body.order_id).includes(order))
      this.complain("fill-owner", `fill ${body.id} told as of order ${body.order_id}, which it is not of`, statement, [
        order,
      ]);
    return undefined;
  }

  position(body, statement) {
    const [from, to] = this.window("positions", statement);
    const times = [
      from,
      to,
      ...this.truth.fills
        .filter((each) => each.coin === body.market && each.t >= from && each.t <= to)
        .map((each) => each.t),
    ];
    const sizes = times.map((t) => this.truth.positionAt(t, body.market).szi);
    const told = body.side === "long" ? q(body.size) : -q(body.size);
    if (!sizes.includes(told))
      this.complain(
        `position-${body.market}-${told}`,
        `told a position of ${plain(told)} ${body.market}; it was ${[...new Set(sizes)].map(plain).join(", ")} in the last ${((to - from) / 1000).toFixed(1)} s`,
        statement,
      );
  }

  missingPositions(body, statement) {
    const [from, to] = this.window("positions", statement);
    for (const held of this.truth.coinsHeldAt(from)) {
      if (held.coin.includes("/") || held.coin.startsWith("@") || body.data.some((each) => each.market === held.coin))
        continue;
      const isMoving = this.truth.fills.some((each) => each.coin === held.coin && each.t >= from && each.t <= to);
      if (!isMoving)
        this.complain(
          `no-position-${held.coin}`,
          `a position of ${plain(held.szi)} ${held.coin} is not in the list`,
          statement,
        );
    }
  }

  missingOrders(ids, body, statement) {
    const [from] = this.window("status", statement);
    for (const id of this.requests.keys()) {
      if (ids.has(id) || this.requests.get(id).path !== "/v1/orders") continue;
      if (this.unknownSince.has(`order:${id}`)) continue;
      const leg = legsOf(this.truth, id).find(
        (each) => openAt(each, from) && openAt(each, statement.t1) && each.createdAt < from - 500,
      );
      if (leg && !body.data.some((each) => each.exchange_order_id === String(leg.oid)))
        this.complain(`missing-${id}`, `open order ${leg.oid} is not in the list of open orders`, statement, [leg]);
    }
  }

  /** One key, one order; and not more of it than was asked. */
  count() {
    for (const [id, ask] of this.requests) {
      if (ask.path === "/v1/orders") {
        const firsts = (this.truth.byCloid.get(cloidOf(id)) ?? [])
          .map((oid) => this.truth.orders.get(oid))
          .filter((each) => each.ours && each.replaces === null && each.firedFrom === undefined && lived(each));
        if (firsts.length > 1) this.find("double", `one key, ${firsts.length} orders`, ask, firsts);
        const legs = legsOf(this.truth, id);
        const asked = this.asked.get(id);
        const rest = legs
          .filter((leg) => leg.closedAt === null && lived(leg))
          .reduce((sum, leg) => sum + leg.origSz - leg.filled, 0);
        const total = filledAt(this.truth, legs, Number.MAX_SAFE_INTEGER) + rest;
        if (asked && total > asked)
          this.find(
            "too much",
            `${plain(asked)} was asked; ${plain(total - rest)} filled and ${plain(rest)} is open`,
            ask,
            legs,
          );
      } else if (ask.body.object === "operation") {
        const done = this.doneBy(ask.body.action, ask);
        const same = [...this.requests.values()].filter(
          (each) => each.path === ask.path && JSON.stringify(each.request) === JSON.stringify(ask.request),
        );
        if (done.length > same.length) this.find("double", `one key, done ${done.length} times`, ask);
      }
    }
    for (const [key, since] of this.unknownSince)
      this.unknownMs.set(key, Math.max(this.unknownMs.get(key) ?? 0, this.endedAt - since));
    const bound = this.scene.knownWithinMs ?? null;
    for (const [key, ms] of this.unknownMs)
      if (bound !== null && ms > bound)
        this.find(
          this.unknownSince.has(key) ? "stuck" : "slow",
          `${key.split(":")[0]} ${key.split(":")[1].slice(0, 13)} unknown for ${(ms / 1000).toFixed(1)} s; ${bound / 1000} s would do`,
          null,
          key.startsWith("order:") ? legsOf(this.truth, key.slice(6)) : [],
        );
  }

  /** An action may be executed for 12 s: one that lives for hours can be brought by a relay long after all hope. */
  lives() {
    const long = this.truth.actions.filter(
      (each) => each.type !== "noop" && (!each.expiresAfter || each.expiresAfter - each.t > 60_000),
    );
    if (long.length === 0) return;
    const [{ type, nonce, expiresAfter, t }] = long;
    this.find(
      "hazard",
      `${long.length} signed actions could be executed for more than a minute: ${type} nonce ${nonce} ${expiresAfter ? `for ${Math.round((expiresAfter - t) / 1000)} s` : "for ever"}`,
      null,
    );
  }

  /** Who only follows the events has to know in the end what a reader knows. */
  untold(statements) {
    for (const [id, ask] of this.requests) {
      if (ask.path !== "/v1/orders") continue;
      const read = statements.findLast(
        (each) => each.method === "GET" && each.path === `/v1/orders/${id}` && each.http < 300,
      );
      const told = statements.findLast(
        (each) => each.kind === "event" && each.body?.object === "order" && each.body.id === id,
      );
      if (!read || !told || read.body.status === "unknown") continue;
      const isSame = ["status", "filled_size", "exchange_order_id", "price", "size"].every(
        (name) => read.body[name] === told.body[name],
      );
      if (!isSame)
        this.find(
          "stuck",
          `a reader knows ${read.body.status} ${read.body.filled_size}; the last event said ${told.body.status} ${told.body.filled_size}`,
          told,
          legsOf(this.truth, id),
        );
    }
  }

  /** "4xx, 503: this request sent nothing." */
  refusals(statements) {
    const keys = new Map();
    for (const each of statements)
      if (each.method === "POST" && each.key) keys.set(each.key, [...(keys.get(each.key) ?? []), each]);
    const claimed = new Set([...this.requests.keys()].flatMap((id) => legsOf(this.truth, id)));
    for (const answers of keys.values()) {
      if (answers[0].path !== "/v1/orders" || !answers.every((each) => each.http >= 400)) continue;
      const { request, t0 } = answers[0];
      const made = [...this.truth.orders.values()].find(
        (each) =>
          each.ours &&
          !claimed.has(each) &&
          each.createdAt >= t0 &&
          each.coin === request.market &&
          each.origSz === q(request.size) &&
          each.limitPx === q(request.price),
      );
      if (made) this.find("false", `told ${answers[0].http}, which means that nothing was sent`, answers[0], [made]);
    }
  }

  verdict() {
    const order = ["double", "false", "too much", "hazard", "stuck", "slow", "broken"];
    const worst = order.find((kind) => this.findings.some((each) => each.kind === kind));
    return { verdict: worst ?? "true", findings: this.findings, unknownMs: Math.max(0, ...this.unknownMs.values()) };
  }
}
