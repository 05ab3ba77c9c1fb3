import { type HttpAnswer, jsonAnswer, SERVER_ERROR, WRONG_SCHEMA } from "./answers.ts";
import type { Desk } from "./desk.ts";
import { MISMATCH, memberOf } from "./exchange/decode.ts";
import type { ExactJson } from "./exchange/json-text.ts";
import type { RequestFault } from "./faults.ts";
import { type ReadContext, SERVER_FAULT } from "./info/request.ts";
import { infoTypeOf, readInfo } from "./info/types.ts";
import { movedList } from "./market-moves.ts";
import { worldAt } from "./past.ts";
import { nowMs } from "./runtime.ts";
import { shownThrough } from "./shown.ts";
import { parseState, stateText } from "./state-text.ts";
import type { PaperWorld } from "./world.ts";

/** The answer to a read, from the present or, where a rule says so, from the past, and as rules make it look. */
export function answerInfo(desk: Desk, json: ExactJson, fault: RequestFault | null): HttpAnswer {
  const read = readInfo(fault?.kind === "another_order" ? anotherOrder(json) : json);
  if (read === MISMATCH) return WRONG_SCHEMA;
  const context = contextOf(desk, fault);
  const value = read(context);
  if (value === SERVER_FAULT) return SERVER_ERROR;
  const type = infoTypeOf(json) ?? "";
  if (fault?.kind === "another_order" && type === "orderStatus") return jsonAnswer(newestOf(value));
  const listed = movedList(desk.moves, type, value, context.nowMs);
  return jsonAnswer(shownThrough(fault, { type, value: listed, nowMs: nowMs(desk.runtime) }));
}

function contextOf(desk: Desk, fault: RequestFault | null): ReadContext {
  const { world } = desk.runtime;
  const present = { venue: world.venue, tape: world.tape, nowMs: nowMs(desk.runtime) };
  switch (fault?.kind) {
    case "stuck_node":
      // What stateText wrote of a World is one.
      desk.frozen ??= { world: parseState(stateText(world)) as PaperWorld, nowMs: present.nowMs };
      desk.stuckReads += 1;
      if (desk.stuckReads % fault.every !== 0) return present;
      return { venue: desk.frozen.world.venue, tape: desk.frozen.world.tape, nowMs: desk.frozen.nowMs };
    case "behind":
      return pastContext(desk, present, fault.ms);
    case "balancer":
      desk.balancedReads += 1;
      return pastContext(desk, present, fault.lagsMs[(desk.balancedReads - 1) % fault.lagsMs.length] ?? 0);
    default:
      return present;
  }
}

function pastContext(desk: Desk, present: ReadContext, lagMs: number): ReadContext {
  const atMs = present.nowMs - lagMs;
  const world = lagMs === 0 ? null : worldAt(desk.past, atMs);
  return world === null ? present : { venue: world.venue, tape: world.tape, nowMs: atMs };
}

/** A look at one order as a reading of all that the account ever had. */
function anotherOrder(json: ExactJson): ExactJson {
  if (infoTypeOf(json) !== "orderStatus") return json;
  const user = memberOf(json, "user") ?? null;
  return {
    kind: "object",
    entries: [
      ["type", "historicalOrders"],
      ["user", user],
    ],
  };
}

function newestOf(rows: unknown): unknown {
  const newest: unknown = Array.isArray(rows) ? rows[0] : undefined;
  return newest === undefined ? { status: "unknownOid" } : { status: "order", order: newest };
}
