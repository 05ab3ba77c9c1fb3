/**
 * What stands in the way of an action before anything of it is stored. A write that is refused and `/readyz` ask the
 * same questions here, so that neither can say what the other does not do.
 */
import type { Account } from "../../core/account.ts";
import { ApiError } from "../../core/errors.ts";
import type { ObstacleReason } from "../../core/readiness.ts";
import type { ToTakeOrders, With } from "../../deps.ts";
import type { SlowDown } from "../../exchange/exchange.ts";
import { findSigningAgent } from "../../store/agents.ts";
import { whyBroken } from "../../store/broken.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import type { WriteFault } from "../../store/write-health.ts";

/** `error` is what a client reads whose write it refuses; `detail` names nobody and is for everybody. */
export type Obstacle = { reason: ObstacleReason; detail: string | null; error: ApiError };

/** What increases a position is not sent by an older list of markets than this, milliseconds: numbers move in it. */
export const MAX_LIST_AGE_MS = 5 * 60 * 1_000;
/** An exchange that has been silent for longer is told as an obstacle, milliseconds. */
export const SILENCE_MS = 60_000;

/**
 * Of every write. Cancels of known orders are accepted while starting, as soon as the exchange's clock is known: a
 * number from a clock that is far ahead would be every later action's as well.
 */
export function closedGateway({ state, store }: With<"state" | "store">, isCancel: boolean): Obstacle | null {
  const { phase, writesStoppedBecause } = state;
  if (phase === "draining") return obstacle("draining", "draining", "The gateway is shutting down. Nothing was sent.");
  if (phase === "trial") return obstacle("on_trial", "not_ready", NOT_LOOKED_AT);
  if (phase === "opening" || (phase === "starting" && !isCancel))
    return obstacle("starting", "not_ready", NOT_LOOKED_AT);
  const broken = whyBroken(store);
  if (broken === null && (writesStoppedBecause === null || isCancel)) return null;
  const because = writesStoppedBecause ?? "the database has failed";
  const code = broken === null ? "internal_error" : "storage_unavailable";
  return { ...obstacle("writes_stopped", code, `Writes are stopped: ${because}. Nothing was sent.`), detail: because };
}

/** Until every row that was in flight has been looked at, `unknown` could be a step back from what was told. */
export const NOT_LOOKED_AT = "The gateway is still looking up what was in flight when it stopped. Nothing was sent.";

/** Of an order of this account; one that can only make a position smaller is tried even where it may well fail. */
export function orderObstacle(deps: ToTakeOrders, account: Account, reducesOnly: boolean): Obstacle | null {
  const agent = signingAgent(deps, account);
  return (
    closedGateway(deps, false) ??
    (reducesOnly ? null : noDescriptors(deps)) ??
    (reducesOnly ? null : diskObstacle(deps.writeHealth.fault())) ??
    (reducesOnly ? null : silentExchange(deps)) ??
    (agent.kind === "obstacle" ? agent.obstacle : null) ??
    restoreObstacle(deps, account) ??
    (agent.kind === "obstacle" || reducesOnly ? null : unlistedAgent(deps, agent.address))
  );
}

/** What a client's action is paid as. */
export type ActionUse = "order" | "reduce" | "cancel";

/** Of the weight that we may spend at the exchange, and of the account's own number of actions there. */
export function budgetObstacle(
  deps: With<"allowance" | "exchange">,
  account: Account,
  { use, count = 1 }: { use: ActionUse; count?: number },
): Obstacle | null {
  const { exchange, allowance } = deps;
  if (!exchange.hasBudgetFor(use)) {
    const waitS = Math.max(1, exchange.budgetWaitS(use));
    const told = exchange.slowedDown(use);
    const why = told === null ? `This ${OUT_OF_WEIGHT}` : `The exchange ${SLOWED_BY[told]}`;
    const reason = told === "too_fast" ? "slowed_down" : "exchange_budget";
    return obstacle(reason, "exchange_rate_limited", `${why}. Nothing was sent.`, waitS);
  }
  if (allowance.fits(account.tradingAddress, use, count)) return null;
  return obstacle("exchange_budget", "exchange_rate_limited", NO_ACTIONS, allowance.waitS(account.tradingAddress));
}

