/**
 * Stops of the gateway's own that stand in for those of an order from elsewhere which is to be canceled: its children go with it, and what it
 * has filled by then, as no list may show yet, would be left without protection. Each is placed and proven before its order goes, and goes
 * itself once it is known that nothing was filled.
 */
import type { Account } from "../core/account.ts";
import { isZero } from "../core/decimal.ts";
import { findMarket } from "../core/market.ts";
import { isLive } from "../core/order.ts";
import type { Slot, With } from "../deps.ts";
import { newOrder } from "../settle/place/new-order.ts";
import { placeOwn, storeOwnOrder, type ToPlaceOwn } from "../settle/place/place-own.ts";
import { signingAgent } from "../settle/pre-trade/obstacles.ts";
import { cancelCovered } from "../settle/stop/cancel-covered.ts";
import { listAccounts } from "../store/accounts.ts";
import { inTransaction } from "../store/commit.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import { findLegByOid } from "../store/legs.ts";
import { findOrder, listOpenOrders, type Placing, type StoredOrder } from "../store/orders.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import { type FrontendOrder, parseOrderStatusOf } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { jsonInteger } from "../wire/json.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { outsideOrder } from "./outside-order.ts";

export type ToStandIn = ToPlaceOwn & With<"settling">;

/** `none`: it cannot be had, and the order has to stay. `pending`: nobody knows yet. */
export type StandIn = "stands" | "none" | "pending";

const NAME = "stand-in";

/** With spaces, so that it is no client's Idempotency-Key. */
function nameOf(parent: FrontendOrder, child: FrontendOrder): string {
  return `${NAME} ${parent.oid} ${child.oid}`;
}

/** One for each stop-loss among the children of an order; `stands` where it has none. */
export async function standIn(deps: ToStandIn, account: Account, parent: FrontendOrder): Promise<StandIn> {
  const stops = parent.children.filter((child) => termsOf(child).trigger?.kind === "stop_loss");
  const all = await Promise.all(stops.map((child) => standInFor(deps, account, { parent, child })));
  return all.find((each) => each === "none") ?? all.find((each) => each === "pending") ?? "stands";
}

/** Its order stays, with children of its own. */
export async function takeBack(deps: ToStandIn, account: Account, parent: FrontendOrder): Promise<void> {
  const placed = parent.children.flatMap((child) => findByName(deps, account, nameOf(parent, child)) ?? []);
  await Promise.all(placed.filter(({ status }) => isLive(status)).map((order) => cancel(deps, account, order)));
}

type Bracket = { parent: FrontendOrder; child: FrontendOrder };

async function standInFor(deps: ToStandIn, account: Account, bracket: Bracket): Promise<StandIn> {
  const name = nameOf(bracket.parent, bracket.child);
  if (findByName(deps, account, name) === null)
    await placeOwn(deps, deps.settling, { account, store: (slot) => store(deps, account, { ...bracket, slot }) });
  const placed = findByName(deps, account, name);
  if (placed === null || placed.status === "processing" || placed.status === "unknown") return "pending";
  return placed.status === "canceled" || placed.status === "rejected" ? "none" : "stands";
}

function findByName({ store: open }: With<"store">, account: Account, name: string): StoredOrder | null {
  const id = findKeyRecord(open, account.id, name)?.resource.id;
  return id === undefined ? null : findOrder(open, id);
}

/** Of the whole size of its order: what is filled of that is not known. Null where nothing can be signed now. */
function store(deps: ToStandIn, account: Account, about: Bracket & { slot: Slot }): Placing | null {
  const { parent, child, slot } = about;
  return inTransaction(deps.store, (open) => {
    const universe = deps.markets.current();
    const market = universe === null ? null : findMarket(universe, parent.coin);
    const agent = signingAgent(deps, account);
    const idempotencyKey = nameOf(parent, child);
    if (market === null || agent.kind === "obstacle" || awaitsTakeUp(open, account.id)) return null;
    if (findKeyRecord(open, account.id, idempotencyKey) !== null) return null;
    const { side, price, trigger } = termsOf(child);
    const terms = { side, price, trigger, size: parent.size, timeInForce: "gtc", reduceOnly: true } as const;
    const order = newOrder(deps, { accountId: account.id, market, terms, idempotencyKey, keyHash: null });
    return storeOwnOrder(deps, account, order, { route: NAME, signer: agent.address, slot });
  });
}

