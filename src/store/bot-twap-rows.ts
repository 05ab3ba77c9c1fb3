/** Rows of bots' TWAPs that may still execute, or whose fills are not all booked. Few, and asked for with each order. */
import { eq, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared } from "./prepared.ts";
import { remembered } from "./remembered.ts";
import { botTwaps } from "./schema-bots.ts";

export type BotTwap = typeof botTwaps.$inferSelect;

const put = prepared((store) =>
  store
    .insert(botTwaps)
    .values(placeholders(botTwaps))
    .onConflictDoUpdate({ target: botTwaps.operationId, set: assignments(botTwaps, ["twapId", "filledSize"]) })
    .prepare(),
);

const byId = prepared((store) =>
  store
    .select()
    .from(botTwaps)
    .where(eq(botTwaps.operationId, sql.placeholder("operationId")))
    .prepare(),
);

const ofAccount = prepared((store) =>
  store
    .select()
    .from(botTwaps)
    .where(eq(botTwaps.accountId, sql.placeholder("accountId")))
    .prepare(),
);

/** Of all bots of an account. */
export function listBotTwaps(store: Store, accountId: string): readonly BotTwap[] {
  return kept.find(store, accountId) ?? [];
}

/** Those of one bot in one market that only reduce, and may still. */
export function listReducingTwaps(
  store: Store,
  { accountId, bot, market }: Pick<BotTwap, "accountId" | "bot" | "market">,
): readonly BotTwap[] {
  const all = listBotTwaps(store, accountId);
  return all.length === 0 ? all : all.filter((twap) => twap.bot === bot && twap.market === market && twap.reduceOnly);
}

const kept = remembered<readonly BotTwap[]>((store, accountId) => ofAccount(store).all({ accountId }));

/** Inside the caller's transaction. */
export function putBotTwap(store: Store, twap: BotTwap): void {
  put(store).run(twap);
  kept.drop(store, twap.accountId);
}

export function findBotTwap(store: Store, operationId: string): BotTwap | null {
  return byId(store).get({ operationId }) ?? null;
}

/** Inside the caller's transaction: it executes no more, and all of its fills are booked; or it never left. */
export function forgetBotTwap(store: Store, operationId: string): void {
  const [gone] = store.delete(botTwaps).where(eq(botTwaps.operationId, operationId)).returning().all();
  if (gone !== undefined) kept.drop(store, gone.accountId);
}
