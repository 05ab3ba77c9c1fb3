/**
 * One signed action on its way: when it counts as sealed, what a negative look-up is worth, and when "it never
 * happened" may be said. Silence proves nothing while the action can still land, so every final no needs a seal
 * first and clean look-ups after it.
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
  /** Agent address. */
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
  /** The only noop was answered `duplicate` while the action could still land: the action itself took the nonce. */
  hasLanded: boolean;
  /** Clean negative look-ups after the seal. */
  negatives: number;
  /** The exchange's text, kept to be shown when this ends as "not executed". */
  answerText: string | null;
  settledAtMs: number | null;
};

/** Chain time has to pass the expiry by this much before the expiry counts, milliseconds. */
export const EXPIRY_MARGIN_MS = 3_000;

/** Shortest time between two noops of one attempt, milliseconds. */
export const NOOP_SPACING_MS = 6_000;

/** Shortest time between two look-ups that both count, milliseconds. */
export const NEGATIVE_SPACING_MS = 1_000;

const NEGATIVES_NEEDED = { noop: 1, nonce_taken: 6, expiry: 6 } as const satisfies Record<Seal, number>;
const NEGATIVES_NEEDED_WHEN_LANDED = 24;

/** Every sixth counting look is the sweep over open orders, history and fills; the last one always is. */
const SWEEP_EVERY = 6;
/** Every third counting look goes over a connection of its own: six looks at one stuck node are one look. */
const NEW_CONNECTION_EVERY = 3;

export function negativesNeeded(attempt: Pick<Attempt, "seal" | "hasLanded">): number {
  if (attempt.seal === null) return Number.POSITIVE_INFINITY;
  if (attempt.seal === "nonce_taken" && attempt.hasLanded) return NEGATIVES_NEEDED_WHEN_LANDED;
  return NEGATIVES_NEEDED[attempt.seal];
}

/** How the next look-up is to be made: the sweep covers what a look-up by client order id can miss. */
export function nextLook(attempt: Pick<Attempt, "seal" | "hasLanded" | "negatives">): {
  isSweep: boolean;
  onNewConnection: boolean;
} {
  const nth = attempt.negatives + 1;
  return {
    isSweep: attempt.seal !== null && (nth % SWEEP_EVERY === 0 || nth >= negativesNeeded(attempt)),
    onNewConnection: nth % NEW_CONNECTION_EVERY === 0,
  };
}

/** The seal that chain time alone gives, or the one there already is. */
export function sealByTime(attempt: Pick<Attempt, "seal" | "expiresAtMs">, chainTimeMs: number): Seal | null {
  if (attempt.seal !== null) return attempt.seal;
  return chainTimeMs > attempt.expiresAtMs + EXPIRY_MARGIN_MS ? "expiry" : null;
}

export type NoopAnswer = "ok" | "nonce_taken" | "no_information";

/** What the answer to a noop on the attempt's own nonce proves. */
export function sealByNoop(
  attempt: Pick<Attempt, "seal" | "noops" | "expiresAtMs" | "hasLanded">,
  answer: NoopAnswer,
  chainTimeMs: number,
): Pick<Attempt, "seal" | "hasLanded"> {
  if (attempt.seal !== null || answer === "no_information") return attempt;
  if (answer === "ok") return { seal: "noop", hasLanded: false };
  // A second noop could have met the first one's copy: only a single one, answered in time, shows who took the nonce.
  return { seal: "nonce_taken", hasLanded: attempt.noops === 1 && chainTimeMs < attempt.expiresAtMs };
}

/** After the expiry a noop proves nothing that the expiry has not sealed, and a pruned nonce set would lie. */
export function mayNoop(attempt: Pick<Attempt, "seal" | "expiresAtMs">, chainTimeMs: number): boolean {
  return attempt.seal === null && chainTimeMs < attempt.expiresAtMs;
}

/** True when the action is proven never to have been executed. */
export function isProvenAbsent(attempt: Pick<Attempt, "seal" | "hasLanded" | "negatives">): boolean {
  return attempt.negatives >= negativesNeeded(attempt);
}

/** Look-up delays after the outcome was lost, milliseconds; the last one repeats until sealed, then every second. */
const LOOK_DELAYS_MS = [0, 500, 1_000, 2_000, 4_000] as const;
const LOOK_DELAY_SEALED_MS = 1_000;

/** Milliseconds to wait before the look-up with this number (0 = the first). */
export function lookDelayMs(lookNumber: number, isSealed: boolean): number {
  if (isSealed) return LOOK_DELAY_SEALED_MS;
  return LOOK_DELAYS_MS[Math.min(lookNumber, LOOK_DELAYS_MS.length - 1)] ?? LOOK_DELAY_SEALED_MS;
}
