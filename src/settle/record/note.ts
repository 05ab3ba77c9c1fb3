import type { Attempt } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import { appendNote } from "../../store/notes.ts";

/** What notes call it that the exchange has shown what we had taken for refused or never sent: what its keys have answered was not so. */
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
