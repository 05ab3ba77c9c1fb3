/** What reaches the gate by others than the bot itself: a person who approves what it has proposed, and a chart whose alert is its order. */
import { carryOut } from "../../src/actions/hooks/carry-out.ts";
import { type Arrived, receiveAlert } from "../../src/actions/hooks/receive-alert.ts";
import { decideByOperator } from "../../src/actions/proposals/decide-proposal.ts";
import { placeProposal } from "../../src/actions/proposals/place-proposal.ts";
import { proposeOrder } from "../../src/actions/proposals/propose-order.ts";
import { ApiError } from "../../src/core/errors.ts";
import type { Hook } from "../../src/core/hook/hook.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import { isoTime } from "../../src/core/resource.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { updateDelivery } from "../../src/store/hook-deliveries.ts";
import { findHook, insertHook } from "../../src/store/hooks.ts";
import { TOO_MUCH } from "./draw.ts";
import { ACCOUNT, MARKETS } from "./gateway.ts";
import type { Asking, By } from "./requests.ts";

/** Proposed, placed or approved; where a rail names a size that passes, proposed again for that. */
export async function propose(asking: Asking, by: By, terms: OrderTerms): Promise<void> {
  const largest = await proposeOne(asking, by, terms);
  if (terms.size === TOO_MUCH && largest !== null && largest !== "0")
    await proposeOne(asking, by, { ...terms, size: largest });
}

/** The largest size that passes, where a rail has refused and told one. */
async function proposeOne(asking: Asking, by: By, terms: OrderTerms): Promise<string | null> {
  const { deps } = asking.gateway;
  const { proposal } = await proposeOrder(deps, by.key.caller, { terms, isAnother: true });
  if (proposal === null) return null;
  const placed = await placeProposal(deps, by.key.caller, proposal.id);
  if (placed.kind === "refused") return placed.rail?.largest ?? null;
  if (placed.kind === "order") note(asking, JSON.parse(placed.order));
  if (placed.kind === "waiting_for_approval" && asking.chance.isLucky(0.9)) await approve(asking, proposal.id);
  return null;
}

async function approve(asking: Asking, proposalId: string): Promise<void> {
  asking.approving(true);
  try {
    const told = JSON.parse(await decideByOperator(asking.gateway.deps, { proposalId, decision: "approve" }));
    note(asking, told.order);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  asking.approving(false);
}

function note({ orders }: Asking, order: { id: string } | null): void {
  if (order !== null) orders.push(order.id);
}

/** An alert is tried so often at most. */
const MAX_TRIES = 4;

/** Comes, and is carried out as far as it goes. */
export async function alert(asking: Asking, by: By, terms: OrderTerms): Promise<void> {
  const { deps, store } = asking.gateway;
  const mode = asking.chance.pick(["order", "order", "target"] as const);
  const hook = hookOf(asking, by, mode);
  const { delivery } = receiveAlert(deps, hook, bodyOf(asking, mode, terms));
  if (delivery.status !== "accepted") return;
  for (let tries = 0, { steps } = delivery; tries < MAX_TRIES; tries += 1) {
    const tried = await carryOut(deps, hook, { ...delivery, steps });
    steps = tried.steps;
    if (tried.kind === "waits") continue;
    const { status, reason, orderId } = tried;
    if (orderId !== null) asking.orders.push(orderId);
    inTransaction(store, () => updateDelivery(store, delivery.id, { status, reason, steps, orderId }));
    return;
  }
}

/** One of each mode for each key. */
function hookOf({ gateway: { store, clock } }: Asking, { key: { keyHash } }: By, mode: Hook["mode"]): Hook {
  const id = `${keyHash.slice(0, 8)}-0000-7000-8000-00000000${mode === "order" ? "0001" : "0002"}`;
  const known = findHook(store, id);
  if (known !== null) return known;
  const hook: Hook = {
    id,
    accountId: ACCOUNT.id,
    name: `${mode}-of-${keyHash.slice(0, 4)}`,
    keyHash,
    secretHash: `${mode === "order" ? "1" : "2"}${keyHash.slice(1)}`,
    mode,
    market: null,
    maxAgeMs: 60_000,
    sameWithinMs: 1,
    maxSlippageBps: 300,
    sources: null,
    isRehearsal: false,
    state: "active",
    createdAtMs: clock.nowMs(),
  };
  inTransaction(store, () => insertHook(store, hook, "owner"));
  return hook;
}

/** What a bot is to hold is drawn about nothing; an order without a price goes at what the market gives. */
function bodyOf({ chance, number, gateway }: Asking, mode: Hook["mode"], terms: OrderTerms): Arrived {
  const id = `alert-${number()}`;
  const time = isoTime(gateway.clock.nowMs());
  const { side, size, price, timeInForce, reduceOnly } = terms;
  const perpetual = terms.market === "@1" ? (MARKETS[0]?.name ?? "") : terms.market;
  const target = { id, time, market: perpetual, target: chance.pick(["0", "0.05", "-0.05", "0.2", "-0.2", "3"]) };
  const order = { id, time, market: perpetual, side, size, reduce_only: reduceOnly };
  const priced = { ...order, market: terms.market, price, time_in_force: timeInForce };
  const value = mode === "target" ? target : terms.trigger !== null || chance.isLucky(0.4) ? order : priced;
  return { text: JSON.stringify(value), json: { kind: "value", value } };
}
