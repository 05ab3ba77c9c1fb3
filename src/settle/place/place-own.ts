import type { Account } from "../../core/account.ts";
import type { Place, Settling, ToSend, With } from "../../deps.ts";
import { insertPlacing, type StoredOrder } from "../../store/orders.ts";
import type { Placing } from "../record/record.ts";
import { storeAttempt } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";
import { firstLeg, intendedOf } from "./new-order.ts";
import { recordElsewhere, recordPlaceReply } from "./place.ts";
import { shownElsewhere } from "./shown-market.ts";

/** To place an order that nobody asks for just then. */
export type ToPlaceOwn = ToSend & With<"commits" | "feeds" | "instance" | "markets" | "picture">;

type OwnPlacing = {
  account: Account;
  /** Inside a transaction: null where by now there is nothing to do. */
  store: (place: Place) => Placing | null;
};

/** One order that only reduces, with an intent of its own; a lost answer is pursued. */
export async function placeOwn(world: ToPlaceOwn, settling: Pick<Settling, "pursue">, own: OwnPlacing): Promise<void> {
  const { account, store } = own;
  const made: { placing: Placing | null } = { placing: null };
  const sent = await sendOwn(world, {
    accountId: account.id,
    purpose: "reduce",
    store: (place) => {
      made.placing = store(place);
      return made.placing?.attempt ?? null;
    },
  });
  const { placing } = made;
  if (sent === null || placing === null) return;
  const { attempt, result } = sent;
  if (result.kind !== "reply") return void settling.pursue(attempt.id);
  const elsewhere = await shownElsewhere(world, { ...placing, user: account.tradingAddress }, result.reply);
  const { isSettled } =
    elsewhere === null
      ? await recordPlaceReply(world, placing, result.reply)
      : await recordElsewhere(world, placing, elsewhere);
  if (!isSettled) void settling.pursue(attempt.id);
}

type Storing = {
  account: Account;
  order: StoredOrder;
  signer: string;
  place: Place;
  /** Of the key's record: what placed it. */
  route: string;
};

/** Inside the intent's transaction: order, leg, key, nonce, attempt and audit row. */
export function storeOwnOrder(world: ToPlaceOwn, { account, order, signer, place, route }: Storing): Placing {
  const { id, idempotencyKey, createdAtMs } = order;
  if (idempotencyKey === null) throw new Error("bug: an order of our own without its name");
  const leg = firstLeg(order);
  const resource = { kind: "order", id } as const;
  const accountId = account.id;
  const key = { accountId, key: idempotencyKey, route, fingerprint: route, resource, answer: null, createdAtMs };
  const intended = intendedOf({ account, order, leg, idempotencyKey, actor: "gateway", builder: null });
  const attempt = storeAttempt(world, intended, { signer, place }, (store, made) =>
    insertPlacing(store, { order, key, leg, attempt: made }),
  );
  return { order, leg, attempt };
}
