import { type TSchema, Type } from "@sinclair/typebox";
import { closed, described, KeyHash, MarketName, nullable, Timestamp } from "./common.ts";

/** Spec 2.8: one page of a list. */
export function listOf<Item extends TSchema>(item: Item, title: string) {
  return closed(
    {
      object: Type.Literal("list", { description: "Always `list`." }),
      data: Type.Array(item, { description: "The page." }),
      has_more: Type.Boolean({ description: "Whether anything follows this page." }),
      next_cursor: nullable(
        Type.String(),
        "Cursor of the next page, to be sent back unchanged together with the same filters; null on the last page.",
      ),
    },
    { title },
  );
}

/** A page of a list of the record, which says from when to when it is whole. */
export function recordOf<Item extends TSchema>(item: Item, title: string) {
  const list = listOf(item, title);
  return closed(
    {
      ...list.properties,
      complete_from: nullable(
        Timestamp,
        "The whole list, and not just this page, holds everything from here on, by the exchange's clock; null while it has not been read to its end.",
      ),
      complete_to: nullable(
        Timestamp,
        "And up to here, by the exchange's clock. Of funding and transfers that is 160 s before it was last asked, which is as far as its servers may be behind: what is later may be listed or not. Null likewise, and while it is only known by a clock that was ahead.",
      ),
    },
    { title },
  );
}

/** Query parameters that lists share. Kept as text: a limit of `1e2` is none. */
export const LimitParameter = Type.Integer({
  minimum: 1,
  maximum: 500,
  default: 50,
  description: "Rows on a page, 1 to 500; nothing is clamped.",
});

const CURSOR = "`next_cursor` of the page before, unchanged.";

/** An id, or a native order id. */
export const CursorParameter = Type.String({ maxLength: 40, description: CURSOR });

/** Dex and market. */
export const PositionCursorParameter = Type.String({ maxLength: 121, description: CURSOR });

/** Id of a fill. */
export const FillCursorParameter = Type.String({ maxLength: 200, description: CURSOR });

export const DexParameter = Type.String({
  maxLength: 20,
  description:
    "Perpetuals dex: omitted for all, empty for the native one (with spot), otherwise its name, such as `xyz`.",
});

const TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{3})?Z)?$";

export const SinceParameter = Type.String({
  pattern: TIME,
  examples: ["2026-11-21", "2026-11-21T09:30:00Z"],
  description: "ISO 8601 in UTC, to the day, second or millisecond: from this moment on.",
});

export const UntilParameter = Type.String({
  pattern: TIME,
  examples: ["2026-11-22", "2026-11-22T09:30:00Z"],
  description: "ISO 8601 in UTC, to the day, second or millisecond: up to this moment, which itself does not count.",
});

/** What lists of the record are narrowed by; all that are given hold at once. */
export const FILTER_PARAMETERS = {
  since: SinceParameter,
  until: UntilParameter,
  market: described(MarketName, "Of this market alone; `BASE/QUOTE` names a spot pair too."),
  key_hash: described(KeyHash, "Of the API key with this hash alone."),
  bot: Type.String({
    minLength: 1,
    maxLength: 40,
    pattern: "^[a-z0-9-]+$",
    description: "Of the keys of this bot alone, old ones included.",
  }),
};

/** Where several filters hold at once. */
export const PAGES_MAY_BE_SHORT =
  "With filters a page may hold fewer rows than `limit`, or none, though `has_more` is true: follow `next_cursor`.";

export const IdempotencyKeyParameter = Type.String({
  minLength: 8,
  maxLength: 128,
  pattern: "^[!-~]{8,128}$",
  description:
    "What was placed under this Idempotency-Key: the order; of a batch all of them; of a trade its entry, once that was sent, and its guards; of a modify what it placed beside an order that had ended. A key with rails finds its own bot's alone, anybody else those of every bot.",
});

export const ExportedFile = Type.String({
  title: "ExportedFile",
  description: "A line for each row, with the members of the list as columns.",
});
