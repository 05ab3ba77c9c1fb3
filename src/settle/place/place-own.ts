import type { Account } from "../../core/account.ts";
import type { Settling, Slot, ToSend, With } from "../../deps.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { nonceFor, type SignerAndSlot } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";
import { storePlacing } from "./new-order.ts";
import { recordElsewhere, recordPlaceReply } from "./place.ts";
import { shownElsewhere } from "./shown-market.ts";

/** What it takes to place an order by the gateway itself. */
export type ToPlaceOwn = ToSend & With<"commits" | "feeds" | "instance" | "markets" | "picture">;

type OwnPlacing = {
  account: Account;
  /** Inside a transaction: null where by now there is nothing to do. */
  store: (slot: Slot) => Placing | null;
};

/** Places one order that only reduces, with an intent of its own; an answer that is lost is pursued. */
export async function placeOwn(world: ToPlaceOwn, settling: Pick<Settling, "pursue">, own: OwnPlacing): Promise<void> {
  const { account, store } = own;
  const made: { placing: Placing | null } = { placing: null };
  const sent = await sendOwn(world, {
    accountId: account.id,
    purpose: "reduce",
    store: (slot) => {
      made.placing = store(slot);
      return made.placing?.attempt ?? null;
    },
  });
  const { placing } = made;
  if (sent === null || placing === null) return;
  const { attempt, result } = sent;
  if (result.kind === "not_sent") return void settling.pursue(attempt.id);
  const elsewhere = await shownElsewhere(world, placing, account.tradingAddress, result);
  const concluded =
    elsewhere === null
      ? await recordPlaceReply(world, placing, result)
      : await recordElsewhere(world, settling, placing, elsewhere);
  if (concluded === "open") void settling.pursue(attempt.id);
}

/**
 * Stores an order that the gateway places by itself, inside the intent's transaction: order, key, leg, nonce, attempt
 * and audit row, and its slot.
 *
 * @param route of the key's record: what placed it
 */
export function storeOwnOrder(
  world: ToPlaceOwn,
  account: Account,
  order: StoredOrder,
  { route, signer, slot }: SignerAndSlot & { route: string },
): Placing {
  const { id, idempotencyKey, createdAtMs } = order;
  if (idempotencyKey === null) throw new Error("bug: an order of our own without its name");
  const resource = { kind: "order", id } as const;
  const accountId = account.id;
  const keyRecord = { accountId, idempotencyKey, route, fingerprint: route, resource, answer: null, createdAtMs };
  const placer = { account, actor: "gateway", builder: null };
  const placing = storePlacing(world, { order, keyRecord }, placer, nonceFor(world, signer));
  slot.take(placing.attempt);
  return placing;
}
