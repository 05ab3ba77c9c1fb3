/**
 * One signed action on its way: what is known of its number, when it can run no more, and when it is looked for next. What
 * may be concluded from that is in `core/evidence`.
 */

export type AttemptKind = "place" | "modify" | "cancel" | "leverage" | "isolated_margin" | "twap" | "twap_cancel";

/**
 * Why the signed action can no longer be executed: its own nonce was burnt by our `noop`, its nonce is taken (by
 * itself, a copy of it, or a copy of our noop), or the chain has passed its `expiresAfter`.
 */
export type Seal = "noop" | "nonce_taken" | "expiry";

export type Attempt = {
  id: number;
  kind: AttemptKind;
  accountId: string;
  /** The order or operation that it acts on. */
  resource: { kind: "order" | "operation"; id: string };
  idempotencyKey: string;
  /** Address of the agent that signs it. */
  signer: string;
  nonce: number;
  /** `expiresAfter` of the signed action: exchange time, unix milliseconds. */
  expiresAtMs: number;
  vaultAddress: string | null;
  /** JSON text of the wire action. The signature is never kept. */
  action: string;
  /** Client order id that it places, null for actions that place nothing. */
  cloid: string | null;
  /** Native id that it cancels or replaces. */
  targetOid: string | null;
  /** Of a modify: the order that it replaces was closed before it was sent, so what it places is a new order. */
  isTargetClosed: boolean;
  /** Of a price-only modify: what the whole order is for, decimal text; a replacement beyond it is reduced once. */
  intendedTotal: string | null;
  state: "prepared" | "ambiguous" | "done";
  createdAtMs: number;
  /** Wall time just before the first byte may have left; null when it never came to that. */
  sentAtMs: number | null;
  /** Noops signed on this nonce, counted before each is sent. */
  noops: number;
  seal: Seal | null;
  /**
   * The only noop was answered `duplicate` while the action could still run: the action itself took the nonce. Of a cancel
   * as well: the exchange answered that it was carried out.
   */
  hasLanded: boolean;
  /** How many answers, of separate requests, witness that the exchange does not have what it placed (`isWitness`). */
  negatives: number;
  /** The exchange's text, kept to be shown when this ends as "not executed". */
  answerText: string | null;
  settledAtMs: number | null;
};

/** What an attempt begins with, whatever is signed under it: nothing of it has left. */
export const UNSENT = {
  isTargetClosed: false,
  intendedTotal: null,
  state: "prepared",
  sentAtMs: null,
  noops: 0,
  seal: null,
  hasLanded: false,
  negatives: 0,
  answerText: null,
  settledAtMs: null,
} as const satisfies Partial<Attempt>;

/** What of an attempt changes. */
export type AttemptChange = Partial<
  Pick<
    Attempt,
    | "state"
    | "sentAtMs"
    | "isTargetClosed"
    | "noops"
    | "seal"
    | "hasLanded"
    | "negatives"
    | "answerText"
    | "settledAtMs"
  >
>;

/**
 * Room for the block that may still take an action at its expiry, milliseconds: later than expiry and this, by the
 * exchange's own time, it cannot run.
 */
export const EXPIRY_MARGIN_MS = 3_000;

/** Exchange time after which nothing of the action can happen any more, unix milliseconds. */
export function endsAtMs({ expiresAtMs }: Pick<Attempt, "expiresAtMs">): number {
  return expiresAtMs + EXPIRY_MARGIN_MS;
}

/**
 * Exchange time after which nothing of the action can happen any more, where its number was found to be taken before that: no number
 * is taken twice, so that it ran by then or never does.
 *
 * @param takenByMs by when, at the latest, its number was known to be taken, exchange time; null while it is not
 */
export function overByMs(attempt: Pick<Attempt, "expiresAtMs">, takenByMs: number | null): number {
  return takenByMs === null ? endsAtMs(attempt) : Math.min(endsAtMs(attempt), takenByMs);
}

/** How long after its end a refused action's copy is looked for, where that cannot be asked at once, milliseconds. */
const COPIES_LOOKED_FOR_MS = 60 * 60_000;

/**
 * Refused actions that left their number unused and expired before this (unix milliseconds) are waited for no longer.
 */
