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
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";

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

/** Cancels those whose order is over and has filled nothing: they protect nothing. */
export async function cancelNeedlessStandIns(deps: ToStandIn): Promise<void> {
  if (deps.state.phase !== "ready") return;
  for (const account of listAccounts(deps.store)) {
    const needless = listOpenOrders(deps.store, account.id).filter((order) => isNeedless(deps, account, order));
    await Promise.all(needless.map((order) => cancel(deps, account, order)));
  }
}

function cancel(deps: ToStandIn, account: Account, { id: orderId }: StoredOrder): Promise<void> {
  return cancelCovered(deps, deps.settling, { name: `${NAME} ${orderId}`, account, orderId });
}

function isNeedless({ store: open }: With<"store">, account: Account, { idempotencyKey }: StoredOrder): boolean {
  const [name, oid = ""] = idempotencyKey?.split(" ") ?? [];
  const leg = name === NAME ? findLegByOid(open, account.id, oid) : null;
  const parent = leg === null ? null : findOrder(open, leg.orderId);
  if (parent === null || isLive(parent.status)) return false;
  return parent.filledSize === null ? parent.status === "rejected" : isZero(parent.filledSize);
}
