/** A client of orval. */
import {
  type CreateTwap,
  cancelOrder,
  type Event,
  listOrders,
  modifyOrder,
  type PlaceOrder,
  placeOrder,
  streamEvents,
} from "./client-of-orval.ts";
import { AUTHORIZATION, check, eventsIn, ORDER } from "./scene.ts";

const options = { headers: AUTHORIZATION };

const placed = await placeOrder(ORDER, named("orval:place"), options);
check("an order is placed with its required members alone", placed.status === 201);
if (placed.status !== 201) throw new Error("not placed");
check("it rests", placed.data.status === "open" && placed.data.time_in_force === "gtc");
const { id } = placed.data;

const listed = await listOrders({ status: "open", limit: 5 }, options);
check("the list shows it", listed.status === 200 && listed.data.data.some((each) => each.id === id));

const moved = await modifyOrder(id, { price: "60001" }, named("orval:move"), options);
check("it is modified without `always_place`", moved.status === 200 && moved.data.price === "60001");

const canceled = await cancelOrder(id, named("orval:cancel"), {}, options);
check("it is canceled", canceled.status === 200 && canceled.data.status === "canceled");

const refused = await placeOrder({ ...ORDER, market: "NOSUCH" }, named("orval:no"), options);
if (refused.status !== 400) throw new Error("not refused");
const { code } = refused.data.error;
check("an error is told by its code", code === "unknown_market");
// @ts-expect-error: no code is spelled so
check("no other code is known", code !== "unknown_markets");

const stream = await streamEvents({ after: "0", follow: "false" }, options);
const told = eventsIn<Event>(String(stream.data)).flatMap((event) => {
  // @ts-expect-error: not every event has an order in it
  const anyStatus: unknown = event.data.status;
  if (event.type !== "order.updated" && event.type !== "order.created") return [];
  return event.data.id === id ? [[event.data.status, event.idempotency_key, anyStatus === event.data.status]] : [];
});
check("its events say what became of it", told.at(-1)?.[0] === "canceled");
check("and by which name it was placed", told.length > 2 && told.every(([, name]) => name === "orval:place"));

// @ts-expect-error: an order without a price is none
const short: PlaceOrder = { account: "", market: "BTC", side: "buy", size: "1" };
check("what has to be there has to be there", !("price" in short));
// @ts-expect-error: a write without a name of its own is none
await placeOrder(ORDER, {}, options);
const twap: CreateTwap = { market: "BTC", side: "buy", size: "1", duration_minutes: 30 };
check("the flags of a TWAP may be left out", twap.randomize === undefined);

function named(name: string) {
  return { "Idempotency-Key": name };
}
