/**
 * A hook: one address to which somebody else's server sends alerts, and the bot that they act as. Whatever an alert says, it
 * passes the same gate as a request of that bot's key.
 */

/** `order`: each alert is one order. `target`: an alert says what the bot is to hold. */
export const HOOK_MODES = ["order", "target"] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** `held`: a restore has put it on hold, because the snapshot does not know whether it was revoked since. Each is stricter than the one before it. */
export const HOOK_STATES = ["active", "held", "revoked"] as const;
export type HookState = (typeof HOOK_STATES)[number];

export type Hook = {
  id: string;
  accountId: string;
  /** 1 to 40 of `a-z0-9-`, for people and the log. */
  name: string;
  /** Of the API key with rails as which it acts. */
  keyHash: string;
  /** Hex SHA-256 of what stands in its address. */
  secretHash: string;
  mode: HookMode;
  /** The only market that its alerts may name; null where each names one. */
  market: string | null;
  /** An alert that is older is not carried out. */
  maxAgeMs: number;
  /** Alerts without a time that say the same within this are one. */
  sameWithinMs: number;
  /** Of an order without a price, basis points from the best one. */
  maxSlippageBps: number;
  /** Networks from which alerts may come, joined by commas; null = from anywhere. */
  sources: string | null;
  /** Alerts are kept and never carried out. */
  isRehearsal: boolean;
  state: HookState;
  createdAtMs: number;
};

export const DEFAULT_MAX_AGE_S = 60;
export const MOST_MAX_AGE_S = 3_600;
/** Covers a sender that gives up after 3 s and sends again after 5 s, three times. */
export const DEFAULT_SAME_WITHIN_S = 60;
export const MOST_SAME_WITHIN_S = 86_400;
/** Hooks of one account that are not revoked, at most. */
export const MAX_HOOKS = 64;

/** From which TradingView sends, by its own documentation. */
export const TRADINGVIEW_SOURCES = "34.212.75.30/32,52.32.178.7/32,52.89.214.238/32,54.218.53.128/32";

/** What is asked for where a hook is made. */
export type WantedHook = Omit<Hook, "id" | "accountId" | "secretHash" | "state" | "createdAtMs">;

export function isHookName(text: string): boolean {
  return /^[a-z0-9-]{1,40}$/.test(text);
}

/**
 * What became of an alert. `accepted`: it is to be carried out. `superseded`: a newer one has said what is to be held.
 * `rehearsed`: kept to be shown, by a hook that carries nothing out.
 */
export const DELIVERY_STATUSES = ["accepted", "done", "too_old", "superseded", "refused", "rehearsed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type Delivery = {
  id: number;
  hookId: string;
  receivedAtMs: number;
  /** What the alert says of its own time; null where it says none or could not be read. */
  alertAtMs: number | null;
  /** Null where the alert could not be read. */
  market: string | null;
  /** As it came, cut where it is too long to be an alert. */
  body: string;
  /** Hex SHA-256 over what the alert says. */
  identity: string;
  status: DeliveryStatus;
  /** Orders that were placed for it. */
  steps: number;
  orderId: string | null;
  /** In words, why it came to nothing or to less; null where there is nothing to say. Of one that waits, why it increases nothing. */
  reason: string | null;
  endedAtMs: number | null;
  /** How often the same came again. */
  repeats: number;
  /** A stop was ended while it waited: it increases nothing any more. */
  isHeldBack: boolean;
};

/** Name of the n-th order of an alert. With spaces, so that it is no client's Idempotency-Key; an alert that says its time has it again after a restore. */
export function nameOfAlertOrder(
  { id }: Pick<Hook, "id">,
  { identity, alertAtMs, receivedAtMs }: Pick<Delivery, "identity" | "alertAtMs" | "receivedAtMs">,
  step: number,
): string {
  const when = alertAtMs === null ? ` ${receivedAtMs}` : "";
  return `hook ${id} ${identity.slice(0, IDENTITY_DIGITS)}${when} ${step}`;
}

/** Digits of an identity that are enough to tell alerts of one hook apart. */
const IDENTITY_DIGITS = 32;

/** When it may be carried out last. */
export function carriedOutUntilMs(
  { maxAgeMs }: Pick<Hook, "maxAgeMs">,
  { alertAtMs, receivedAtMs }: Pick<Delivery, "alertAtMs" | "receivedAtMs">,
): number {
  return (alertAtMs ?? receivedAtMs) + maxAgeMs;
}