/** What the exchange has done while nothing is asked of it, in words that follow its name. */
export const SLOWED_BY: Record<SlowDown, string> = {
  too_fast: "has told this gateway to slow down (HTTP 429)",
  out_of_actions:
    "has refused an action because its account had used up its actions, and this gateway pauses after that",
};
/** Why we do not ask ourselves, in words that follow "this". */
export const OUT_OF_WEIGHT =
  "gateway's own limit of requests to the exchange (POSTERN_EXCHANGE_WEIGHT) is used up for the moment";
const NO_ACTIONS =
  "The account has used up the actions that its volume has earned it at the exchange, which takes one in 10 seconds until it has traded more. Nothing was sent.";

export type SigningAgent = { kind: "agent"; address: string } | { kind: "obstacle"; obstacle: Obstacle };

/** The agent that signs for an account now. */
export function signingAgent(world: With<"exchange" | "signers" | "store">, account: Account): SigningAgent {
  const agent = findSigningAgent(world.store, account.ownerAddress, world.exchange.nowMs());
  if (agent === null) {
    const message = "No agent key of this account has been approved by its owner yet, or its approval has ended.";
    return { kind: "obstacle", obstacle: obstacle("no_agent", "agent_not_approved", message) };
  }
  if (world.signers.has(agent.address)) return { kind: "agent", address: agent.address };
  const message = `The agent key ${agent.address} is locked or missing on this machine.`;
  return { kind: "obstacle", obstacle: obstacle("agent_locked", "agent_not_approved", message) };
}

function diskObstacle(fault: WriteFault | null): Obstacle | null {
  if (fault === null) return null;
  return { ...obstacle(fault.kind, "storage_unavailable", NOT_WRITTEN), detail: fault.detail };
}

/** What a client reads whose intent is not stored because the disk or the database failed. */
export const NOT_WRITTEN = "The database could not be written. Nothing was sent.";

/** What is open to the exchange may serve all the same: a cancel is tried. */
function noDescriptors({ state }: With<"state">): Obstacle | null {
  if (state.isOutOfDescriptors !== true) return null;
  return obstacle(
    "no_descriptors",
    "exchange_unreachable",
    "No file descriptor is left (EMFILE). Nothing was sent.",
    1,
  );
}

function restoreObstacle({ store }: With<"store">, { id }: Account): Obstacle | null {
  if (!awaitsTakeUp(store, id)) return null;
  return obstacle("restoring", "not_ready", NOT_TAKEN_UP);
}

/** What a client reads of an account, or a key, that may have traded since the backup. */
export const NOT_TAKEN_UP =
  "This gateway was restored from a backup and is still reading what was traded since. Nothing was sent.";

function silentExchange({ exchange }: With<"exchange">): Obstacle | null {
  const sinceMs = exchange.sinceAnswerMs();
  if (sinceMs !== null && sinceMs <= SILENCE_MS) return null;
  const message = "The exchange has not answered for a minute. Nothing was sent.";
  return obstacle("exchange_unreachable", "exchange_unreachable", message);
}

function unlistedAgent({ agents }: With<"agents">, address: string): Obstacle | null {
  if (agents.standing(address) !== "missing") return null;
  const message = `The exchange does not list the agent key ${address} any more: its owner has to approve another. Nothing was sent.`;
  return obstacle("agent_unlisted", "agent_not_approved", message);
}

function obstacle(reason: ObstacleReason, code: ApiError["code"], message: string, retryAfterS?: number): Obstacle {
  return { reason, detail: null, error: new ApiError(code, message, retryAfterS) };
}
