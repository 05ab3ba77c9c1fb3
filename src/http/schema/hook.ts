import { Type } from "@sinclair/typebox";
import {
  DELIVERY_STATUSES,
  HOOK_MODES,
  HOOK_STATES,
  MOST_MAX_AGE_S,
  MOST_SAME_WITHIN_S,
} from "../../core/hook/hook.ts";
import { MAX_SLIPPAGE_BPS } from "../../core/worst-price.ts";
import { closed, described, KeyHash, MarketName, nullable, Signature, Timestamp, Uuid, words } from "./common.ts";

const TERMS = {
  name: Type.String({ pattern: "^[a-z0-9-]{1,40}$", description: "For people and the log." }),
  key_hash: described(KeyHash, "Hash of the key with rails as whose bot it acts."),
  mode: words(HOOK_MODES, {
    description:
      "`order`: each alert is one order. `target`: an alert says what the bot is to hold, and the newest wins.",
  }),
  market: nullable(MarketName, "The only market that its alerts may name; null where each names one."),
  max_age_s: Type.Integer({
    minimum: 1,
    maximum: MOST_MAX_AGE_S,
    description: "An alert that is older is not carried out, seconds.",
  }),
  same_within_s: Type.Integer({
    minimum: 1,
    maximum: MOST_SAME_WITHIN_S,
    description: "Alerts without a time that say the same within this are one, seconds.",
  }),
  max_slippage_bps: Type.Integer({
    minimum: 1,
    maximum: MAX_SLIPPAGE_BPS,
    description: "Of an order without a price: furthest from the best one, basis points.",
  }),
  sources: nullable(
    Type.String({ minLength: 1, maxLength: 2_000 }),
    "Networks from which alerts may come, joined by commas; null for anywhere.",
  ),
  rehearsal: Type.Boolean({ description: "Whether alerts are kept and never carried out." }),
};

export const HookResource = closed(
  {
    object: Type.Literal("hook", { description: "Always `hook`." }),
    id: Uuid,
    account: Uuid,
    bot: nullable(Type.String(), "As which it acts."),
    ...TERMS,
    state: words(HOOK_STATES, {
      description: "Whether it takes alerts; `held`: not until the operator keeps it, after a restore.",
    }),
    last_alert_at: nullable(Timestamp, "When the last alert came; null before the first."),
    last_alert_status: nullable(
      words(DELIVERY_STATUSES, { description: "What became of it." }),
      "What became of it; null before the first.",
    ),
    last_alert_reason: nullable(
      Type.String(),
      "Why it came to nothing or to less; null where there is nothing to say.",
    ),
    created_at: Timestamp,
  },
  { title: "Hook", description: "An address to which alerts are sent. The address itself is told to nobody." },
);

export const DeliveryResource = closed(
  {
    object: Type.Literal("delivery", { description: "Always `delivery`." }),
    id: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "Grows with each alert of this gateway." }),
    hook: described(Uuid, "The hook to which it came."),
    received_at: Timestamp,
    alert_at: nullable(Timestamp, "The time that it says of itself; null where it says none or cannot be read."),
    body: Type.String({ maxLength: 500, description: "As it came, the first 500 characters: somebody else's text." }),
    market: nullable(Type.String({ maxLength: 100 }), "The market that it names; null where it cannot be read."),
    status: words(DELIVERY_STATUSES, {
      description:
        "What became of it. `accepted`: it is being carried out. `done`: it was. `too_old`, `superseded` by a newer one, `refused`: `reason` says more. `rehearsed`: kept and not carried out.",
    }),
    reason: nullable(
      Type.String(),
      "In words, why it came to nothing or to less; null where there is nothing to say. Of `accepted`: why it increases nothing any more.",
    ),
    order_ids: Type.Array(Uuid, { description: "The orders that were placed for it, oldest first." }),
    repeats: Type.Integer({ minimum: 0, description: "How often the same came again, without effect." }),
    ended_at: nullable(Timestamp, "When that was so; null while it is being carried out."),
  },
  { title: "Delivery", description: "An alert that came to a hook." },
);

export const RegisterHookBody = closed(
  {
    account: Uuid,
    ...TERMS,
    secret_hash: described(
      KeyHash,
      "SHA-256 of what stands in the address behind `/hooks/`: `hook_` and 64 hex digits.",
    ),
    issued_at: Type.Integer({
      minimum: 0,
      maximum: 9_007_199_254_740_991,
      description: "Unix milliseconds, as signed.",
    }),
    signature: Signature,
  },
  { title: "RegisterHook" },
);

export const RevokeHookBody = closed({ account: Uuid, signature: Signature }, { title: "RevokeHook" });
