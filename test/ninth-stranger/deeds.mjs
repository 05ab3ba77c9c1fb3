// What a signed action does: who may, which numbers are used up, and each kind of action.
import { grains, least, Past } from "./grain.mjs";

const err = (response) => ({ status: "err", response });
const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const GONE = "Cannot modify canceled or filled order";
const NEVER = "Order was never placed, already canceled, or filled.";

export class Deeds {
  nonces = new Map();
  agents = new Map();
  removed = new Map();
  log = [];
  words = {};

  constructor(venue) {
    this.venue = venue;
  }

  masterOf(signer) {
    for (const [master, agents] of this.agents) {
      if (master === signer) return master;
      for (const agent of agents.now ?? []) if (agent.address === signer) return master;
    }
    return null;
  }

  /** Another program with the same key uses up a number. */
  burn(signer, nonce) {
    if (!this.nonces.has(signer)) this.nonces.set(signer, new Set());
    this.nonces.get(signer).add(nonce);
  }

  refusal({ nonce, expiresAfter }, signer, at) {
    const shown = this.venue.shown(at);
    const used = this.nonces.get(signer) ?? new Set();
    if (used.has(nonce)) return err(`Invalid nonce: duplicate nonce ${nonce}`);
    const floor = [...used].sort((a, b) => b - a)[99] ?? 0;
    if (nonce < floor) return err(`Invalid nonce: nonce too low ${nonce} < ${floor}`);
    if (nonce > shown + 86_400_000) return err(`Invalid nonce: nonce too high ${nonce} > ${shown + 86_400_000}`);
    this.burn(signer, nonce);
    if (expiresAfter && shown > expiresAfter) return err("Action already expired");
    return null;
  }

  /** Carries an envelope out and says the answer. */
  run(envelope, signer) {
    const at = this.venue.tick();
    const entry = { at, signer, action: envelope.action, nonce: envelope.nonce, vault: envelope.vaultAddress ?? null };
    entry.answer = this.judged(envelope, signer, at, entry);
    this.log.push(entry);
    return entry.answer;
  }

  judged(envelope, signer, at, entry) {
    const { action } = envelope;
    if (action.type === "approveAgent") return this.approve(signer, action, at);
    const master = this.masterOf(signer);
    if (!master) {
      const since = this.removed.get(signer);
      if (since && at - since.at < 5000) return err(`Must deposit before performing actions. User: ${since.master}`);
      return err(`User or API Wallet ${signer} does not exist.`);
    }
    const address = envelope.vaultAddress?.toLowerCase() ?? master;
    const account = this.venue.accounts.get(address);
    if (!account) return err(`Vault not registered: ${address}`);
    const refused = this.refusal(envelope, signer, at);
    if (refused) return refused;
    entry.account = address;
    const act = this[`_${action.type}`];
    if (!act) return err(`not modelled ${action.type}`);
    return act.call(this, account, action, { at, by: envelope.nonce });
  }

  approve(owner, action, at) {
    if (!this.venue.accounts.has(owner)) return err(`Must deposit before performing actions. User: ${owner}`);
    const [name, until] = (action.agentName ?? "").split(" valid_until ");
    const agents = this.agents.get(owner) ?? new Past();
    this.agents.set(owner, agents);
    const address = action.agentAddress.toLowerCase();
    this.put(owner, { name, address, validUntil: Number(until ?? this.venue.shown(at) + 90 * 86_400_000) }, at);
    return ok("default");
  }
  put(owner, agent, at = this.venue.tick()) {
    const agents = this.agents.get(owner);
    for (const old of agents.now ?? [])
      if (old.name === agent.name) this.removed.set(old.address, { at, master: owner });
    const rest = (agents.now ?? []).filter((of) => of.name !== agent.name);
    agents.set(at, agent.address === null ? rest : [...rest, agent]);
  }

