import { Type } from "@sinclair/typebox";
import { LEFT_REASONS } from "../../core/flatten.ts";
import { STOP_CAUSES, STOP_SCOPES, STOP_STATUSES } from "../../core/stop.ts";
import { WAIT_REASONS, WAITS } from "../../core/wait.ts";
import {
  AnswerNetwork,
  closed,
  described,
  KeyHash,
  MarketName,
  nullable,
  Signature,
  Slippage,
  SlippageOrDefault,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

const Scope = words(STOP_SCOPES, {
  description:
    "`bot`: what this API key has placed, and what it asks for; of a key with rails all of its bot. `account`: everything of the account.",
});

export const StopBody = closed(
  {
    scope: Scope,
    keep_protection: Type.Optional(
      Type.Boolean({
        description:
          "True, or left out: orders that can only make a position smaller stay, and are not burnt where their outcome is not known. False: they go as well.",
      }),
    ),
  },
  { title: "StopTrading" },
);

export const FlattenBody = closed({ max_slippage_bps: Type.Optional(SlippageOrDefault) }, { title: "FlattenStop" });

export const ResumeBody = closed({ account: Uuid, signature: Signature }, { title: "ResumeTrading" });

const STOP = {
  id: Uuid,
  object: Type.Literal("stop", { description: "Always `stop`." }),
  account: Uuid,
  network: AnswerNetwork,
  scope: Scope,
  key_hash: nullable(
    KeyHash,
    "Hash of the API key whose orders it covers, and of a key with rails those of its whole bot; null where it covers the account.",
  ),
  cause: words(STOP_CAUSES, { description: "Why. Only one that was `asked` for refuses what comes after it." }),
  keep_protection: Type.Boolean({ description: "Whether what can only make a position smaller stays." }),
  status: words(STOP_STATUSES, {
    description:
      "`stopping`: something that was signed here may still increase a position. `stopped`: nothing can. `resumed`: it was ended by the operator or the owner.",
  }),
  created_at: Timestamp,
  stopped_at: nullable(Timestamp, "Since when it is known that nothing can increase; null while it is not."),
  resumed_at: nullable(Timestamp, "When it was ended; null while it stands."),
};

export const StopSummary = closed(STOP, { title: "StopSummary", description: "A stop, as events tell it." });

const Wait = closed(
  {
    reason: words(WAIT_REASONS, {
      description: WAIT_REASONS.map((reason) => `\`${reason}\`: until ${WAITS[reason]}.`).join(" "),
    }),
    order: nullable(Uuid, "The order; null where it is none. `GET /v1/orders/{id}/story` tells the whole of it."),
    operation: nullable(Uuid, "The operation that began the TWAP; null where it is none."),
    market: nullable(MarketName, "Where; null for what is of the whole account, and where it is not known."),
    since: described(Timestamp, "Since when it is waited for."),
    until: Type.String({ description: "What ends it, in plain words." }),
  },
  { title: "StopWait" },
);

function waitsFor(description: string) {
  return Type.Array(Wait, { description: `${description} At most 500 are named.` });
}

const STOP_WAITS = waitsFor(
  "Each thing that keeps it from being `stopped`, since when, and what ends it; empty once it is.",
);
const FLATTEN_WAITS = waitsFor(
  "Each thing that keeps it from its end, since when, and what ends it, as of the last round (every 2 s); empty once it has ended.",
);

export const WaitingStop = closed(
  { ...STOP, waits_for: waitsFor("What the stop, or its flattening, waits for.") },
  {
    title: "WaitingStop",
    description:
      "A stop, or its flattening, has waited 5 s for something, and told what: again when it is something else, every 10 s at most.",
  },
);

const OutsideOrder = closed({
  kind: words(["order", "twap"], { description: "What it is." }),
  exchange_id: Type.String({ pattern: "^[0-9]{1,20}$", description: "Native id." }),
  market: MarketName,
});

export const StopResource = closed(
  {
    ...STOP,
    remaining: closed(
      {
        orders: count("Orders that can increase a position and are not known to be over."),
        order_ids: ids("They."),
        twaps: count("TWAPs that can, and are not known to have ended."),
        twap_operation_ids: ids("The operations that started them."),
      },
      { description: "What can still increase a position. While anything is left, the stop is `stopping`." },
    ),
    waits_for: STOP_WAITS,
    kept: closed(
      { orders: count("Orders that stay, because they can only make a position smaller."), order_ids: ids("They.") },
      { description: "What stays." },
    ),
    outside: closed(
      {
        is_done: Type.Boolean({
          description: "Whether the account's lists were read and each of these was told to go.",
        }),
        canceled: Type.Array(OutsideOrder, { description: "What was placed elsewhere and was canceled, once." }),
        kept: Type.Array(OutsideOrder, {
          description:
            "What stays: an order that is filled in part and whose stop-loss or take-profit children would go with it, or one for whose stop-loss the exchange has refused a stop of ours three times. It can still increase the position: cancel it by hand once the position is protected.",
        }),
      },
      { description: "Orders and TWAPs that were placed elsewhere; always empty for a `bot`." },
    ),
    flatten: nullable(
      closed({
        status: words(["flattening", "flat", "left"], {
          description:
            "`flattening`: not at its end, or waiting for the stop. `flat`: nothing is held any more. `left`: something is, see `left`.",
        }),
        asked_at: Timestamp,
        ended_at: nullable(Timestamp, "When nothing more was to be done; null while there is."),
        max_slippage_bps: Slippage,
        order_ids: ids("The orders that were placed for it, the oldest first."),
        waits_for: FLATTEN_WAITS,
        left: Type.Array(
          closed({
            market: MarketName,
            size: Type.String({ description: "What is held; negative is short." }),
            reason: words(LEFT_REASONS, {
              description:
                "`not_filled`: ten orders did not fill it. `below_minimum`: the exchange takes no order of so little, a full close neither. `no_price`: there was none within the bounds, or none could be read, as of a market on a dex that is not configured. `twap_running`: a TWAP of the bot closes it, was canceled, and has not been seen to end. `unproven`: a TWAP that was begun after a backup which has been restored may have bought it for the bot, and nobody can say so: close it by a stop of scope `account`, or by a close that `touches` all. `resumed`: the stop was ended meanwhile.",
            }),
          }),
          { description: "What was left at its end." },
        ),
      }),
      "What was asked for with `POST /v1/stops/{id}/flatten`; null where nobody did.",
    ),
  },
  { title: "Stop" },
);

function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

function ids(description: string) {
  return Type.Array(Uuid, { description: `${description} At most 500 are named.` });
}
