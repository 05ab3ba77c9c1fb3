import { tellStory } from "../actions/tell-story.ts";
import { EXAMPLE_ORDER_STORY } from "./examples.ts";
import { ORDER_ID, ORDERS_TAG, readOrderId } from "./order-contract.ts";
import { type Route, readRoute } from "./route.ts";
import { OrderStoryResource } from "./schema/story.ts";

const story = readRoute(
  {
    name: "get_order_story",
    method: "GET",
    path: "/v1/orders/{id}/story",
    tag: ORDERS_TAG,
    summary: "How an order came to its status",
    description:
      "Times and reasons from this gateway's own records: what was signed, what was answered, what was looked up. The exchange is not asked; an order that this gateway has never written down has no story.",
    access: "trading:read",
    id: ORDER_ID,
    answers: [{ status: 200, description: "The story.", schema: OrderStoryResource, example: EXAMPLE_ORDER_STORY }],
    errors: ["invalid_id", "order_not_found"],
  },
  (deps, caller, { id }) => tellStory(deps, caller, readOrderId(id)),
);

export function storyRoutes(): Route[] {
  return [story];
}