  _noop() {
    return ok("default");
  }
  _order(account, action, how) {
    const statuses = action.orders.map((spec) =>
      this.venue.place(account, spec, { ...how, via: "order", isBare: this.words.isBare }),
    );
    return ok("order", { statuses });
  }
  _cancel(account, action, how) {
    const statuses = action.cancels.map(({ a, o }) =>
      this.venue.cancel(account, this.venue.byOid.get(o), how.at) ? "success" : { error: `${NEVER} asset=${a}` },
    );
    return ok("cancel", { statuses });
  }
  _cancelByCloid(account, action, how) {
    const statuses = action.cancels.map(({ asset, cloid }) => {
      const order = account.orders.findLast((of) => of.cloid === cloid);
      return this.venue.cancel(account, order, how.at) ? "success" : { error: `${NEVER} asset=${asset}` };
    });
    return ok("cancel", { statuses });
  }
  _batchModify(account, action, how) {
    const statuses = action.modifies.map(({ oid, order: spec }) => {
      const old =
        typeof oid === "number" ? this.venue.byOid.get(oid) : account.orders.findLast((of) => of.cloid === oid);
      const isThere = old?.account === account.address && this.venue.isOpen(old);
      if (!isThere && !action.a) return { error: GONE };
      if (isThere && (old.isBuy !== spec.b || (!action.a && (spec.t.trigger || spec.t.limit?.tif === "Ioc")))) {
        return { error: "Attempted to modify to invalid new order" };
      }
      if (isThere) this.venue.become(old, "canceled", how.at);
      const wanted = action.a || spec.t.trigger ? spec : { ...spec, t: { limit: { tif: "Alo" } } };
      const answer = this.venue.place(account, wanted, how);
      const placed = account.orders.at(-1);
      if (isThere && placed.placedAt === how.at && placed.cloid === (spec.c ?? null)) {
        placed.replaces = old;
        old.replacedBy = placed;
      }
      return answer;
    });
    return ok("order", { statuses });
  }
  _updateLeverage(account, action, { at }) {
    const market = this.venue.byAsset(action.asset);
    const value = { type: action.isCross ? "cross" : "isolated", value: action.leverage };
    if (action.leverage > 40 || action.leverage < 1) return err("Invalid leverage value");
    const now = this.venue.leverageOf(account, market.coin);
    if (this.venue.held(account, market.coin) !== 0n && now.type !== value.type)
      return err("Cannot switch leverage type with open position.");
    if (!account.leverage.has(market.coin)) account.leverage.set(market.coin, new Past());
    account.leverage.get(market.coin).set(at, value);
    this.venue.tell({ kind: "state", at, account: account.address });
    return ok("default");
  }
  _updateIsolatedMargin(account, action, { at }) {
    const market = this.venue.byAsset(action.asset);
    if (this.venue.held(account, market.coin) === 0n) return err("Cannot update margin for empty position.");
    if (this.venue.leverageOf(account, market.coin).type !== "isolated")
      return err("Position does not use isolated margin.");
    const past = account.margin.get(market.coin) ?? new Past(0, 0n);
    account.margin.set(market.coin, past);
    past.set(at, past.now + BigInt(action.ntli) * 100n);
    this.venue.tell({ kind: "state", at, account: account.address });
    return ok("default");
  }
  _twapOrder(account, action, { at }) {
    const { twap } = action;
    if (twap.m < 5) return ok("twapOrder", { status: { error: `Invalid TWAP duration: ${twap.m} min(s)` } });
    const market = this.venue.byAsset(twap.a);
    const row = {
      id: 9_000_000 + (this.venue.nextTid++ % 1_000_000),
      account: account.address,
      coin: market.coin,
      isBuy: twap.b,
      size: grains(twap.s),
      minutes: twap.m,
      isReduceOnly: twap.r,
      randomize: twap.t,
      startedAt: at,
      states: new Past(at, { status: "activated", done: 0n, worth: 0n, at }),
    };
    account.twaps.push(row);
    this.venue.tell({ kind: "twap", at, account: account.address, row });
    return ok("twapOrder", { status: { running: { twapId: row.id } } });
  }
  _twapCancel(account, action, { at }) {
    const row = account.twaps.find((of) => of.id === action.t);
    if (row?.states.now.status !== "activated")
      return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
    row.states.set(at, { ...row.states.now, status: "terminated", at });
    this.venue.tell({ kind: "twap", at, account: account.address, row });
    return ok("twapCancel", { status: "success" });
  }

  /** One slice of a running TWAP; the last one ends it. */
  slice(row, size) {
    if (row.states.now.status !== "activated") return;
    const at = this.venue.tick();
    const market = this.venue.market(row.coin);
    const order = {
      oid: this.venue.nextOid++,
      cloid: null,
      account: row.account,
      coin: row.coin,
      isBuy: row.isBuy,
      fills: [],
    };
    const left = row.size - row.states.now.done;
    const amount = least(size, left);
    const fill = this.venue.fill(order, amount, market.mid.now, { at, isTaker: true, more: { twapId: row.id } });
    const done = row.states.now.done + amount;
    const worth = row.states.now.worth + (amount * fill.px) / 100_000_000n;
    row.states.set(at, { status: done === row.size ? "finished" : "activated", done, worth, at });
    this.venue.tell({ kind: "twap", at, account: row.account, row });
  }
}
