/** A key by its account: two accounts may use one text. */
export type KeyName = { accountId: string; idempotencyKey: string };

/**
 * What is kept of an Idempotency-Key from the moment its intent is stored. It is never forgotten with age: it goes only when it is
 * proven that nothing of its request left, or, after a restore, when it passes to the order that it has placed.
 */
export type KeyRecord = KeyName & {
  /** Method and path of the request, `POST /v1/orders`, for the message that says what differs; of our own, who asked: `trade`. */
  route: string;
  /** Pure function of the request, made before anything is looked up. */
  fingerprint: string;
  /** The order, operation, batch or cancel-all of orders whose state answers while the outcome is unknown; or a trade. */
  resource: { kind: "order" | "operation" | "batch" | "cancel_all" | "trade"; id: string };
  /** Null while it runs or is unknown; then the status and body that every repeat gets, byte for byte. */
  answer: KeyAnswer | null;
  createdAtMs: number;
};

export type KeyAnswer = { status: 200 | 201; body: string };

/** What a write is answered with: for good, or 202 while that is not known. `body` is JSON text and goes out as it is. */
export type WriteAnswer = (KeyAnswer | { status: 202; body: string }) & {
  /** True when this key has been answered (or is being answered) by an earlier request. */
  isReplay: boolean;
};

export type KeyDecision = "first" | "replay" | "as_it_stands" | "reused";

/** What a request with this key is, given what the key has been used for. */
export function decide(record: KeyRecord | null, fingerprint: string): KeyDecision {
  if (record === null) return "first";
  if (record.fingerprint !== fingerprint) return "reused";
  return record.answer === null ? "as_it_stands" : "replay";
}

/**
 * The name under which a client's Idempotency-Key is kept. A bot's names are its own: no other bot or key of the account can
 * use one up. No client's own key has a tab.
 */
export function keyOfBot(bot: string | null, key: string): string {
  return bot === null ? key : `${bot}\t${key}`;
}

/** The key as its client has sent it. */
export function keyAsSent(key: string): string {
  return key.slice(key.indexOf("\t") + 1);
}

/** Most orders of one batch: more weigh more at the exchange. */
export const MAX_BATCH_ORDERS = 39;

/** What the ids of an order of a batch are made of: no client's own key, nor a bot's name for one, has a line feed. */
export function keyInBatch(key: string, index: number): string {
  return `${key}\n${index}`;
}