export function copiesSinceMs(exchangeNowMs: number): number {
  return exchangeNowMs - EXPIRY_MARGIN_MS - COPIES_LOOKED_FOR_MS;
}

/** Shortest time between two noops of one attempt, milliseconds; longer once it has expired and cannot run any more. */
const NOOP_SPACING_MS = { open: 6_000, expired: 30_000 } as const;

/** Shortest time between two answers that both count as witnesses of an absence, milliseconds. */
export const WITNESS_SPACING_MS = 1_000;

/**
 * What the answer to a noop says of its nonce: `ok`, ours took it; `duplicate`, something took it before; `too_low`, it is
 * below all that the exchange still takes, whoever took it or not.
 */
export type NoopAnswer = "ok" | "duplicate" | "too_low" | "no_information";

/** What the answer to a noop on the attempt's own nonce proves. */
export function sealByNoop(
  attempt: Pick<Attempt, "seal" | "noops" | "expiresAtMs" | "hasLanded">,
  answer: NoopAnswer,
  exchangeNowMs: number,
): Pick<Attempt, "seal" | "hasLanded"> {
  if (attempt.seal !== null || answer === "no_information") return attempt;
  if (answer === "ok") return { seal: "noop", hasLanded: false };
  // A second noop could have met the first one's copy, and an action that comes too late takes its number as well.
  const isOwn = answer === "duplicate" && attempt.noops === 1 && exchangeNowMs < attempt.expiresAtMs;
  return { seal: "nonce_taken", hasLanded: isOwn };
}

/** Nonces are taken for two days; one day leaves room for any error of a clock, milliseconds. */
const NOOP_REACH_MS = 24 * 60 * 60 * 1_000;

/**
 * Whether a noop on the number can prove anything. After the expiry too: a number that nobody has used proves that the
 * action never ran.
 */
export function mayNoop(attempt: Pick<Attempt, "seal" | "nonce">, exchangeNowMs: number): boolean {
  return attempt.seal === null && exchangeNowMs < attempt.nonce + NOOP_REACH_MS;
}

/** True when enough time has passed since the last noop of the attempt, which was sent at this elapsed time. */
export function isNoopDue(lastMs: number | null, nowMs: number, isExpired: boolean): boolean {
  return lastMs === null || nowMs - lastMs >= NOOP_SPACING_MS[isExpired ? "expired" : "open"];
}

/** Look-up delays after the outcome was lost, milliseconds; the last one repeats. */
const LOOK_DELAYS_MS = [0, 500, 550, 1_000, 1_000, 2_000, 4_000] as const;
/**
 * Look-up delays after a cancel, milliseconds; then as after an outcome that was lost. The first look may come before
 * any store is newer than the close, and the close is proven by two looks, a second apart: the third or fourth has
 * them.
 */
const CANCEL_LOOK_DELAYS_MS = [0, 500, 550, 500, 500, 1_000, 1_000, 1_000] as const;
/** Look-up delay once nothing has been found for two minutes, milliseconds. */
const LOOK_DELAY_PATIENT_MS = 10_000;
const PATIENT_AFTER_LOOKS = 40;

/** Milliseconds to wait before the look-up with this number (0 = the first). */
export function lookDelayMs(lookNumber: number, kind: AttemptKind): number {
  const early = kind === "cancel" ? CANCEL_LOOK_DELAYS_MS[lookNumber] : undefined;
  if (early !== undefined) return early;
  if (lookNumber >= PATIENT_AFTER_LOOKS) return LOOK_DELAY_PATIENT_MS;
  return LOOK_DELAYS_MS[Math.min(lookNumber, LOOK_DELAYS_MS.length - 1)] ?? LOOK_DELAY_PATIENT_MS;
}

/**
 * Delays between sweeps, milliseconds: at once, then ever more seldom, because a sweep of an account costs a tenth of a
 * minute's weight. They begin anew when the action can run no more, and when one has witnessed that it left nothing.
 */
const SWEEP_DELAYS_MS = [0, 1_500, 3_000, 6_000, 12_000, 30_000] as const;

/** Milliseconds from the sweep before to the one with this number (0 = the first). */
export function sweepDelayMs(sweepNumber: number): number {
  return SWEEP_DELAYS_MS[Math.min(sweepNumber, SWEEP_DELAYS_MS.length - 1)] ?? 0;
}
