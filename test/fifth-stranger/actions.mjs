// What a signed action does. One way in: `execute`.
import { abs, dec, mul, ownerOf, signerOf, Unreadable } from "./codec.mjs";

const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const err = (response) => ({ status: "err", response });

export class Actions {
  constructor(truth, book, twaps) {
    this.truth = truth;
    this.book = book;
    this.twaps = twaps;
    this.markets = truth.markets;
    this.postOnly = false;
    this.refuseAll = null; // text with which every action is refused
  }

  async execute(body) {
    const signed = ["approveAgent", "approveBuilderFee"].includes(body.action.type);
    const signer = signed ? await ownerOf(body) : await signerOf(body);
    const row = {
      time: this.truth.now(),
      type: body.action.type,
      signer,
      nonce: body.nonce,
      action: body.action,
      expiresAfter: body.expiresAfter ?? null,
      vault: body.vaultAddress?.toLowerCase() ?? null,
    };
    this.truth.actions.push(row);
    row.answer = this.truth.within(() => (signed ? this.owned(body.action, signer) : this.agent(body, signer, row)));
    return row.answer;
  }

  agent(body, signer, row) {
    const agent = this.truth.signers.get(signer);
    const self = this.truth.accounts.get(signer);
    if (agent === undefined && !self?.funded) return err(`User or API Wallet ${signer} does not exist.`);
    if (agent?.state === "replaced") return err(`Must deposit before performing actions. User: ${agent.account}`);
    if (agent?.state === "gone" || (agent && agent.until < Date.now()))
      return err(`User or API Wallet ${signer} does not exist.`);
    let account = agent ? this.truth.account(agent.account) : self;
    if (body.vaultAddress) {
      const vault = this.truth.accounts.get(body.vaultAddress.toLowerCase());
      if (vault?.master !== account.address) return err(`Vault not registered: ${body.vaultAddress.toLowerCase()}`);
      account = vault;
    }
    if (this.refuseAll) return err(this.refuseAll);
    const nonces = this.truth.nonces.get(signer) ?? new Set();
    this.truth.nonces.set(signer, nonces);
    if (nonces.has(body.nonce)) return err(`Invalid nonce: duplicate nonce ${body.nonce}`);
    nonces.add(body.nonce);
    if (body.expiresAfter && body.expiresAfter < this.truth.now()) return err("Action already expired");
    row.account = account.address;
    row.carried = true;
    if (this.truth.halted) return err(this.truth.halted);
    return this.carry(account, body.action, row);
  }

  carry(account, action, row) {
    switch (action.type) {
      case "order":
        return this.orders(account, action, row);
      case "cancel":
        return ok("cancel", {
          statuses: action.cancels.map(({ a, o }) =>
            this.book.cancel(account, this.markets.byAsset(a), account.orders.get(o)),
          ),
        });
      case "cancelByCloid":
        return ok("cancel", {
          statuses: action.cancels.map(({ asset, cloid }) =>
            this.book.cancel(account, this.markets.byAsset(asset), this.truth.latestByCloid(account, cloid)),
          ),
        });
      case "batchModify":
        return ok("order", {
          statuses: action.modifies.map((one) => this.modify(account, one, action.a === true, row)),
        });
      case "updateLeverage":
        return this.leverage(account, action);
      case "updateIsolatedMargin":
        return this.margin(account, action);
      case "twapOrder": {
        const market = this.markets.byAsset(action.twap.a);
        const status = market ? this.twaps.start(account, market, action.twap) : { error: "Unknown asset" };
        row.twapId = status.running?.twapId;
        return ok("twapOrder", { status });
      }
      case "twapCancel":
        return ok("twapCancel", { status: this.twaps.cancel(account, this.markets.byAsset(action.a), action.t) });
      case "noop":
        return ok("default");
      default:
        throw new Unreadable(action.type);
    }
  }

  read({ a, b, p, s, r, t, c }) {
    const market = this.markets.byAsset(a);
    const trigger = t.trigger
      ? { px: dec(t.trigger.triggerPx), isMarket: t.trigger.isMarket, tpsl: t.trigger.tpsl }
      : null;
    return {
      market,
      spec: {
        side: b ? "B" : "A",
        price: dec(p),
        size: dec(s),
        reduceOnly: r,
        tif: t.limit?.tif ?? null,
        trigger,
        cloid: c?.toLowerCase() ?? null,
      },
    };
  }

