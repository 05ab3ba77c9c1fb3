/**
 * Whose an order is that a restore has found: its client order id carries a mark of the bot that it was placed for. So it is in that
 * bot's books, and what it has filled counts for its rails, its stops and what it may close.
 */
import type { With } from "../../deps.ts";
import { listBotGrants, listBots } from "../../store/bots.ts";
import { giveOrder, listFoundOfNobody } from "../../store/given-orders.ts";
import { hasRestores } from "../../store/restores.ts";
import { botBitsOf, botBitsOfCloid } from "../../wire/order-id.ts";

export type Whose = { kind: "bot"; bot: string; keyHash: string } | { kind: "nobody" } | { kind: "unknown" };

/** By the mark of an order; of two bots that share one nothing is proven. */
export function whoseOf({ instance, store }: With<"instance" | "store">, accountId: string): (cloid: string) => Whose {
  const { secret } = instance;
  const known = listBots(store, accountId).flatMap((bot) => {
    const [newest] = listBotGrants(store, accountId, bot);
    return newest === undefined ? [] : [{ kind: "bot", bot, keyHash: newest.keyHash } as const];
  });
  const all: Whose[] = [{ kind: "nobody" }, ...known];
  const byMark = Map.groupBy(all, (whose) =>
    botBitsOf(secret, { accountId, bot: whose.kind === "bot" ? whose.bot : null }),
  );
  return (cloid) => {
    const [only, ...others] = byMark.get(botBitsOfCloid(cloid)) ?? [];
    return only === undefined || others.length > 0 ? { kind: "unknown" } : only;
  };
}

/**
 * For who has just granted a bot a key: what was found after a restore and carries its mark is its own, where the snapshot knew nothing
 * of the bot. Inside the caller's transaction.
 */
export function giveToBots(world: With<"instance" | "store">, accountId: string): void {
  if (!hasRestores(world.store)) return;
  const whose = whoseOf(world, accountId);
  for (const order of listFoundOfNobody(world.store, accountId)) {
    const found = whose(order.cloid);
    if (found.kind === "bot") giveOrder(world.store, order.id, found.keyHash);
  }
}
