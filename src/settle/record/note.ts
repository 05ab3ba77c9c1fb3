import type { Attempt } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import { appendNote } from "../../store/notes.ts";

/** Name of the note that the exchange shows what we took for refused or never sent: its keys had answered wrongly. */
export const OVERRULED = "overruled";

/** Writes down one step on the way to the truth. Inside the caller's transaction. */
export function note(world: With<"clock" | "store">, attempt: Attempt, what: string, detail: string): void {
  appendNote(world.store, {
    resourceId: attempt.resource.id,
    attemptId: attempt.id,
    atMs: world.clock.nowMs(),
    what,
    detail,
  });
}
