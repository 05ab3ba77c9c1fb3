import { ApiError } from "../core/errors.ts";
import type { KeyAnswer, KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import type { ToWrite, With } from "../deps.ts";
import { within } from "../settle/within.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { listUnsettledOfBatch } from "../store/batches.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import { asItStands } from "./as-it-stands.ts";
import { answerRecord } from "./key.ts";
import type { Write } from "./verb.ts";

/**
 * The work that follows a stored intent. Resolves with the key's answer where the work has fixed it; null where that
 * has to be read from the store.
 */
type AfterIntent = () => Promise<KeyAnswer | null>;

/**
 * Runs the work that follows a stored intent, and answers at the deadline at the latest. No exception leaves from here
 * on: an outcome that is not known by then is 202, and the work goes on by itself, whether or not the client is still
 * there. The one exception is an intent that `work` has given back: nobody has been told anything of it.
 */
export function answerInTime(
  deps: ToWrite,
  write: Write,
  resource: KeyRecord["resource"],
  work: AfterIntent,
): Promise<WriteAnswer> {
  const answer = answerByDeadline(deps, write, resource, work);
  deps.running.start(write.accountId, write.idempotencyKey, answer);
  return answer;
}

/**
 * Answers a write whose key another request has used while this one planned, at this write's deadline at the latest:
 * the other may have come later, and be answered later.
 */
export async function answerEarlierInTime(deps: ToWrite, record: KeyRecord, write: Write): Promise<WriteAnswer> {
  const earlier = answerRecord(deps, record, write);
  const spentMs = deps.clock.elapsedMs() - write.startedElapsedMs;
  const leftMs = Math.max(0, deps.settings.timings.answerDeadlineMs - spentMs);
  const answer = await within(deps.clock, leftMs, earlier);
  if (answer !== null) return answer;
  const now = findKeyRecord(deps.store, record.accountId, record.idempotencyKey);
  // The earlier write was given back meanwhile, or has its answer: what it ends with is there at once.
  if (now === null || now.answer !== null) return earlier;
  deps.running.tell(record.accountId, record.idempotencyKey);
  return { ...asItStands(deps.store, now.resource), isReplay: true };
}

async function answerByDeadline(
  deps: ToWrite,
  write: Write,
  resource: KeyRecord["resource"],
  work: AfterIntent,
): Promise<WriteAnswer> {
  const done = runToTheEnd(deps, write, resource, work);
  const spentMs = deps.clock.elapsedMs() - write.startedElapsedMs;
  const leftMs = Math.max(0, deps.settings.timings.answerDeadlineMs - spentMs);
  const answer = await within(deps.clock, leftMs, done);
  await deps.point("before_reply");
  if (answer !== null) return { ...answer, isReplay: false };
  const now = findKeyRecord(deps.store, write.accountId, write.idempotencyKey);
  // The intent was given back at the very moment of the deadline: `done` throws the refusal, which is the answer.
  if (now === null) await done;
  if (now !== null && now.answer !== null) return { ...now.answer, isReplay: false };
  deps.running.tell(write.accountId, write.idempotencyKey);
  return asItStands(deps.store, resource);
}

async function runToTheEnd(
  deps: With<"log" | "point" | "settling" | "store">,
  write: Write,
  resource: KeyRecord["resource"],
  work: AfterIntent,
): Promise<KeyAnswer | null> {
  try {
    await deps.point("after_intent");
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    deps.log.error({ resource: resource.id, error: String(error) }, "a write failed after its intent was stored");
    await pursueWhatIsOpen(deps, write.idempotencyKey, resource);
    return null;
  }
}

/**
 * After a fault of ours, or of the disk, behind the intent: pursues its open attempts as if the answer had been lost.
 */
async function pursueWhatIsOpen(
  deps: With<"settling" | "store">,
  idempotencyKey: string,
  { kind, id }: KeyRecord["resource"],
): Promise<void> {
  const ids = kind === "batch" ? listUnsettledOfBatch(deps.store, id) : [id];
  const attempts = ids.flatMap((each) => listAttemptsOf(deps.store, each));
  const open = attempts.filter((each) => each.state !== "done" && each.idempotencyKey === idempotencyKey);
  await Promise.all(open.map((each) => deps.settling.pursue(each.id)));
}
