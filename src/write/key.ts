import { ApiError } from "../core/errors.ts";
import { decide, type KeyAnswer, type KeyRecord, type WriteAnswer } from "../core/idempotency.ts";
import type { ToWrite, With } from "../deps.ts";
import { NOT_LOOKED_AT } from "../settle/pre-trade/obstacles.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import type { Store } from "../store/open.ts";
import { adoptKey } from "./adopt.ts";
import { asItStands } from "./as-it-stands.ts";
import type { Caller } from "./caller.ts";
import { contradicted } from "./contradicted.ts";
import { differences } from "./differences.ts";
import type { Write } from "./verb.ts";

/** What every write carries besides its own terms. */
export type WriteKey = Pick<KeyRecord, "fingerprint" | "idempotencyKey">;

/** What every write has of the request for it: who asks, under which key, and that it has arrived now. */
export function requestOf(
  { clock }: With<"clock">,
  caller: Caller,
  { idempotencyKey, fingerprint }: WriteKey,
): Pick<Write, "accountId" | "caller" | "startedElapsedMs" | "fingerprint" | "idempotencyKey"> {
  return { caller, accountId: caller.account.id, idempotencyKey, fingerprint, startedElapsedMs: clock.elapsedMs() };
}

/**
 * Answers a write whose key has been used: replayed, joined while it runs, or as the row stands. Null when the
 * key is free. Throws `idempotency_key_reused` for another request under the same key.
 */
export async function answerEarlier(deps: ToWrite, write: Write): Promise<WriteAnswer | null> {
  await adoptKey(deps, write);
  const record = findKeyRecord(deps.store, write.accountId, write.idempotencyKey);
  if (record === null) return null;
  write.caller.charge("reads");
  return answerRecord(deps, record, write);
}

/** The answer that a stored key gives to a request. */
export async function answerRecord(
  deps: With<"running" | "state" | "store">,
  record: KeyRecord,
  write: Write,
): Promise<WriteAnswer> {
  switch (decide(record, write.fingerprint)) {
    case "reused":
      throw new ApiError("idempotency_key_reused", reusedMessage(deps.store, record, write));
    case "replay":
      return contradicted(deps.store, record) ?? { ...storedAnswer(record), isReplay: true };
    case "as_it_stands": {
      const joined = deps.running.join(record.accountId, record.idempotencyKey);
      if (joined !== null) return { ...(await joined), isReplay: true };
      // The write may have been settled since the record was read.
      const now = findKeyRecord(deps.store, record.accountId, record.idempotencyKey) ?? record;
      if (now.answer !== null) return { ...now.answer, isReplay: true };
      requireLookedAt(deps);
      return { ...asItStands(deps.store, now.resource), isReplay: true };
    }
    case "first":
      throw new Error("bug: a stored key cannot be a first one");
  }
}

/**
 * Refuses until the start has looked at everything that was open. A power cut may have taken an outcome that was told
 * already and that one look gives back: `unknown` would then take back what was told.
 */
function requireLookedAt({ state: { phase } }: With<"state">): void {
  const isLooking = phase === "trial" || phase === "opening" || phase === "starting";
  if (isLooking) throw new ApiError("not_ready", NOT_LOOKED_AT);
}

function reusedMessage(store: Store, record: KeyRecord, write: Write): string {
  const names = record.route === write.route ? differences(store, record, write.asked) : [];
  const other = names.length === 0 ? "with other parameters" : `with another ${names.join(", ")}`;
  const what = record.route === write.route ? other : `for ${record.route}`;
  return `This Idempotency-Key has been used ${what}. Nothing was sent. Use a new key for a new action.`;
}

function storedAnswer(record: KeyRecord): KeyAnswer {
  if (record.answer === null) throw new Error("bug: no answer stored");
  return record.answer;
}
