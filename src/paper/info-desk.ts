import { type Answer, jsonAnswer, SERVER_ERROR, WRONG_SCHEMA } from "./answers.ts";
import type { Desk } from "./desk.ts";
import { MISMATCH } from "./exchange/decode.ts";
import type { Json } from "./exchange/json-text.ts";
import type { RequestFault } from "./faults.ts";
import { type ReadContext, SERVER_FAULT } from "./info/request.ts";
import { readInfo } from "./info/types.ts";
import { nowMs } from "./runtime.ts";
import { parseState, stateText } from "./state-text.ts";
import type { World } from "./world.ts";

/** The answer to a read, from the present or, with the fault `stuck_node`, from the past. */
export function answerInfo(desk: Desk, json: Json, fault: RequestFault | null): Answer {
  const read = readInfo(json);
  if (read === MISMATCH) return WRONG_SCHEMA;
  const value = read(contextOf(desk, fault));
  if (value === SERVER_FAULT) return SERVER_ERROR;
  if (fault?.kind === "status_lag" && isYoungOrder(value, nowMs(desk.runtime) - fault.ms)) {
    return jsonAnswer({ status: "unknownOid" });
  }
  return jsonAnswer(value);
}

function contextOf(desk: Desk, fault: RequestFault | null): ReadContext {
  const { world } = desk.runtime;
  const present = { venue: world.venue, tape: world.tape, nowMs: nowMs(desk.runtime) };
  if (fault?.kind !== "stuck_node") return present;
  // What stateText wrote of a World is one.
  desk.frozen ??= { world: parseState(stateText(world)) as World, nowMs: present.nowMs };
  desk.stuckReads += 1;
  if (desk.stuckReads % fault.every !== 0) return present;
  return { venue: desk.frozen.world.venue, tape: desk.frozen.world.tape, nowMs: desk.frozen.nowMs };
}

/** An answer of `orderStatus` about an order placed after that moment. */
function isYoungOrder(value: unknown, afterMs: number): boolean {
  if (!hasObject(value, "order") || !hasObject(value.order, "order")) return false;
  const { order } = value.order;
  return "timestamp" in order && typeof order.timestamp === "number" && order.timestamp > afterMs;
}

function hasObject<K extends string>(value: unknown, key: K): value is Record<K, object> {
  if (value === null || typeof value !== "object" || !(key in value)) return false;
  // `key in value` was just seen.
  const member = (value as Record<string, unknown>)[key];
  return member !== null && typeof member === "object";
}
