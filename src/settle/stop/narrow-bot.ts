import { printNarrowing, printRails } from "../../core/rails/grammar.ts";
import { type Narrowing, narrowed } from "../../core/rails/narrow.ts";
import type { Rails } from "../../core/rails/rails.ts";
import type { Stop } from "../../core/stop.ts";
import { newUuid } from "../../core/uuid.ts";
import type { With } from "../../deps.ts";
import type { StoredKey } from "../../store/api-keys.ts";
import { listBotGrants } from "../../store/bots.ts";
import { insertNarrowing, railsOf } from "../../store/narrowings.ts";
import type { Store } from "../../store/open.ts";
import { beginStop } from "./begin-stop.ts";

export type WantedNarrowing = {
  /** One of the bot's keys. */
  key: Pick<StoredKey, "accountId" | "keyHash" | "limited">;
  narrowing: Narrowing;
  /** What is out and could increase goes; else it stays, whatever it comes to. */
  isToCancel: boolean;
  /** Key hash or `operator`. */
  actor: string;
};

/** Inside the caller's transaction: from its commit on the tighter of all holds. Null for a plain key. */
export function narrowBot(
  store: Store,
  tools: With<"clock" | "randomBytes">,
  { key, narrowing, isToCancel, actor }: WantedNarrowing,
): { rails: Rails; stop: Stop | null } | null {
  const { accountId, keyHash, limited } = key;
  if (limited === null) return null;
  const before = railsOf(store, key, limited);
  const rails = narrowed(before, narrowing);
  // Said again, or looser than what holds already: there is nothing to keep.
  if (JSON.stringify(printRails(before)) !== JSON.stringify(printRails(rails))) {
    const id = newUuid(tools.randomBytes(16));
    const row = { id, accountId, bot: before.bot, rails: JSON.stringify(printNarrowing(before, narrowing)), actor };
    // A grant may be from a clock that is ahead of ours, and what narrows it is never taken for older than it.
    const [grant] = listBotGrants(store, accountId, before.bot);
    insertNarrowing(store, { ...row, createdAtMs: Math.max(tools.clock.nowMs(), grant?.issuedAtMs ?? 0) });
  }
  if (!isToCancel) return { rails, stop: null };
  const wanted = { accountId, scope: "bot", keyHash, cause: "narrowed", keepsProtection: true } as const;
  return { rails, stop: beginStop(store, tools, { ...wanted, actor, idempotencyKey: null }) };
}
