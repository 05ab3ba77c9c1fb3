// What a signed action does. Answers as PROTOCOL 3 and 6 word them.
import { abs, approver, canonical, cut, max, min, mul, num, signer, text } from "./codec.mjs";
import { isOnGrid, isWhole, levels } from "./markets.mjs";
import { startTwap, stopTwap } from "./twaps.mjs";

const TEN = num("10");
const err = (response) => ({ status: "err", response });
const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const GONE = "Order was never placed, already canceled, or filled.";

/** Executes an envelope; `{http: 422}` where its schema is not the exchange's. */
export async function execute(chain, envelope) {
  if (envelope.action?.type === "approveAgent") return approve(chain, envelope);
  let who;
  try {
    canonical(envelope.action);
    who = await signer(envelope);
  } catch (error) {
    chain.log.push({ t: Date.now(), what: "schema", error: String(error), envelope });
    return { http: 422 };
  }
  const agent = chain.agents.get(who);
  if (!agent) return err(`User or API Wallet ${who} does not exist.`);
  const vault = envelope.vaultAddress?.toLowerCase() ?? null;
  if (vault && chain.masters.get(vault) !== agent.master) return err(`Vault not registered: ${vault}`);
  const account = chain.accounts.get(vault ?? agent.master);
  const refused = takeNonce(chain, who, Number(envelope.nonce));
  if (refused) return err(refused);
  if (envelope.expiresAfter && Date.now() > envelope.expiresAfter) return err("Action already expired");
  account.used += size(envelope.action);
  const entry = {
    t: Date.now(),
    what: "action",
    account: account.address,
    nonce: envelope.nonce,
    action: envelope.action,
  };
  chain.log.push(entry);
  const answer = ACTS[envelope.action.type](chain, account, envelope.action);
  entry.answer = answer;
  chain.settle(account);
  return answer;
}

const size = (action) => action.orders?.length ?? action.cancels?.length ?? action.modifies?.length ?? 1;

async function approve(chain, envelope) {
  const owner = await approver(envelope);
  const { agentAddress, agentName } = envelope.action;
  if (!chain.accounts.has(owner)) return err(`Must deposit before performing actions. User: ${owner}`);
  for (const [address, agent] of chain.agents)
    if (agent.master === owner && agent.name === agentName) chain.agents.delete(address);
  chain.agents.set(agentAddress.toLowerCase(), { master: owner, name: agentName, until: Date.now() + 90 * 86400e3 });
  return ok("default");
}

