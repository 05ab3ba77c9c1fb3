/** Fees of purchases on spot, which are paid in what is bought: a bot holds so much less. */
import { eq, sql } from "drizzle-orm";
import { isZero } from "../core/decimal.ts";
import { isPaidInKind } from "../core/market.ts";
import { bookFeeInKind, botOf } from "./bots.ts";
import { findLegByOid } from "./legs.ts";
import type { Store } from "./open.ts";
import { twapKeys } from "./operations.ts";
import { prepared } from "./prepared.ts";
import { type fills, orders } from "./schema.ts";

type FeeFill = Pick<typeof fills.$inferSelect, "accountId" | "market" | "side" | "oid" | "twapId" | "fee" | "feeToken">;

/** Of a bot's purchase on spot, where it was paid in what was bought. */
export function bookFee(store: Store, { accountId, market, side, oid, twapId, fee, feeToken }: FeeFill): void {
  if (!isPaidInKind({ market, side, feeToken }) || isZero(fee)) return;
  const bot = botOf(store, ownerOf(store, { accountId, oid, twapId }));
  if (bot !== null) bookFeeInKind(store, { accountId, bot, market }, fee);
}

function ownerOf(store: Store, { accountId, oid, twapId }: Pick<FeeFill, "accountId" | "oid" | "twapId">) {
  if (twapId !== null) return twapKeys(store, accountId, [twapId]).get(twapId) ?? null;
  const leg = findLegByOid(store, accountId, oid);
  return leg === null ? null : (keyOf(store).get({ id: leg.orderId })?.keyHash ?? null);
}

const keyOf = prepared((store) =>
  store
    .select({ keyHash: orders.keyHash })
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);
