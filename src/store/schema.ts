import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Decimal } from "../core/decimal.ts";
import type { LegAbsence } from "../core/order.ts";

/** One row: what this data directory is. */
export const instance = sqliteTable("instance", {
  id: integer().primaryKey(),
  network: text().$type<"mainnet" | "testnet" | "paper">().notNull(),
  exchangeUrl: text().notNull(),
  /** 0 to 4095; carried by every order id, so that a restored database knows its own orders. */
  tag: integer().notNull(),
  /** 32 bytes; makes order ids a function of (account, Idempotency-Key). */
  secret: blob({ mode: "buffer" }).notNull(),
  /** JSON: parameters of the passphrase's key derivation. */
  vault: text().notNull(),
  createdAtMs: integer().notNull(),
});

export const accounts = sqliteTable("accounts", {
  id: text().primaryKey(),
  label: text().notNull(),
  kind: text().$type<"main" | "subaccount" | "vault" | "copy">().notNull(),
  ownerAddress: text().notNull(),
  tradingAddress: text().notNull(),
  parentId: text(),
  createdAtMs: integer().notNull(),
});

export const agents = sqliteTable("agents", {
  address: text().primaryKey(),
  ownerAddress: text().notNull(),
  name: text().notNull(),
  state: text().$type<"new" | "approved" | "retired">().notNull(),
  /** The private key, encrypted; never in the clear. */
  sealedKey: blob({ mode: "buffer" }).notNull(),
  createdAtMs: integer().notNull(),
  approvedAtMs: integer(),
  validUntilMs: integer(),
});

export const apiKeys = sqliteTable(
  "api_keys",
  {
    keyHash: text().primaryKey(),
    accountId: text().notNull(),
    /** Sorted, comma-joined. */
    scopes: text().notNull(),
    issuedAtMs: integer().notNull(),
    registeredAtMs: integer().notNull(),
    /** To the minute; null before its first request. */
    lastUsedAtMs: integer(),
    /** `blocked` by the operator, `held` after a restore; revocations are rows of their own. */
    state: text().$type<"active" | "blocked" | "held">().notNull(),
    /** From here on the rest of what the owner signed, and the signature; all null for a key of before they were kept. */
    audience: text(),
    network: text(),
    expiresAtMs: integer(),
    signature: text(),
    /** JSON of the message that the owner signed of a limited key; null for a plain one. */
    limitedGrant: text(),
  },
  (table) => [index("api_keys_account").on(table.accountId)],
);

/** Revocations belong to (account, hash) and may come before the key does. One-way. */
export const revocations = sqliteTable(
  "revocations",
  {
    accountId: text().notNull(),
    keyHash: text().notNull(),
    revokedAtMs: integer().notNull(),
    /** The rest of what the owner signed, and the signature; null for one of before they were kept. */
    audience: text(),
    signature: text(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.keyHash] })],
);

