// Signed actions: who signed, whether the number and the time allow it, and what each does.
import { MARKETS, now } from "./truth.mjs";
import { parse, show } from "./units.mjs";
import { signerOf } from "./wire.mjs";

const DAY_MS = 86_400_000;

export class Actions {
  constructor(truth, exchange) {
    this.truth = truth;
    this.exchange = exchange;
    this.nonces = new Set();
    this.refuseAction = () => null;
    this.nextTwap = 90_000 + Math.floor(Math.random() * 1000);
  }

  /** Carries out, and writes down each word of refusal that it gave. */
  async carryOut(body) {
    const told = await this.done(body);
    if (told.status === "err") this.truth.answers.add(told.response);
    const { data } = told.response;
    for (const entry of data?.statuses ?? [data?.status]) if (entry?.error) this.truth.answers.add(entry.error);
    return told;
  }

  async done(body) {
    const { action, nonce } = body;
    if (action.type === "approveAgent") return this.approve(action);
    const signer = await signerOf(body);
    if (!this.exchange.agents.some((a) => a.address === signer))
      return err(`User or API Wallet ${signer} does not exist.`);
    if (this.nonces.has(nonce)) return err(`Invalid nonce: duplicate nonce ${nonce}`);
    if (nonce < Date.now() - 2 * DAY_MS) return err(`Invalid nonce: nonce too low ${nonce}`);
    this.nonces.add(nonce);
    this.truth.actions.push({ t: Date.now(), action, nonce });
    if (body.expiresAfter && body.expiresAfter < Date.now()) return err("Action already expired");
    const refused = this.refuseAction(action);
    if (refused !== null) return err(refused);
    const done = this[action.type]?.(action);
    if (done === undefined) this.exchange.unknown.add(action.type);
    return done ?? err("unknown action");
  }

  approve({ agentAddress, agentName }) {
    const [name] = agentName.split(" valid_until ");
    this.exchange.agents.push({ name, address: agentAddress.toLowerCase(), validUntil: Date.now() + 90 * DAY_MS });
    return ok();
  }

  noop() {
    return ok();
  }

  order({ orders, grouping }) {
    if (grouping !== "na") this.exchange.unknown.add(`grouping ${grouping}`);
    return ok("order", { statuses: orders.map((o) => this.truth.place(given(o), "gateway").entry) });
  }

  cancel({ cancels }) {
    return ok("cancel", { statuses: cancels.map(({ a, o }) => this.cancelOne(this.truth.byOid.get(String(o)), a)) });
  }

  cancelByCloid({ cancels }) {
    const find = (cloid) => this.truth.orders.filter((o) => o.cloid === cloid).at(-1);
    return ok("cancel", { statuses: cancels.map(({ asset, cloid }) => this.cancelOne(find(cloid), asset)) });
  }

  cancelOne(order, asset) {
    const isDone = order !== undefined && named(asset) === order.coin && this.truth.cancel(order, "gateway");
    return isDone ? "success" : { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
  }

  batchModify({ modifies, a }) {
    return ok("order", { statuses: modifies.map((m) => this.modifyOne(m, a === true)) });
  }

  modifyOne({ oid, order }, isAlways) {
    const { truth } = this;
    const old =
      typeof oid === "string" ? truth.orders.filter((o) => o.cloid === oid).at(-1) : truth.byOid.get(String(oid));
    const next = given(order);
    const isLive = old !== undefined && now(old).status === "open";
    if (!isLive && !isAlways) return { error: "Cannot modify canceled or filled order" };
    if (old !== undefined && (old.isBuy !== next.isBuy || old.coin !== next.coin))
      return { error: "Attempted to modify to invalid new order" };
    if (!isAlways && (next.trigger !== null || next.tif === "Ioc"))
      return { error: "Attempted to modify to invalid new order" };
    if (isLive) truth.cancel(old, "modify");
    if (!isAlways) next.tif = "Alo";
    return truth.place(next, "gateway").entry;
  }

  updateLeverage({ asset, isCross, leverage }) {
    const market = MARKETS[asset];
    if (market === undefined || leverage < 1 || leverage > market.leverage) return err("Invalid leverage value");
    const set = this.truth.leverage(market.name);
    if (this.truth.held(market.name) !== 0n && set.isCross !== isCross)
      return err("Cannot switch leverage type with open position.");
    const all = this.truth.leverages.get(market.name) ?? [];
    all.push({ t: Date.now(), value: leverage, isCross });
    this.truth.leverages.set(market.name, all);
    return ok();
  }

  updateIsolatedMargin({ asset }) {
    const { name } = MARKETS[asset];
    if (this.truth.held(name) === 0n) return err("Cannot update margin for empty position.");
    return this.truth.leverage(name).isCross ? err("Position does not use isolated margin.") : ok();
  }

  twapOrder({ twap }) {
    const { a, b, s, r, m, t } = twap;
    const coin = named(a);
    if (r && !this.truth.isReducing({ coin, isBuy: b }))
      return ok("twapOrder", { status: { error: "Reduce-only TWAP order would increase position." } });
    const id = this.nextTwap++;
    const made = { id, coin, isBuy: b, sz: parse(s), reduce: r, minutes: m, randomize: t, t: Date.now() };
    this.truth.twaps.push({ ...made, by: "gateway", versions: [{ t: Date.now(), status: "activated" }] });
    this.truth.tell("twap", id);
    return ok("twapOrder", { status: { running: { twapId: id } } });
  }

  twapCancel({ t }) {
    const twap = this.truth.twaps.find((w) => w.id === t);
    if (twap?.versions.at(-1).status !== "activated")
      return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
    twap.versions.push({ t: Date.now(), status: "terminated", who: "gateway" });
    this.truth.tell("twap", t);
    return ok("twapCancel", { status: "success" });
  }

  scheduleCancel() {
    return err("Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $0.");
  }
}

export const named = (asset) => MARKETS[asset]?.name;

function given({ a, b, p, s, r, t, c }) {
  const trigger = t.trigger
    ? { px: parse(t.trigger.triggerPx), isMarket: t.trigger.isMarket, tpsl: t.trigger.tpsl }
    : null;
  return {
    coin: named(a),
    isBuy: b,
    px: parse(p),
    sz: parse(s),
    reduce: r,
    tif: t.limit?.tif ?? null,
    trigger,
    cloid: c ?? null,
  };
}

const ok = (type = "default", data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const err = (response) => ({ status: "err", response });

export const shown = (order) =>
  `${order.oid} ${order.coin} ${order.isBuy ? "buy" : "sell"} ${show(order.sz)} at ${show(order.px)}${order.reduce ? " reduce" : ""}${order.trigger ? ` ${order.trigger.tpsl} ${show(order.trigger.px)}` : ""} by ${order.by}: ${order.versions.map((v) => `${v.status} (${v.who}) filled ${show(v.filled)} at ${v.t}`).join("; ")}`;
