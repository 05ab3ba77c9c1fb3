/** What a run lets the gateway know: the truth of an order, as settling would write it down, and the end of what is open. */

import type { Attempt } from "../../src/core/attempt.ts";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import type { LegEvent } from "../../src/core/order.ts";
import { finishModify } from "../../src/settle/modify/modify.ts";
import { finishOperation } from "../../src/settle/operation/operation.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent } from "../../src/settle/record/record.ts";
import { findAttempt, findAttemptByCloid, listOpenAttempts, updateAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills } from "../../src/store/fills.ts";
import { findLegByCloid } from "../../src/store/legs.ts";
import { ACCOUNT, type Gateway, MARKETS } from "./gateway.ts";
import { type Leg, type Sent, sizeText, type Venue } from "./venue.ts";

/** All that has become of an order by now. */
export function tellLeg(gateway: Gateway, leg: Leg): void {
  const { store, clock } = gateway;
  const { cloid } = leg;
  if (cloid === null) {
    tellTwap(gateway, leg);
    return;
  }
  // One that never left may have been taken back.
  if (leg.standing === "air" || findLegByCloid(store, cloid) === null) return;
  inTransaction(store, () => {
    const attempt = findAttemptByCloid(store, cloid);
    // What never arrived can come no more: an empty action of the gateway has its number.
    if (leg.standing === "dead" && attempt !== null) updateAttempt(store, attempt, { seal: "noop" });
    for (const event of eventsOf(leg)) recordLegEvent(store, cloid, event, clock.nowMs());
  });
  leg.told = { filled: leg.filled, notional: leg.notional, standing: leg.standing };
}

function eventsOf(leg: Leg): LegEvent[] {
  const oid = String(leg.oid);
  const filled = { size: decimal(sizeText(leg.filled)), notional: decimal(sizeText(leg.notional)) };
  const seen: LegEvent[] = leg.filled === 0 ? [] : [{ type: "fills_seen", filled }];
  switch (leg.standing) {
    case "dead":
      return [{ type: "proven_absent", reason: "it never arrived", absence: "left_nothing" }];
    case "waits":
      return [{ type: "armed", oid }, ...seen];
    case "rests":
      return [{ type: "rested", oid }, ...seen];
    case "air":
      return [];
    case "over":
      if (leg.end === "rejected") return [{ type: "rejected", reason: "it was refused", oid: null }];
      return leg.end === "filled"
        ? [{ type: "filled", oid, filled }]
        : [{ type: "canceled", oid, reason: null, filled }];
  }
}

/** Its slices are fills that name it. */
function tellTwap({ store, clock }: Gateway, leg: Leg): void {
  const size = leg.filled - leg.told.filled;
  if (size > 0 && leg.oid !== 0) {
    const market = MARKETS[leg.asset]?.name ?? "";
    const price = decimal(((leg.notional - leg.told.notional) / size).toFixed(8));
    const row = {
      accountId: ACCOUNT.id,
      id: `${clock.nowMs()}-${market}-${leg.oid}-${leg.filled}`,
      timeMs: clock.nowMs(),
      market,
      oid: `${leg.oid}00`,
      side: leg.isBuy ? ("buy" as const) : ("sell" as const),
      price,
      size: decimal(sizeText(size)),
      isTaker: true,
      fee: ZERO,
      feeToken: "USDC",
      builderFee: null,
      realizedPnl: ZERO,
      startPosition: ZERO,
      direction: "",
      twapId: String(leg.oid),
      isLiquidation: false,
      transactionHash: "",
    };
    inTransaction(store, () => insertFills(store, [row], { atMs: clock.nowMs(), toldFromMs: 0 }));
  }
  leg.told = { filled: leg.filled, notional: leg.notional, standing: leg.standing };
}

/** Ends every open attempt of which the exchange knows what became. */
export function settleAll(gateway: Gateway, venue: Venue): void {
  for (const { id } of listOpenAttempts(gateway.store)) settle(gateway, venue, id);
}

export function settle(gateway: Gateway, venue: Venue, attemptId: number): void {
  const attempt = findAttempt(gateway.store, attemptId);
  if (attempt === null || attempt.state === "done") return;
  const sent = venue.sent.find(({ nonce }) => nonce === attempt.nonce);
  if (sent?.standing === "air") return;
  const { kind } = attempt;
  if (kind === "place") settlePlace(gateway, venue, attempt);
  else if (kind === "modify") settleModify(gateway, venue, attempt);
  else if (kind === "cancel") settleCancel(gateway, venue, attempt);
  else settleOperation(gateway, attempt, sent);
}

/** What was stored and never signed is nowhere. */
function tellCloid(gateway: Gateway, venue: Venue, cloid: string | null): void {
  const leg = venue.legs.find((each) => each.cloid === cloid);
  if (leg !== undefined) tellLeg(gateway, leg);
  const { store, clock } = gateway;
  if (leg !== undefined || cloid === null || findLegByCloid(store, cloid) === null) return;
  const event = { type: "proven_absent", reason: "it never left", absence: "not_sent" } as const;
  inTransaction(store, () => void recordLegEvent(store, cloid, event, clock.nowMs()));
}

function settlePlace(gateway: Gateway, venue: Venue, attempt: Attempt): void {
  tellCloid(gateway, venue, attempt.cloid);
  const { store, clock } = gateway;
  inTransaction(store, () => void finishOrderAttempt(store, attempt, { nowMs: clock.nowMs() }));
}

function settleModify(gateway: Gateway, venue: Venue, attempt: Attempt): void {
  const original = venue.legs.find(({ oid }) => oid === Number(attempt.targetOid));
  if (original === undefined) throw new Error("bug: a modify of what nobody has placed");
  tellLeg(gateway, original);
  tellCloid(gateway, venue, attempt.cloid);
  if (openAttempt(gateway.store, attempt.id) === null) return;
  const replacement = venue.legs.find(({ cloid }) => cloid === attempt.cloid);
  const isCanceledByIt = original.end === "canceled" && replacement?.standing !== "dead";
  const end = finishModify(gateway.deps, attempt, isCanceledByIt);
  if (end.kind === "ended" || replacement === undefined) return;
  // What it has placed too much is taken off, here by taking all of it.
  venue.close(replacement, "canceled");
  tellLeg(gateway, replacement);
  finishModify(gateway.deps, attempt, isCanceledByIt);
}

function settleCancel(gateway: Gateway, venue: Venue, attempt: Attempt): void {
  const { store, clock } = gateway;
  const leg = venue.legs.find(
    ({ oid, cloid }) => String(oid) === attempt.targetOid || (cloid !== null && cloid === attempt.cloid),
  );
  if (leg !== undefined) tellLeg(gateway, leg);
  inTransaction(store, () => void finishOrderAttempt(store, attempt, { nowMs: clock.nowMs(), error: "it lives" }));
}

function settleOperation(gateway: Gateway, attempt: Attempt, sent: Sent | undefined): void {
  const [twap] = sent?.legs ?? [];
  const isDone = sent?.standing === "landed";
  const exchangeId = twap === undefined ? null : String(twap.oid);
  finishOperation(
    gateway.deps,
    attempt,
    isDone ? { status: "succeeded", exchangeId } : { status: "rejected", error: "it never arrived" },
  );
}