export const orders = sqliteTable(
  "orders",
  {
    /** Of the sequence of `attempts.id`: it is the id of the attempt that places this order. */
    number: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    accountId: text().notNull(),
    market: text().notNull(),
    assetId: integer().notNull(),
    side: text().$type<"buy" | "sell">().notNull(),
    size: text().notNull(),
    price: text().notNull(),
    timeInForce: text().$type<"gtc" | "ioc" | "alo">().notNull(),
    reduceOnly: integer({ mode: "boolean" }).notNull(),
    triggerPrice: text(),
    triggerKind: text().$type<"take_profit" | "stop_loss">(),
    triggerMarket: integer({ mode: "boolean" }),
    status: text()
      .$type<"processing" | "open" | "filled" | "canceled" | "rejected" | "unknown" | "waiting_for_trigger">()
      .notNull(),
    exchangeOrderId: text(),
    filledSize: text().$type<Decimal>(),
    averagePrice: text().$type<Decimal>(),
    error: text(),
    createdAtMs: integer().notNull(),
    /** Hash of the API key that placed it; null for one that was placed elsewhere. */
    keyHash: text(),
    /** Wall time of the last word of the exchange about it. */
    seenAtMs: integer(),
    /** Wall time at which the operator gave it up as unknown; null where nobody did, and once there is news of it. */
    releasedAtMs: integer(),
    /** Counts up with every change: an update applies only over the version it was decided on. */
    version: integer().notNull(),
    /** The Idempotency-Key that placed it; null for one that was placed elsewhere. */
    idempotencyKey: text(),
    /** The batch that it was placed in, and which of its orders it is; null and 0 for one that was placed by itself. */
    batchId: text(),
    batchIndex: integer().notNull().default(0),
    /** Of that key's request. Null when the key answers with something else, or with nothing. */
    fingerprint: text(),
    answerStatus: integer().$type<200 | 201>(),
    answerBody: text(),
    /** From here on the attempt that places it, as in `attempts`; all null where there is none. */
    signer: text(),
    nonce: integer(),
    expiresAtMs: integer(),
    vaultAddress: text(),
    action: text(),
    attemptState: text().$type<"prepared" | "ambiguous" | "done">(),
    attemptedAtMs: integer(),
    sentAtMs: integer(),
    noops: integer(),
    seal: text().$type<"noop" | "nonce_taken" | "expiry">(),
    hasLanded: integer({ mode: "boolean" }),
    negatives: integer(),
    answerText: text(),
    settledAtMs: integer(),
    /** From here on its first leg, as in `legs`; all null where that has a row of its own. */
    legOid: text(),
    legSize: text().$type<Decimal>(),
    legPrice: text(),
    legTimeInForce: text().$type<"gtc" | "ioc" | "alo">(),
    legTriggerPrice: text(),
    legTriggerKind: text().$type<"take_profit" | "stop_loss">(),
    legTriggerMarket: integer({ mode: "boolean" }),
    legState: text().$type<
      "sent" | "resting" | "armed" | "closing" | "filled" | "canceled" | "rejected" | "absent" | "lost"
    >(),
    legFilledSize: text().$type<Decimal>(),
    legFilledNotional: text().$type<Decimal>(),
    legReason: text(),
    legIsExchangesWord: integer({ mode: "boolean" }),
    legAbsence: text().$type<LegAbsence>(),
  },
  (table) => [
    index("orders_leg_oid").on(table.legOid).where(sql`leg_oid is not null`),
    // The orders of a batch leave as one action, under one number.
    uniqueIndex("orders_nonce").on(table.signer, table.nonce, table.batchIndex).where(sql`signer is not null`),
    uniqueIndex("orders_batch").on(table.batchId, table.batchIndex).where(sql`batch_id is not null`),
    index("orders_released").on(table.id).where(sql`released_at_ms is not null`),
    // What one statement ends at once is never in it: `everyOpenAttempt` finds the others that are under way by their status.
    index("orders_attempts_left_open").on(table.number).where(sql`attempt_state <> 'done' and status <> 'processing'`),
    uniqueIndex("orders_key").on(table.accountId, table.idempotencyKey).where(sql`fingerprint is not null`),
    // A list of all of them reads one status after the other: an index for that alone would cost every order a page.
    index("orders_by_status").on(table.accountId, table.status, table.createdAtMs, table.id),
    // Few of these ever, and only the newest are asked for.
    index("orders_absent").on(table.accountId, table.expiresAtMs).where(sql`leg_state = 'absent'`),
    // Few of what is open: an account may have a thousand orders that rest.
    index("orders_reducing").on(table.accountId, table.market, table.status).where(sql`reduce_only = 1`),
  ],
);

/** One exchange order each; an order is its legs. The first leg of a placing stands in its order's row instead. */
export const legs = sqliteTable(
  "legs",
  {
    cloid: text().primaryKey(),
    orderId: text().notNull(),
    oid: text(),
    ordinal: integer().notNull(),
    size: text().$type<Decimal>().notNull(),
    price: text().notNull(),
    timeInForce: text().$type<"gtc" | "ioc" | "alo">().notNull(),
    triggerPrice: text(),
    triggerKind: text().$type<"take_profit" | "stop_loss">(),
    triggerMarket: integer({ mode: "boolean" }),
    state: text()
      .$type<"sent" | "resting" | "armed" | "closing" | "filled" | "canceled" | "rejected" | "absent" | "lost">()
      .notNull(),
    filledSize: text().$type<Decimal>().notNull(),
    filledNotional: text().$type<Decimal>().notNull(),
    reason: text(),
    isExchangesWord: integer({ mode: "boolean" }).notNull(),
    absence: text().$type<LegAbsence>(),
  },
  (table) => [
    index("legs_order").on(table.orderId, table.ordinal),
    index("legs_oid").on(table.oid).where(sql`oid is not null`),
  ],
);

/** One signed action each, but for those that place an order: they stand in its row. (signer, nonce) is the fence: two payloads under one nonce cannot be stored. */
export const attempts = sqliteTable(
  "attempts",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text()
      .$type<"place" | "modify" | "cancel" | "leverage" | "isolated_margin" | "twap" | "twap_cancel">()
      .notNull(),
    accountId: text().notNull(),
    resourceKind: text().$type<"order" | "operation">().notNull(),
    resourceId: text().notNull(),
    idempotencyKey: text().notNull(),
    signer: text().notNull(),
    nonce: integer().notNull(),
    expiresAtMs: integer().notNull(),
    vaultAddress: text(),
    action: text().notNull(),
    cloid: text(),
    targetOid: text(),
    isTargetClosed: integer({ mode: "boolean" }).notNull(),
    intendedTotal: text(),
    state: text().$type<"prepared" | "ambiguous" | "done">().notNull(),
    createdAtMs: integer().notNull(),
    sentAtMs: integer(),
    noops: integer().notNull(),
    seal: text().$type<"noop" | "nonce_taken" | "expiry">(),
    hasLanded: integer({ mode: "boolean" }).notNull(),
    negatives: integer().notNull(),
    answerText: text(),
    settledAtMs: integer(),
  },
  (table) => [
    uniqueIndex("attempts_nonce").on(table.signer, table.nonce),
    index("attempts_resource").on(table.resourceId),
    index("attempts_cloid").on(table.cloid).where(sql`cloid is not null`),
    // Only what is open: a history of any length costs the fast road nothing here.
    index("attempts_open").on(table.id).where(sql`state <> 'done'`),
    index("attempts_answered").on(table.accountId, table.expiresAtMs).where(sql`answer_text is not null`),
  ],
);

