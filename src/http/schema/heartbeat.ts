import { Type } from "@sinclair/typebox";
import { HEARTBEAT_STATUSES, MAX_WITHIN_S, MIN_WITHIN_S } from "../../core/heartbeat.ts";
import { AnswerNetwork, closed, KeyHash, nullable, Timestamp, Uuid, words } from "./common.ts";

const WithinS = Type.Integer({ minimum: MIN_WITHIN_S, maximum: MAX_WITHIN_S });

export const HeartbeatBody = closed(
  {
    within_s: nullable(
      WithinS,
      "Seconds of silence, counted from this request, after which orders are canceled. Null disarms it.",
    ),
  },
  { title: "Beat" },
);

export const HeartbeatResource = closed(
  {
    object: Type.Literal("heartbeat", { description: "Always `heartbeat`." }),
    account: Uuid,
    network: AnswerNetwork,
    bot: nullable(
      Type.String({ minLength: 1, maxLength: 40, pattern: "^[a-z0-9-]+$" }),
      "Name of the bot, whose keys have one heartbeat together; null for a plain key, which has its own.",
    ),
    key_hash: { ...KeyHash, description: "Hash of the API key that beat last." },
    status: words(HEARTBEAT_STATUSES, {
      description:
        "`armed`: silence will be heard. `missed`: it was heard at `missed_at`, and nothing is listened for until the next beat. `disarmed`: nobody has armed it, or it was disarmed.",
    }),
    within_s: nullable(WithinS, "What the last beat asked for; null where it is disarmed."),
    beat_at: nullable(Timestamp, "When it last beat; null for never."),
    missed_at: nullable(Timestamp, "When silence was last heard; null for never."),
    stop: nullable(Uuid, "What canceled the orders then, for `GET /v1/stops/{id}`; null where nothing ever did."),
  },
  { title: "Heartbeat" },
);
