import { type Attempt, nextLook } from "../core/attempt.ts";
import { compare } from "../core/decimal.ts";
import type { Filled, LegEvent } from "../core/order.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import { interpretOrder, lookAtLeg, readStatus, type Sight, type Sought, statusRequest } from "./look.ts";
import type { Tools } from "./pursuit.ts";
import { findInSweep, type Swept } from "./sweep.ts";

/** What one look showed, with what is needed to say what a "not found" is worth. */
export type TimedLook = { sight: Sight; chainTimeMs: number | null; isSweep: boolean; isCovered: boolean };

/** Looks for what an attempt placed, in the way that its next look has to be made. */
export async function lookForPlaced(tools: Tools, attempt: Attempt): Promise<TimedLook> {
  const sought = tools.soughtOf(attempt);
  const { isSweep, onNewConnection } = nextLook(attempt);
  const options: InfoOptions = { purpose: "settle", onNewConnection };
  return isSweep ? lookBySweep(tools, attempt, { sought, options }) : lookInTurn(tools, sought, options);
}

async function lookInTurn(tools: Tools, sought: Sought, options: InfoOptions): Promise<TimedLook> {
  const { world, evidence } = tools;
  const plain = { isSweep: false, isCovered: true };
  const timed = await tools.chainTime.readWith(sought.user, [statusRequest(sought)], options);
  if (timed !== null) {
    const sight = await readStatus(world, evidence, sought, { json: timed.json[0], options });
    return { ...plain, sight, chainTimeMs: timed.chainTimeMs };
  }
  // Without a time a "not found" counts for nothing, but the order may be seen all the same.
  return { ...plain, sight: await lookAtLeg(world, evidence, sought, options), chainTimeMs: null };
}

async function lookBySweep(
  tools: Tools,
  attempt: Attempt,
  how: { sought: Sought; options: InfoOptions },
): Promise<TimedLook> {
  const { sought, options } = how;
  const timed = await tools.sweeps.read(sought.user, attempt.accountId, options);
  if (timed === null) {
    const sight: Sight = { kind: "failed", reason: "the sweep could not be read" };
    return { sight, chainTimeMs: null, isSweep: true, isCovered: false };
  }
  const { sweep, chainTimeMs } = timed;
  // A nonce is the exchange time of its making.
  const sentAtMs = attempt.nonce;
  const swept = findInSweep(sweep, sought.leg.cloid, sentAtMs);
  const isCovered = swept.kind !== "not_found" || swept.isCovered;
  return { sight: await readSwept(tools, sought, { swept, options }), chainTimeMs, isSweep: true, isCovered };
}

async function readSwept(
  tools: Tools,
  sought: Sought,
  { swept, options }: { swept: Swept; options: InfoOptions },
): Promise<Sight> {
  const { world, evidence } = tools;
  switch (swept.kind) {
    case "open": {
      const { order } = swept;
      return interpretOrder(world, evidence, sought, { order, status: "open", statusTimestampMs: 0, options });
    }
    case "past":
      return interpretOrder(world, evidence, sought, { ...swept, options });
    case "fills_only":
      return fillsOnly(sought, swept);
    case "not_found":
      return { kind: "not_found" };
  }
}

function fillsOnly(sought: Sought, found: { oid: string; filled: Filled }): Sight {
  const isWhole = compare(found.filled.size, sought.leg.size) >= 0;
  const event: LegEvent = isWhole
    ? { type: "filled", oid: found.oid, filled: found.filled }
    : {
        type: "canceled",
        oid: found.oid,
        reason: "Only its fills are left: the exchange keeps no record that old.",
        filled: found.filled,
      };
  return { kind: "seen", events: [event], isClosed: true };
}
