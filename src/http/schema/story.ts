import { Type } from "@sinclair/typebox";
import { closed, described, ErrorText, Figure, nullable, Timestamp, words } from "./common.ts";
import { OrderResource, TimeInForce, Trigger } from "./order.ts";

const NativeId = Type.String({ description: "Native order id, digits." });
const ClientOrderId = Type.String({ pattern: "^0x[0-9a-f]{32}$", description: "Client order id." });

const StoryLeg = closed(
  {
    client_order_id: ClientOrderId,
    exchange_order_id: nullable(NativeId, "Native order id, digits; null until the exchange has named it."),
    size: described(Figure, "Size that this leg asked for, in base units."),
    price: described(Figure, "Limit price in quote units."),
    time_in_force: TimeInForce,
    trigger: Type.Optional(Trigger),
    state: words(["sent", "resting", "armed", "closing", "filled", "canceled", "rejected", "absent", "lost"], {
      description:
        "`absent`: it left no order at the exchange and no longer can; `closing`: over, and its fills are not all shown yet; `lost`: its fate is not known yet.",
    }),
    filled_size: described(Figure, "Filled so far, in base units."),
    reason: ErrorText,
  },
  { title: "StoryLeg", description: "One order at the exchange: the first placed, or the replacement of a modify." },
);

const StoryAttempt = closed(
  {
    action: words(["place", "modify", "cancel", "leverage", "isolated_margin", "twap", "twap_cancel"], {
      description: "What was signed.",
    }),
    idempotency_key: Type.String({ description: "Idempotency-Key of the request that wanted it." }),
    state: words(["prepared", "ambiguous", "done"], {
      description: "`ambiguous`: sent without an answer that proves anything; it is being looked up.",
    }),
    nonce: Type.Integer({ description: "Its number at the exchange." }),
    client_order_id: nullable(ClientOrderId, "Client order id that it places, or null."),
    target_exchange_order_id: nullable(NativeId, "Native id of the order that it cancels or replaces, or null."),
    created_at: described(Timestamp, "When it was stored, before it was signed."),
    expires_at: described(Timestamp, "Until when the exchange takes it, by the exchange's clock."),
    settled_at: nullable(Timestamp, "When its outcome was known, or null."),
    noops: Type.Integer({ minimum: 0, description: "Empty actions sent to take its number, a count." }),
    seal: nullable(
      words(["noop", "nonce_taken", "expiry"], { description: "Why it can no longer be executed." }),
      "Why it can no longer be executed; null while it can, or when its answer said what became of it.",
    ),
    negative_looks: Type.Integer({
      minimum: 0,
      description: "Answers of the exchange's history that go past its end and lack it, a count.",
    }),
    looks_needed: nullable(
      Type.Integer({ minimum: 1, description: "Of how many, a count." }),
      "How many such answers say that it left no order, a count; null before the seal, and when its number was free.",
    ),
    waits_for: nullable(
      Type.String({ description: "In plain text." }),
      "What has to be known before it is settled, and what is done for it next, in plain text; null when it is settled.",
    ),
    exchange_text: nullable(Type.String(), "The exchange's own words, where it gave a refusal or no proof."),
  },
  { title: "StoryAttempt", description: "One signed action on the order." },
);

const StoryStep = closed(
  {
    at: described(Timestamp, "When it was written down."),
    what: Type.String({ description: "What happened, in a few words that never change.", examples: ["taken"] }),
    detail: Type.String({ description: "What exactly, in plain text." }),
  },
  { title: "StoryStep" },
);

export const OrderStoryResource = closed(
  {
    object: Type.Literal("order_story", { description: "Always `order_story`." }),
    order: OrderResource,
    legs: Type.Array(StoryLeg, { description: "Oldest first." }),
    attempts: Type.Array(StoryAttempt, { description: "Oldest first." }),
    steps: Type.Array(StoryStep, { description: "Everything that was written down about it, oldest first." }),
  },
  { title: "OrderStory", description: "How an order came to its status, from this gateway's own records." },
);