  orders(account, action, row) {
    if (action.grouping !== "na") throw new Unreadable(`grouping ${action.grouping}`);
    const wanted = action.orders.map((order) => this.read(order));
    row.oids = [];
    for (const { market, spec } of wanted) {
      if (!market) return err("Invalid asset");
      const bad = this.book.badly(market, spec);
      if (bad) return ok("order", { statuses: [{ error: bad }] });
    }
    const statuses = wanted.map(({ market, spec }) => {
      if (this.postOnly && spec.tif !== "Alo" && !spec.trigger)
        return {
          error: `Only post-only orders allowed immediately after a network upgrade asset=${this.markets.asset(market)}`,
        };
      const { entry, order } = this.book.place(account, market, spec);
      row.oids.push(order.oid);
      return entry;
    });
    return ok("order", { statuses });
  }

  modify(account, { oid, order: wanted }, always, row) {
    const { market, spec } = this.read(wanted);
    const target = typeof oid === "number" ? account.orders.get(oid) : this.truth.latestByCloid(account, oid);
    const alive = target && ["open", "triggered"].includes(target.status);
    row.target = target?.oid ?? null;
    if (!market) return { error: "Invalid asset" };
    const bad = this.book.badly(market, spec);
    if (bad) return { error: bad };
    if (target && (target.coin !== market.coin || target.side !== spec.side))
      return { error: "Attempted to modify to invalid new order" };
    if (!always && (spec.trigger || spec.tif === "Ioc")) return { error: "Attempted to modify to invalid new order" };
    if (!alive && !always) return { error: "Cannot modify canceled or filled order" };
    if (alive) this.book.end(account, target, "canceled");
    if (!always) spec.tif = "Alo";
    const { entry, order } = this.book.place(account, market, spec, alive ? target.oid : null);
    order.modifyOf = target?.oid ?? null;
    row.oids = [order.oid];
    return entry;
  }

  leverage(account, { asset, isCross, leverage }) {
    const market = this.markets.byAsset(asset);
    if (market?.kind !== "perp") return err("Invalid asset");
    if (leverage < 1 || leverage > market.maxLeverage) return err("Invalid leverage value");
    const wanted = { type: isCross ? "cross" : "isolated", value: leverage };
    const position = account.positions.get(market.coin);
    if (position && position.leverage.type !== wanted.type)
      return err("Cannot switch leverage type with open position.");
    account.leverage.set(market.coin, wanted);
    if (position) position.leverage = { ...wanted };
    this.truth.snap(account);
    return ok("default");
  }

  margin(account, { asset, ntli }) {
    const market = this.markets.byAsset(asset);
    const position = market ? account.positions.get(market.coin) : undefined;
    if (!position) return err("Cannot update margin for empty position.");
    if (position.leverage.type !== "isolated") return err("Position does not use isolated margin.");
    const amount = BigInt(ntli) * 100n;
    if (amount === 0n) return err("Update to isolated margin cannot be zero.");
    const notional = mul(abs(position.szi), market.mid);
    const worth = position.raw + (position.szi > 0n ? notional : -notional) + amount;
    const least =
      notional / BigInt(position.leverage.value) > notional / 10n
        ? notional / BigInt(position.leverage.value)
        : notional / 10n;
    if (amount < 0n && worth < least) return err("Position does not have sufficient margin for reduction.");
    position.raw += amount;
    account.cash[market.dex] -= amount;
    account.ledger.push({ time: this.truth.now(), coin: market.coin, amount });
    this.truth.snap(account);
    return ok("default");
  }

  owned(action, owner) {
    if (action.type === "approveBuilderFee") return ok("default");
    const account = this.truth.account(owner);
    if (!account.funded) return err(`Must deposit before performing actions. User: ${owner}`);
    const [, name, until] = /^(.*?)(?: valid_until (\d+))?$/.exec(action.agentName ?? "");
    const address = action.agentAddress.toLowerCase();
    if (this.truth.signers.has(address)) return err("Extra agent already used.");
    for (const other of account.agents.filter((agent) => agent.name === name))
      this.truth.signers.get(other.address).state = "replaced";
    account.agents = account.agents.filter((agent) => agent.name !== name);
    if (account.agents.length >= 3)
      return err("Too many extra agents for cumulative volume traded. Current limit is 3");
    const validUntil = until ? Number(until) : Date.now() + 90 * 86_400_000;
    account.agents.push({ name, address, validUntil });
    this.truth.signers.set(address, { account: owner, until: validUntil, state: "active" });
    return ok("default");
  }
}