/** Keys of all that is no placing: the key of a placing stands in its order's row. A key is in one of the two. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    accountId: text().notNull(),
    idempotencyKey: text("key").notNull(),
    route: text().notNull(),
    fingerprint: text().notNull(),
    resourceKind: text().$type<"order" | "operation" | "batch" | "cancel_all" | "trade">().notNull(),
    resourceId: text().notNull(),
    answerStatus: integer().$type<200 | 201>(),
    answerBody: text(),
    createdAtMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.idempotencyKey] })],
);

/** A number that each agent key is past, besides those of its attempts: of one that was taken back, or by a restore. */
export const signers = sqliteTable("signers", { address: text().primaryKey(), lastNonce: integer().notNull() });

export const operations = sqliteTable(
  "operations",
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    action: text().$type<"leverage" | "isolated_margin" | "twap" | "twap_cancel">().notNull(),
    market: text().notNull(),
    /** JSON of what was asked. */
    parameters: text().notNull(),
    /** JSON of the reading taken before sending, for what can only be told by a difference. */
    before: text(),
    status: text().$type<"processing" | "succeeded" | "rejected" | "unknown">().notNull(),
    exchangeId: text(),
    error: text(),
    createdAtMs: integer().notNull(),
    /** Wall time at which the operator gave it up as unknown; null where nobody did. */
    releasedAtMs: integer(),
    version: integer().notNull(),
    /** Hash of the API key that asked for it; null for what the gateway does by itself, and for one of before it was kept. */
    keyHash: text(),
  },
  (table) => [
    index("operations_history").on(table.accountId, table.createdAtMs, table.id),
    index("operations_by_status").on(table.accountId, table.status, table.createdAtMs),
    index("operations_by_market").on(table.accountId, table.market, table.createdAtMs, table.id),
    index("operations_exchange").on(table.accountId, table.exchangeId).where(sql`exchange_id is not null`),
  ],
);

/** What was seen on the slow road from an unknown outcome to the truth; the fast road leaves no row. */
export const notes = sqliteTable(
  "notes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    resourceId: text().notNull(),
    attemptId: integer(),
    atMs: integer().notNull(),
    what: text().notNull(),
    detail: text().notNull(),
  },
  (table) => [index("notes_resource").on(table.resourceId)],
);

/** Every fill that the exchange ever told us, kept for good: it forgets all but the newest. */
export const fills = sqliteTable(
  "fills",
  {
    accountId: text().notNull(),
    /** `<time>-<coin>-<tid>`, with `-<oid>-<n>` where the trade id is 0. */
    id: text().notNull(),
    timeMs: integer().notNull(),
    market: text().notNull(),
    oid: text().notNull(),
    side: text().$type<"buy" | "sell">().notNull(),
    price: text().$type<Decimal>().notNull(),
    size: text().$type<Decimal>().notNull(),
    isTaker: integer({ mode: "boolean" }).notNull(),
    fee: text().$type<Decimal>().notNull(),
    feeToken: text().notNull(),
    builderFee: text().$type<Decimal>(),
    realizedPnl: text().$type<Decimal>().notNull(),
    startPosition: text().$type<Decimal>().notNull(),
    direction: text().notNull(),
    twapId: text(),
    isLiquidation: integer({ mode: "boolean" }).notNull(),
    transactionHash: text().notNull(),
  },
  (table) => [
    // An id begins with the time: with the time before it, one index both keeps fills apart and lists the newest.
    primaryKey({ columns: [table.accountId, table.timeMs, table.id] }),
    index("fills_by_market").on(table.accountId, table.market, table.timeMs, table.id),
    // A native id belongs to one account of the exchange; which of ours, the row says.
    index("fills_oid").on(table.oid),
    index("fills_twap").on(table.accountId, table.twapId).where(sql`twap_id is not null`),
  ],
);

/** How far the fills of an account have been read. */
export const fillCursors = sqliteTable("fill_cursors", {
  accountId: text().primaryKey(),
  /** Every fill up to this exchange time that the exchange gives is in the index, unix milliseconds. */
  readToMs: integer("complete_to_ms").notNull(),
});