/** Between two looks, milliseconds. */
export const STAND_IN_INTERVAL_MS = 5_000;

/** Between two questions for an order of elsewhere that has no row here, milliseconds. */
const ASK_EVERY_MS = 30_000;

/** Those whose order is over and has filled nothing protect nothing, and are canceled. */
export function openStandIns(deps: ToStandIn) {
  /** By native id of the order: when it was asked for, elapsed milliseconds. */
  let askedAtMs = new Map<string, number>();

  /** It may have ended while nobody knew whether its stop stands, or this process may have died then: so it has no row. */
  async function learn(account: Account, oid: string): Promise<void> {
    const nowMs = deps.clock.elapsedMs();
    if (nowMs - (askedAtMs.get(oid) ?? Number.NEGATIVE_INFINITY) < ASK_EVERY_MS) return;
    askedAtMs.set(oid, nowMs);
    await adoptEnded(deps, account, oid);
  }

  return {
    async look(): Promise<void> {
      if (deps.state.phase !== "ready") return;
      const standing = listAccounts(deps.store).flatMap((account) => standingFor(deps, account));
      const unknown = standing.filter(({ account, oid }) => findLegByOid(deps.store, account.id, oid) === null);
      askedAtMs = new Map([...askedAtMs].filter(([oid]) => unknown.some((each) => each.oid === oid)));
      await Promise.all(unknown.map(({ account, oid }) => learn(account, oid)));
      const needless = standing.filter(({ account, oid }) => isNeedless(deps, account, oid));
      await Promise.all(needless.map(({ account, order }) => cancel(deps, account, order)));
    },
  };
}

type StandingIn = { account: Account; order: StoredOrder; oid: string };

/** Stops that stand in, and for the stop of which order of elsewhere. */
function standingFor({ store: open }: With<"store">, account: Account): StandingIn[] {
  if (awaitsTakeUp(open, account.id)) return [];
  return listOpenOrders(open, account.id).flatMap((order) => {
    const [name, oid] = order.idempotencyKey?.split(" ") ?? [];
    return name === NAME && oid !== undefined ? { account, order, oid } : [];
  });
}

/** Gives an order of elsewhere a row once it is known to be over, and with how much filled. */
async function adoptEnded(deps: ToStandIn, account: Account, oid: string): Promise<void> {
  const asked = { type: "orderStatus", user: account.tradingAddress, oid: jsonInteger(oid) } as const;
  const outcome = await deps.exchange.info(asked, { purpose: "settle" });
  const answer = outcome.kind === "ok" ? parseOrderStatusOf(oid, outcome.json) : null;
  const universe = deps.markets.current();
  if (answer?.kind !== "order" || universe === null || findMarket(universe, answer.order.coin) === null) return;
  const shown = await outsideOrder(deps, account, answer, "settle");
  if (!isLive(shown.status)) adoptOutsideOrder(deps, shown);
}

function cancel(deps: ToStandIn, account: Account, { id: orderId }: StoredOrder): Promise<void> {
  return cancelCovered(deps, deps.settling, { name: `${NAME} ${orderId}`, account, orderId });
}

function isNeedless({ store: open }: With<"store">, account: Account, oid: string): boolean {
  const leg = findLegByOid(open, account.id, oid);
  const parent = leg === null ? null : findOrder(open, leg.orderId);
  if (parent === null || isLive(parent.status)) return false;
  return parent.filledSize === null ? parent.status === "rejected" : isZero(parent.filledSize);
}
