// The exchange's own limits: weight of one address of the network, actions of an account, open orders, numbers of a signer.
import { ONE } from "./figures.mjs";

const LIGHT = new Set([
  "l2Book",
  "allMids",
  "clearinghouseState",
  "orderStatus",
  "spotClearinghouseState",
  "exchangeStatus",
]);
const ROWS = new Set([
  "recentTrades",
  "historicalOrders",
  "userFills",
  "userFillsByTime",
  "fundingHistory",
  "userFunding",
  "userNonFundingLedgerUpdates",
  "twapHistory",
  "userTwapSliceFills",
  "userTwapSliceFillsByTime",
]);
const EXHAUSTED_EVERY_MS = 10_000;

function insert(list, value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, value);
}

export class Limits {
  constructor(truth, world) {
    Object.assign(this, { truth, world, spent: [], sum: 0, highest: [], used: 0, volume: 0n, passedAt: 0 });
    this.refusals = { weight: 0, address: 0, orders: 0, nonces: 0 };
    truth.on("fill", (row) => {
      this.volume += (row.size * row.price) / ONE;
    });
  }

  /** Whether a request is let in: so much weight in any minute. */
  weighs(body) {
    const { weightAMinute = Infinity } = this.world;
    const before = Date.now() - 60_000;
    while (this.spent.length > 0 && this.spent[0].t < before) this.sum -= this.spent.shift().weight;
    if (this.sum < weightAMinute) return this.spend(weightOf(body));
    this.refusals.weight++;
    return false;
  }

  spend(weight) {
    this.sum += weight;
    this.spent.push({ t: Date.now(), weight });
    return true;
  }

  /** Some lists cost one more for each 20 rows. */
  rows(body, value) {
    if (ROWS.has(body.type) && Array.isArray(value)) this.spend(Math.floor(value.length / 20));
  }

  get cap() {
    return 10_000 + Number(this.volume / ONE) + (this.world.earned ?? 1_000_000);
  }

  address() {
    const volume = Number(this.volume / ONE) + (this.world.earned ?? 1_000_000);
    const used = this.used + (this.world.usedBefore ?? 0);
    return { cumVlm: `${volume}.0`, nRequestsUsed: used, nRequestsCap: this.cap, nRequestsSurplus: 0 };
  }

  /** An account that has used up its actions has one each ten seconds; cancels have more. */
  exhausted(action) {
    const used = this.used + (this.world.usedBefore ?? 0);
    const isCancel = action.type === "cancel" || action.type === "cancelByCloid";
    const most = isCancel ? Math.min(this.cap + 100_000, 2 * this.cap) : this.cap;
    const isOver = used >= most && Date.now() < this.passedAt + EXHAUSTED_EVERY_MS;
    if (isOver) {
      this.refusals.address++;
      return `Too many cumulative requests sent (${used} > ${most}) for cumulative volume traded $${Number(this.volume / ONE)}. Place taker orders to free up 1 request per USDC traded.`;
    }
    if (used >= most) this.passedAt = Date.now();
    this.used += (action.orders ?? action.cancels ?? action.modifies ?? [null]).length;
    return null;
  }

  /** The hundred highest numbers are kept, and what is below them is refused. */
  tooLow(nonce) {
    const floor = this.highest.length < 100 ? -Infinity : this.highest[0];
    if (nonce < floor) {
      this.refusals.nonces++;
      return `Invalid nonce: nonce too low ${nonce} < ${floor}`;
    }
    insert(this.highest, nonce);
    if (this.highest.length > 100) this.highest.shift();
    return null;
  }

  /** With a thousand open nothing that waits or only reduces is taken, and beyond what the volume has earned nothing that rests. */
  full(order) {
    if (order.tif === "Ioc" || order.tif === "FrontendMarket") return false;
    const open = this.truth.alive.size;
    const most = Math.min(5000, 1000 + Math.floor(Number(this.volume / ONE) / 5_000_000));
    const isFull = open >= (order.reduceOnly || order.trigger ? 1000 : most);
    if (isFull) this.refusals.orders++;
    return isFull;
  }
}

function weightOf(body) {
  const { action } = body;
  if (action !== undefined)
    return 1 + Math.floor((action.orders ?? action.cancels ?? action.modifies ?? [null]).length / 40);
  if (LIGHT.has(body.type)) return 2;
  return body.type === "userRole" ? 60 : 20;
}
