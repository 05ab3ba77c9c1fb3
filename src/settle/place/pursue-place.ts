import type { Attempt } from "../../core/attempt.ts";
import type { Absence } from "../../core/evidence.ts";
import type { LegEvent } from "../../core/order.ts";
import { printable } from "../../wire/answer/refusal.ts";
import { weighAbsence } from "../evidence/absence.ts";
import { applySight } from "../look/apply-sight.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { finishOrderAttempt, openAttempt, recordLegEvent } from "../record/record.ts";
import { lookForPlaced } from "./look-for-placed.ts";

/**
 * One step toward the truth about a placing whose answer was lost: looks for the order, and asks for its number where
 * it is not found. Returns true when the attempt is settled. "Not found" alone never settles anything.
 */
export async function stepPlace(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  await world.point("settle_before_look");
  const { leg } = tools.soughtOf(attempt);
  const looked = await lookForPlaced(tools, attempt, pursuit);
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return true;
  applySight(world, leg, looked.sight);
  switch (looked.sight.kind) {
    case "seen":
      return openAttempt(world.store, attempt.id) === null;
    case "unfinished":
      return false;
    // What is foreign may be ours gone wrong, and what could not be read may be there: in both cases only the
    // exchange's word on the number says that it never ran, and any sight of the order outweighs that word.
    case "failed":
    case "foreign":
    case "not_found":
      return weighAbsence(tools, now, { ...looked, pursuit }, (absence) => {
        const nowMs = world.clock.nowMs();
        recordLegEvent(world.store, leg.cloid, absenceEvent(now, absence, pursuit.refusal), nowMs);
        finishOrderAttempt(world.store, now, { nowMs });
      });
  }
}

/** What an absence that was concluded means for the leg, in plain words. */
export function absenceEvent(attempt: Attempt, absence: Absence, refusal: string | null): LegEvent {
  // Nobody can say whether the replacement ever was at the exchange; so this says nothing of the original.
  if (absence === "outlived" && attempt.kind === "modify") return { type: "proven_absent", reason: NOT_THERE, absence };
  if (absence === "outlived") return { type: "canceled", oid: null, reason: OUTLIVED, filled: null, absence };
  if (absence === "unfound" && attempt.kind === "modify") return { type: "proven_absent", reason: NOT_FOUND, absence };
  // A cancel of ours whose answer was lost may have closed it: so it is not said that it never was there.
  if (absence === "unfound") return { type: "canceled", oid: null, reason: UNFOUND, filled: null, absence };
  const reason = `${WORDS[absence]}${saidWith(absence, attempt.answerText, refusal)}`;
  return { type: "proven_absent", reason, absence };
}

const OUTLIVED =
  "The exchange keeps no record that old: it is not open and had no fills; it was canceled, or refused when it arrived.";

const NOT_THERE =
  "The exchange keeps no record that old: what was to replace the order is not open and had no fills; it was canceled, or never placed.";

const UNFOUND =
  "By the exchange's own answers to cancels of it there is nothing to cancel, and it had no fills: it was canceled, refused when it arrived, or never arrived.";

const NOT_FOUND =
  "By the exchange's own answers to cancels of it, what was to replace the order is not open, and it had no fills: it was canceled, or never placed.";

/** Of these it is not known whether it ever was there. */
type PerhapsThere = "outlived" | "unfound";

const WORDS = {
  never_ran: "The order was never executed and no longer can be: an empty action has taken its number.",
  refused: "The exchange refused it, in words that are new to this gateway.",
  replaced_nothing: "The order had ended before it could be replaced, and then nothing is placed.",
  left_out:
    "It left no order: the exchange shows other orders of its batch, which ran as one action, and none of this one. It was refused when it arrived.",
  left_nothing:
    "It left no order: the exchange's history has gone on past its end without it. It was refused when it arrived, or never arrived.",
} as const satisfies Record<Exclude<Absence, PerhapsThere>, string>;

function saidWith(absence: Exclude<Absence, PerhapsThere>, answerText: string | null, refusal: string | null): string {
  const said = absence === "refused" ? refusal : answerText;
  return said === null ? "" : ` The exchange had answered: ${printable(said)}`;
}