function takeNonce(chain, who, nonce) {
  const set = chain.nonces.get(who) ?? new Set();
  chain.nonces.set(who, set);
  const now = Date.now();
  if (set.has(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
  if (nonce < now - 2 * 86400e3) return `Invalid nonce: nonce too low ${nonce} < ${now - 2 * 86400e3}`;
  if (nonce > now + 86400e3) return `Invalid nonce: nonce too high ${nonce} > ${now + 86400e3}`;
  const highest = [...set].sort((a, b) => b - a);
  if (highest.length >= 100 && nonce < highest[99]) return `Invalid nonce: nonce too low ${nonce} < ${highest[99]}`;
  set.add(nonce);
  return null;
}

// ---- orders

function staticFault(market, wire) {
  if (!market) return "Invalid asset";
  if (!isWhole(market, num(wire.s))) return "Order has invalid size.";
  if (!isOnGrid(market, num(wire.p)) || (wire.t.trigger && !isOnGrid(market, num(wire.t.trigger.triggerPx))))
    return "Price must be divisible by tick size.";
  const px = num(wire.p);
  if (market.kind === "perp" && abs(px - market.price) > mul(market.price, num("0.95")))
    return "Order price cannot be more than 95% away from the reference price";
  if (market.kind === "spot" && (px * 5n <= market.price || px > market.price * 5n))
    return "Order price cannot be more than 80% away from the reference price";
  return null;
}

function order(chain, account, action) {
  for (const wire of action.orders) {
    const fault = staticFault(chain.lists.asset(wire.a), wire);
    if (fault) return ok("order", { statuses: [{ error: fault }] });
  }
  return ok("order", { statuses: action.orders.map((wire) => place(chain, account, wire)) });
}

/** One order that passes the static rules; what is refused from here on has a number and a record. */
export function place(chain, account, wire, modify = null) {
  const market = chain.lists.asset(wire.a);
  const made = chain.make(account, market, wire);
  if (modify?.isAlo) made.tif = "Alo";
  account.orders.set(made.oid, made);
  chain.log.push({
    t: made.at,
    what: modify ? "replacement" : wire.r ? "reduction" : "order",
    account: account.address,
    oid: made.oid,
    cloid: made.cloid,
    market: market.name,
    isBuy: made.isBuy,
    sz: wire.s,
    px: wire.p,
  });
  const fault = refusal(chain, account, made);
  if (fault) {
    chain.status(made, fault[0]);
    return { error: `${fault[1]} asset=${wire.a}` };
  }
  if (made.trigger) {
    chain.status(made, "open");
    return { resting: { oid: made.oid, ...(made.cloid ? { cloid: made.cloid } : {}) } };
  }
  return enter(chain, account, made, wire);
}

function refusal(chain, account, o) {
  const { market } = o;
  const isSpot = market.kind === "spot";
  if (o.trigger && isSpot) return ["rejected", "Placing trigger orders is not enabled on spot trading yet."];
  if (o.trigger) return null;
  const szi = account.positions.get(market.name)?.szi ?? 0n;
  if (o.reduceOnly && isSpot) return ["rejected", "Reduce-only is invalid for spot trading."];
  if (o.reduceOnly && (szi === 0n || szi > 0n === o.isBuy))
    return ["reduceOnlyRejected", "Reduce only order would increase position."];
  const best = levels(market, o.isBuy)[0].px;
  const crosses = o.isBuy ? o.px >= best : o.px <= best;
  if (o.tif === "Alo" && crosses)
    return [
      "badAloPxRejected",
      `Post only order would have immediately matched, bbo was ${text(levels(market, false)[0].px)}@${text(levels(market, true)[0].px)}.`,
    ];
  if (o.tif === "Ioc" && !crosses)
    return ["iocCancelRejected", "Order could not immediately match against any resting orders."];
  const whole = o.reduceOnly && o.sz >= abs(szi);
  const value = mul(o.sz, o.tif === "Ioc" ? best : o.px);
  if (value < TEN && !whole)
    return isSpot
      ? ["minTradeSpotNtlRejected", `Order must have minimum value of 10 ${chain.lists.token(market.tokens[1]).name}.`]
      : ["minTradeNtlRejected", "Order must have minimum value of $10."];
  if (isSpot) {
    const [base, quote] = market.tokens.map((t) => chain.lists.token(t).name);
    const token = o.isBuy ? quote : base;
    const need = o.isBuy ? mul(o.sz, o.px) : o.sz;
    if ((account.spot.get(token) ?? 0n) - chain.hold(account, token) < need)
      return ["insufficientSpotBalanceRejected", "Insufficient spot balance"];
    return null;
  }
  const reducing = szi !== 0n && szi > 0n !== o.isBuy ? min(abs(szi), o.sz) : 0n;
  const need = mul(o.sz - reducing, o.px) / BigInt(chain.setting(account, market).value);
  if (!o.reduceOnly && need > max(0n, chain.free(account, chain.lists.dexOf(market).name)))
    return ["perpMarginRejected", "Insufficient margin to place order."];
  return null;
}

function enter(chain, account, o) {
  const szi = account.positions.get(o.market.name)?.szi ?? 0n;
  if (o.reduceOnly) o.sz = min(o.sz, abs(szi));
  const id = { oid: o.oid, ...(o.cloid ? { cloid: o.cloid } : {}) };
  const asked = o.sz;
  if (o.tif !== "Alo") {
    if (o.tif === "Gtc") chain.status(o, "open");
    chain.take(o);
  }
  const done = asked - o.sz;
  const total = o.fills.reduce((sum, f) => sum + mul(f.sz, f.px), 0n);
  const filled = () => ({ filled: { totalSz: text(done), avgPx: text(cut((total * 10n ** 12n) / done, 8)), ...id } });
  if (o.sz === 0n || o.tif === "Ioc") {
    if (done === 0n) {
      chain.status(o, "iocCancelRejected");
      return {
        error: `Order could not immediately match against any resting orders. asset=${chain.lists.idOf(o.market)}`,
      };
    }
    chain.status(o, "filled");
    return filled();
  }
  if (o.status !== "open") chain.status(o, "open");
  return { resting: id };
}

// ---- cancels and modifies

function cancel(chain, account, action) {
  const statuses = action.cancels.map((c) => {
    const o = action.type === "cancel" ? account.orders.get(c.o) : newest(account, c.cloid);
    const market = chain.lists.asset(c.a ?? c.asset);
    if (o?.status !== "open" || o.market !== market) return { error: `${GONE} asset=${c.a ?? c.asset}` };
    chain.status(o, "canceled");
    return "success";
  });
  return ok("cancel", { statuses });
}

export const newest = (account, cloid) =>
  [...account.orders.values()].filter((o) => o.cloid === cloid?.toLowerCase()).pop();

function modify(chain, account, action) {
  const statuses = action.modifies.map(({ oid, order: wire }) => {
    const old = typeof oid === "number" ? account.orders.get(oid) : newest(account, oid);
    const isLive = old?.status === "open";
    if (!isLive && !action.a) return { error: "Cannot modify canceled or filled order" };
    const tif = wire.t.limit?.tif;
    if (
      !action.a &&
      (tif === undefined || tif === "Ioc" || (old && (old.isBuy !== wire.b || old.reduceOnly !== wire.r)))
    )
      return { error: "Attempted to modify to invalid new order" };
    const fault = staticFault(chain.lists.asset(wire.a), wire);
    if (fault) return { error: fault };
    if (isLive) chain.status(old, "canceled");
    return place(chain, account, wire, { isAlo: !action.a && tif === "Gtc" });
  });
  return ok("order", { statuses });
}

// ---- leverage, margin, TWAPs

function leverage(chain, account, action) {
  const market = chain.lists.asset(action.asset);
  if (!market || action.leverage < 1 || action.leverage > market.maxLeverage) return err("Invalid leverage value");
  if (action.isCross && market.more.onlyIsolated) return err("Cross margin is not allowed for this asset.");
  const position = account.positions.get(market.name);
  const type = action.isCross ? "cross" : "isolated";
  if (position && position.type !== type) return err("Cannot switch leverage type with open position.");
  const before = chain.setting(account, market);
  if (position && type === "isolated" && action.leverage < before.value) {
    const need = mul(abs(position.szi), market.price) / BigInt(action.leverage);
    if (chain.used(account, position) < need)
      return err(
        "Isolated position does not have sufficient margin available to decrease leverage. To decrease leverage, add margin to the position.",
      );
  }
  account.settings.set(market.name, { type, value: action.leverage });
  return ok("default");
}

function margin(chain, account, action) {
  const market = chain.lists.asset(action.asset);
  const position = market && account.positions.get(market.name);
  const amount = BigInt(action.ntli) * 1_000_000n;
  if (amount === 0n) return err("Update to isolated margin cannot be zero.");
  if (!position) return err("Cannot update margin for empty position.");
  if (position.type !== "isolated") return err("Position does not use isolated margin.");
  const dex = chain.lists.dexOf(market).name;
  if (amount > 0n && amount > chain.free(account, dex))
    return err("Account does not have sufficient margin available for increase.");
  if (amount < 0n) {
    if (market.more.marginMode === "strictIsolated")
      return err("Cannot remove isolated margin for this asset. To remove margin, reduce the position.");
    const value = mul(abs(position.szi), market.price);
    const least = max(value / BigInt(chain.setting(account, market).value), value / 10n);
    if (chain.used(account, position) + amount < least)
      return err("Position does not have sufficient margin for reduction.");
  }
  position.collateral += amount;
  account.cash[dex] -= amount;
  return ok("default");
}

const ACTS = {
  order,
  cancel,
  cancelByCloid: cancel,
  batchModify: modify,
  updateLeverage: leverage,
  updateIsolatedMargin: margin,
  twapOrder: (chain, account, action) => ok("twapOrder", { status: startTwap(chain, account, action.twap) }),
  twapCancel: (chain, account, action) => ok("twapCancel", { status: stopTwap(chain, account, action) }),
  noop: () => ok("default"),
};
