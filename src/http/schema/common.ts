import { Kind, type TObject, type TProperties, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { DEFAULT_SLIPPAGE_BPS, MAX_SLIPPAGE_BPS } from "../../core/worst-price.ts";

/** A closed object: unknown members are refused, and no answer has any. */
export function closed<Properties extends TProperties>(
  properties: Properties,
  options: { title?: string; description?: string; examples?: readonly unknown[]; allOf?: readonly object[] } = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

const WORD_KIND = "PosternWord";

TypeRegistry.Set<{ enum: readonly string[] }>(
  WORD_KIND,
  (schema, value) => typeof value === "string" && schema.enum.includes(value),
);

/** One of a list of words. TypeBox' union of literals says the same in four times the text. */
export function words<const Words extends readonly string[]>(
  list: Words,
  options: { description: string; default?: Words[number]; title?: string },
) {
  const description = `${options.description} One of ${list.map((word) => `\`${word}\``).join(", ")}.`;
  return Type.Unsafe<Words[number]>({ ...options, description, type: "string", enum: list, [Kind]: WORD_KIND });
}

const BASE = Symbol("schema before it was described");

/** The schema with what it means in this place, put before the rule that its own description states. */
export function described<Schema extends TSchema>(schema: Schema, meaning: string): Schema {
  return { ...schema, [BASE]: schema, description: `${meaning} ${schema.description ?? ""}`.trim() };
}

/** The schema that `described` was given, or the schema itself. */
export function baseOf(schema: TSchema): TSchema {
  const base: unknown = Reflect.get(schema, BASE);
  // Only `described` writes under this symbol.
  return base === undefined ? schema : (base as TSchema);
}

/** The schema, or null. */
export function nullable<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Union([schema, Type.Null()], { description });
}

const UUID_PATTERN =
  "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}" +
  "|00000000-0000-0000-0000-000000000000|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$";

export const UUID = new RegExp(UUID_PATTERN);

/** Spec 2.1. `format: "uuid"` is not it: that lets versions through that the specification refuses. */
export const Uuid = Type.String({
  title: "Uuid",
  pattern: UUID_PATTERN,
  description:
    "UUID of version 1 to 8 with variant 8, 9, a or b, or the nil or the all-f UUID. Upper case is taken and lower-cased.",
  examples: ["01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f"],
});

const ORDER_ID_PATTERN = `${UUID_PATTERN}|^[0-9]{1,20}$|^0x[0-9a-fA-F]{32}$`;

export const ANY_ORDER_ID = new RegExp(ORDER_ID_PATTERN);

/** Spec 4.5: what may stand in an order's path. */
export const OrderId = Type.String({
  title: "OrderId",
  pattern: ORDER_ID_PATTERN,
  description: "UUID of the order, native order id (1 to 20 digits), or client order id (`0x` and 32 hex characters).",
  examples: ["01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f"],
});

/** Spec 2.1, "decimal string". */
export const DecimalString = Type.String({
  title: "DecimalString",
  pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$",
  maxLength: 40,
  description:
    "Unsigned decimal as a string: no sign, no exponent, no leading zero, 1 to 18 digits before the point and at most 18 after it.",
  examples: ["0.015", "64250"],
});

/**
 * No decimal of zero, for readers of the description: checks of shape pass over it. It says what `not` would, of which
 * some generators of clients know nothing but that it may be anything.
 */
// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
export const NOT_ZERO = { if: { type: "string" }, then: { pattern: "[1-9]" } } as const;

/** A decimal string that is not zero. The check itself leaves zero to the order's rules, which name the field. */
export const PositiveDecimal = Type.String({
  ...DecimalString,
  title: "PositiveDecimal",
  ...NOT_ZERO,
});

/** A figure of the exchange: exact, as a string, with a minus sign where it is negative. */
export const Figure = Type.String({
  title: "Figure",
  pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$",
  description: "Exact decimal as a string, with a leading minus sign where it is negative.",
  examples: ["99871.250000", "-12.5"],
});

/** Spec 2.1. */
export const MarketName = Type.String({
  title: "MarketName",
  minLength: 1,
  maxLength: 100,
  pattern: "^[A-Za-z0-9@][A-Za-z0-9@:_./-]*$",
  description:
    "Market as the exchange spells it, case-sensitive, 1 to 100 characters: a perpetual `BTC`, a perpetual of another dex `xyz:TSLA`, a spot pair `@107` or `PURR/USDC`.",
  examples: ["BTC"],
});

export const KeyHash = Type.String({
  title: "KeyHash",
  pattern: "^[0-9a-f]{64}$",
  description:
    "SHA-256 of the whole API key text (prefix included, as ASCII bytes), as 64 lower-case hex characters. The key itself never leaves its owner.",
  examples: ["3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d"],
});

export const Signature = Type.String({
  title: "Signature",
  pattern: "^(0x)?[0-9a-fA-F]{128}([0-9a-fA-F]{2})?$",
  description:
    "The account owner's EIP-712 signature in hex: the 65 bytes r, s, v with a v of 27 or 28, or of 0 or 1; or the 64 of EIP-2098. With `0x` or without. A high s is refused.",
  examples: [`0x${"1b".repeat(64)}1c`],
});

/** Where the true network is: never a client's to choose, and a client's to know. */
export const ExchangeWord = words(["official", "unofficial", "simulated"], {
  description:
    "Whether this gateway trades at the exchange's own hosts, at another place that the operator chose, or at a simulator (`paper`).",
});

/** What answers say; the true network is in `GET /v1/whoami`. */
export const AnswerNetwork = Type.Literal("exchange_mainnet", {
  description:
    "Always `exchange_mainnet`, whatever network this gateway trades on; `GET /v1/whoami` tells the true one.",
});

export const Timestamp = Type.String({
  title: "Timestamp",
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
  description: "ISO 8601 time in UTC with milliseconds.",
  examples: ["2026-11-21T09:30:00.000Z"],
});

export const ErrorText = nullable(
  Type.String(),
  "Reason in words when the exchange refused it or its outcome is unknown, else null.",
);

export const Side = words(["buy", "sell"], { description: "Direction." });

export const Slippage = Type.Integer({
  minimum: 1,
  maximum: MAX_SLIPPAGE_BPS,
  description: "Furthest price from the best one at that moment, basis points.",
});

export const SlippageOrDefault = {
  ...Slippage,
  description: `${Slippage.description ?? ""} ${DEFAULT_SLIPPAGE_BPS} when left out.`,
};

/** Scopes of spec 2.5, sorted in answers. */
export const ScopeWord = words(["trading:read", "trading:write"], { description: "What a key may do." });
