/** Whether another's order may stand under a client order id of ours: then what that id is said to be may be said of the other one. */
import { alarmIn } from "../../core/alarm.ts";
import type { Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { hasNote } from "../../store/notes.ts";

/** What notes call it that the exchange shows something else under an id of ours. */
export const DIFFERENCE = "difference";

/** What notes call it that it has answered with an order that bears another client order id: nothing of that stands under ours. */
export const OF_ANOTHER_NAME = "answered for another";

/** While its alarm stands, and not all that was shown bore the client order id of another. */
export function mayHaveNamesake({ store }: With<"store">, { orderId, cloid, reason }: Leg): boolean {
  return alarmIn(reason) !== null && hasNote(store, orderId, DIFFERENCE, cloid);
}
