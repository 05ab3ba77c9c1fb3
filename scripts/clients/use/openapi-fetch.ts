/** A client of openapi-typescript and openapi-fetch. */
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript.ts";
import { AUTHORIZATION, BASE_URL, check, eventsIn, ORDER } from "./scene.ts";

type Schemas = components["schemas"];

const client = createClient<paths>({ baseUrl: BASE_URL, headers: AUTHORIZATION });

const placed = await client.POST("/v1/orders", { params: named("fetch:place"), body: ORDER });
check("an order is placed with its required members alone", placed.response.status === 201);
const order: Schemas["Order"] | undefined = placed.data;
check("it rests", order?.status === "open" && order.time_in_force === "gtc");
const id = order?.id ?? "";

const listed = await client.GET("/v1/orders", { params: { query: { status: "open", limit: 5 } } });
check("the list shows it", listed.data?.data.some((each) => each.id === id) === true);

const moved = await client.POST("/v1/orders/{id}/modify", {
  params: { ...named("fetch:move"), path: { id } },
  body: { price: "60001" },
});
check("it is modified without `always_place`", moved.data?.price === "60001");

const path = { path: { id } };
const canceled = await client.POST("/v1/orders/{id}/cancel", {
  params: { ...named("fetch:cancel"), ...path },
  body: {},
});
check("it is canceled", canceled.data?.status === "canceled");

const refused = await client.POST("/v1/orders", { params: named("fetch:no"), body: { ...ORDER, market: "NOSUCH" } });
const code = refused.error?.error.code;
check("an error is told by its code", code === "unknown_market");
// @ts-expect-error: no code is spelled so
check("no other code is known", code !== "unknown_markets");

const stream = await client.GET("/v1/events", {
  params: { query: { after: "0", follow: "false" } },
  parseAs: "text",
});
const told = eventsIn<Schemas["Event"]>(String(stream.data)).flatMap((event) => {
  // @ts-expect-error: not every event has an order in it
  const anyStatus: unknown = event.data.status;
  if (event.type !== "order.updated" && event.type !== "order.created") return [];
  return event.data.id === id ? [[event.data.status, event.idempotency_key, anyStatus === event.data.status]] : [];
});
check("its events say what became of it", told.at(-1)?.[0] === "canceled");
check("and by which name it was placed", told.length > 2 && told.every(([, name]) => name === "fetch:place"));

// @ts-expect-error: an order without a price is none
const short: Schemas["PlaceOrder"] = { account: "", market: "BTC", side: "buy", size: "1" };
check("what has to be there has to be there", !("price" in short));
// @ts-expect-error: a write without a name of its own is none
await client.POST("/v1/orders", { body: ORDER });
const optional: Pick<Schemas["CreateTwap"], "market" | "side" | "size" | "duration_minutes"> = {
  market: "BTC",
  side: "buy",
  size: "1",
  duration_minutes: 30,
};
const twap: Schemas["CreateTwap"] = optional;
check("the flags of a TWAP may be left out", twap.randomize === undefined);

function named(name: string) {
  return { header: { "Idempotency-Key": name } };
}
