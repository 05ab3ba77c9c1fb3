/** A client of swagger-typescript-api. */
import {
  Api,
  type CreateTwap,
  type Error as ErrorBody,
  ErrorCode,
  type Event,
  type HttpResponse,
  OrderStatus,
  type PlaceOrder,
} from "./client-of-swagger.ts";
import { AUTHORIZATION, BASE_URL, check, eventsIn, ORDER } from "./scene.ts";

const { v1 } = new Api({ baseUrl: BASE_URL, baseApiParams: { headers: AUTHORIZATION } });

const placed = await v1.placeOrder(ORDER, named("sta:place"));
check("an order is placed with its required members alone", placed.status === 201);
check("it rests", placed.data.status === OrderStatus.Open && placed.data.time_in_force === "gtc");
const { id } = placed.data;

const listed = await v1.listOrders({ status: OrderStatus.Open, limit: 5 });
check(
  "the list shows it",
  listed.data.data.some((each) => each.id === id),
);

const moved = await v1.modifyOrder(id, { price: "60001" }, named("sta:move"));
check("it is modified without `always_place`", moved.data.price === "60001");

const canceled = await v1.cancelOrder(id, {}, named("sta:cancel"));
check("it is canceled", canceled.data.status === OrderStatus.Canceled);

const refused = await v1.placeOrder({ ...ORDER, market: "NOSUCH" }, named("sta:refused")).then(
  () => null,
  (answer: HttpResponse<unknown, ErrorBody>) => answer.error.error.code,
);
check("an error is told by its code", refused === ErrorCode.UnknownMarket);
// @ts-expect-error: no code is spelled so
check("no other code is known", refused !== ErrorCode.UnknownMarkets);

const stream = await v1.streamEvents({ after: "0", follow: "false" }, { format: "text" });
const told = eventsIn<Event>(stream.data).flatMap((event) => {
  // @ts-expect-error: not every event has an order in it
  const anyStatus: unknown = event.data.status;
  if (event.type !== "order.updated" && event.type !== "order.created") return [];
  return event.data.id === id ? [[event.data.status, event.idempotency_key, anyStatus === event.data.status]] : [];
});
check("its events say what became of it", told.at(-1)?.[0] === "canceled");
check("and by which name it was placed", told.length > 2 && told.every(([, name]) => name === "sta:place"));

// @ts-expect-error: an order without a price is none
const short: PlaceOrder = { account: "", market: "BTC", side: "buy", size: "1" };
check("what has to be there has to be there", !("price" in short));
const twap: CreateTwap = { market: "BTC", side: "buy", size: "1", duration_minutes: 30 };
check("the flags of a TWAP may be left out", twap.randomize === undefined);

function named(name: string) {
  return { headers: { ...AUTHORIZATION, "Idempotency-Key": name } };
}
