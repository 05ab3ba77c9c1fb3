/**
 * What the person at this page wants done, one Idempotency-Key each. The key is written down before the request leaves
 * and kept until the answer is known, so that neither a lost answer nor a reload can turn one wish into two orders.
 */
import { type ApiAnswer, type ApiRefusal, member, request } from "./request.ts";

export type Intention = {
  /** The Idempotency-Key. */
  key: string;
  path: string;
  /** JSON text; a repeat sends exactly these bytes. */
  body: string;
  /** What it is, for people: `buy 0.01 BTC at 60000`. */
  words: string;
  createdAtMs: number;
  state: "sending" | "waiting" | "unsure";
  /** An earlier request with this key was lost on the way: it may have done what it asks for. */
  mayHaveHappened: boolean;
  /** Why it is not known yet. */
  reason: string | null;
};

export type Outcome = { kind: "done"; status: number; body: unknown; isReplay: boolean } | ApiRefusal;

/** Milliseconds within which a repeat happens by itself; after that the person is asked. */
export const OWN_REPEATS_MS = 60_000;
/** Requests for one intention without being asked again. */
const MAX_TRIES = 8;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Intentions without an answer that are kept. */
const MAX_KEPT = 50;

export type IntentionPursuit = {
  bearer: string;
  nowMs: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Told after every change, to show and to store it. */
  changed: (intention: Intention) => void;
  /** False once another window has heard the answer, or a person has put it aside. */
  isWanted: () => boolean;
};

/** Sends it, and repeats it with the same key until the answer is known or the time is up (then null). */
export async function pursue(intention: Intention, pursuit: IntentionPursuit): Promise<Outcome | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!pursuit.isWanted()) return null;
    set(intention, pursuit, { state: "sending" });
    const answer = await request<unknown>({
      method: "POST",
      path: intention.path,
      bearer: pursuit.bearer,
      idempotencyKey: intention.key,
      body: intention.body,
    });
    const outcome = conclude(intention, answer);
    if (outcome !== null) return outcome;
    if (!pursuit.isWanted()) return null;
    const isLost = answer.kind === "lost";
    const mayHaveHappened = intention.mayHaveHappened || isLost;
    set(intention, pursuit, {
      state: "waiting",
      mayHaveHappened,
      reason: answer.kind === "ok" ? null : answer.message,
    });
    if (pursuit.nowMs() - intention.createdAtMs > OWN_REPEATS_MS) break;
    await pursuit.sleep(pauseMs(tries, answer));
  }
  set(intention, pursuit, { state: "unsure" });
  return null;
}

function set(intention: Intention, pursuit: IntentionPursuit, change: Partial<Intention>): void {
  Object.assign(intention, change);
  pursuit.changed(intention);
}

/** The outcome where the answer is one; null where the same request has to be made again. */
function conclude(intention: Intention, answer: ApiAnswer<unknown>): Outcome | null {
  if (answer.kind === "lost") return null;
  if (answer.kind === "ok") {
    return { kind: "done", status: answer.status, body: answer.body, isReplay: answer.isReplay };
  }
  if (isPassing(answer)) return null;
  // A refusal speaks for its own request only: where an earlier one was lost, not even 401 or 403 is an answer.
  const saysNothing = intention.mayHaveHappened && [401, 403, 503].includes(answer.status);
  return saysNothing ? null : answer;
}

function isPassing({ status, retryAfterS }: ApiRefusal): boolean {
  return status === 429 || (retryAfterS !== null && (status === 503 || status === 409));
}

function pauseMs(tries: number, answer: ApiAnswer<unknown>): number {
  const asked = answer.kind === "refused" ? (answer.retryAfterS ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS));
}

/** One item of storage each, so that two windows on one account do not overwrite each other's. */
const STORE = "postern.intention.";

/** Those of this account whose answer is not known, as an earlier life of this page left them. */
export function readIntentions(storage: Storage, account: string): Intention[] {
  const prefix = `${STORE}${account}.`;
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
  return names
    .filter((name) => name.startsWith(prefix))
    .slice(0, MAX_KEPT)
    .flatMap((name) => parsed(storage.getItem(name)))
    .sort((one, other) => one.createdAtMs - other.createdAtMs);
}

function parsed(text: string | null): Intention[] {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    return isIntention(kept) ? [kept] : [];
  } catch {
    return [];
  }
}

export function isKept(storage: Storage, account: string, { key }: Pick<Intention, "key">): boolean {
  return storage.getItem(`${STORE}${account}.${key}`) !== null;
}

/** False where the browser will not keep it: then nothing may be sent. */
export function keepIntention(storage: Storage, account: string, intention: Intention): boolean {
  try {
    storage.setItem(`${STORE}${account}.${intention.key}`, JSON.stringify(intention));
    return true;
  } catch {
    return false;
  }
}

export function forgetIntention(storage: Storage, account: string, { key }: Pick<Intention, "key">): void {
  storage.removeItem(`${STORE}${account}.${key}`);
}

function isIntention(value: unknown): value is Intention {
  const texts = ["key", "path", "body", "words", "state"].map((name) => member(value, name));
  return texts.every((text) => typeof text === "string") && typeof member(value, "createdAtMs") === "number";
}
