import { Type } from "@sinclair/typebox";
import {
  AnswerNetwork,
  closed,
  described,
  Figure,
  KeyHash,
  MarketName,
  nullable,
  ScopeWord,
  Signature,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

/** Spec 2.1: both words are read, only one of them can be granted. */
const RequestNetwork = words(["exchange_mainnet", "exchange_testnet"], {
  description: "Part of what is signed; anything but `exchange_mainnet` is refused with `mainnet_required`.",
});

const Scopes = Type.Array(ScopeWord, {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description: "1 or 2 different scopes of `trading:read` and `trading:write`.",
  examples: [["trading:read", "trading:write"]],
});

/** Spec 4.1. */
export const RegisterKeyBody = closed(
  {
    consent: closed(
      {
        account: Uuid,
        network: RequestNetwork,
        key_hash: KeyHash,
        policy: closed({ scopes: Scopes }, { description: "An object with `scopes` and nothing else." }),
        issued_at: Type.Integer({
          minimum: 1,
          maximum: 8_640_000_000_000_000,
          description:
            "Unix time of signing in milliseconds, a whole number above 0 and at most 8640000000000000. At most 60 minutes ago, at most 60 seconds ahead.",
          examples: [1_795_253_400_000],
        }),
        expires_at: Type.Optional(Type.Null({ description: "Null or left out: keys do not expire.", default: null })),
      },
      { title: "Consent", description: "What the owner consents to; the signature covers all of it." },
    ),
    signature: Signature,
  },
  { title: "RegisterApiKey" },
);

export const DemoKeyBody = closed({ key_hash: KeyHash }, { title: "RegisterDemoApiKey" });

/** Spec 4.2. */
export const RevokeKeyBody = closed(
  { account: Uuid, key_hash: KeyHash, signature: Signature },
  { title: "RevokeApiKey" },
);

export const RevokeAndCancelBody = closed(
  {
    account: Uuid,
    key_hash: KeyHash,
    signature: Signature,
    cancel_orders: Type.Literal(true, { description: "Always true: without it there is `POST /v1/api-keys/revoke`." }),
  },
  { title: "RevokeAndCancel" },
);

export const WithdrawnKeyResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    key_hash: KeyHash,
    revoked: Type.Literal(true, { description: "Always true." }),
    stop: described(Uuid, "The stop that withdraws what the key has placed: `GET /v1/stops/{id}`."),
  },
  { title: "WithdrawnKey" },
);

/** Spec 2.5. */
export const ApiKeyResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    account: Uuid,
    network: AnswerNetwork,
    key_hash: KeyHash,
    scopes: Type.Array(ScopeWord, { minItems: 1, maxItems: 2, uniqueItems: true, description: "Sorted." }),
    expires_at: Type.Null({ description: "Null: keys do not expire." }),
  },
  { title: "ApiKey" },
);

/** With what this gateway knows of it besides the grant. */
export const ListedApiKeyResource = closed(
  {
    ...ApiKeyResource.properties,
    expires_at: nullable(Timestamp, "When a limited key ends; null: a plain key does not expire."),
    state: words(["active", "revoked", "blocked", "held"], {
      description: "Whether it opens anything: revoked by the owner, blocked by the operator, on hold after a restore.",
    }),
    created_at: described(Timestamp, "When it was registered."),
    last_used_at: nullable(Timestamp, "When it was last used, to the minute; null = never, as far as is known."),
  },
  { title: "ListedApiKey" },
);

function railText(description: string) {
  return Type.String({ description, maxLength: MAX_MEMBER_CHARACTERS });
}

/** A list of fifty names of markets, and more than any other member has. */
const MAX_MEMBER_CHARACTERS = 3_200;

/** What the owner signs of a bot, in the one form of each; `any` is a word. */
const RAILS = {
  bot: railText(
    "The bot: 1 to 40 of `a-z`, `0-9` and `-`. Its orders, net, turnover and Idempotency-Keys are its own.",
  ),
  may: railText("Words of `increase,reduce,modify,cancel`, in this order, joined by commas."),
  markets: railText(
    "`any`, or names, sorted and joined by commas; `xyz:*` is all of a dex. Spot markets, quoted in USDC, are only those that are named.",
  ),
  max_order: railText("`any`, or the most that one order may be worth, as `500 USD`."),
  max_position: railText("`any`, or the most that the bot may come to hold in each market, as `500 USD`."),
  max_exposure: railText("`any`, or the same over all markets, as `900 USD`."),
  max_turnover_per_day: railText("`any`, or the most that it may trade on one UTC day, as `5000 USD`."),
  max_loss_per_day: railText(
    "`any`, or what it may lose on one UTC day, as `50 USD`: then nothing of it increases until the next. Best effort.",
  ),
  max_actions_per_day: railText(
    "`any`, or orders and modifies on one UTC day, as `2000`. Reductions are not refused by it.",
  ),
  max_distance: railText("`any`, or how far a price may be from the market on the side that costs, as `2 %`."),
  max_stop_distance: railText("`any`, or how far a stop's worst price may be from its trigger, as `10 %`."),
  max_leverage: railText("`any`."),
  max_open_orders: railText("`any`, or how many orders may be open, as `40`. Reductions are not refused by it."),
  touches: railText("`own` or `all`: whose orders it may cancel and modify, and whose position it may reduce."),
  sources: railText("`any`, or networks from which it may ask, as `203.0.113.7/32`, sorted and joined by commas."),
} as const;

const GRANT = {
  account: railText("The account, a UUID in lower case."),
  network: railText("The network that this gateway truly trades on: `mainnet`, `testnet` or `paper`."),
  owner: railText("The account's owner, 40 lower-case hex digits behind `0x`."),
  trading_address: railText("The account's trading address, in the same form."),
  key_hash: railText("SHA-256 of the API key, 64 lower-case hex digits. A hash is plain or limited for ever."),
  scopes: railText("`trading:read,trading:write` or one of them."),
  ...RAILS,
  issued_at: railText("When it was signed, as `2026-11-22T19:00:00.000Z`; at most 60 minutes ago."),
  expires_at: railText("When it ends, at most 365 days later."),
} as const;

export const RegisterLimitedKeyBody = closed(
  {
    grant: closed(GRANT, {
      title: "LimitedGrant",
      description: "What the owner consents to, each member as it is signed; the signature covers all of it.",
    }),
    signature: Signature,
  },
  { title: "RegisterLimitedApiKey" },
);

const { bot: _bot, ...NARROWABLE } = RAILS;

export const NarrowKeyBody = closed(
  {
    ...Type.Partial(Type.Object(NARROWABLE)).properties,
    cancel_orders: Type.Optional(
      Type.Boolean({
        description: "True: what the bot has placed and could still make a position larger is withdrawn as well.",
        default: false,
      }),
    ),
  },
  { title: "NarrowApiKey", description: "At least one rail, in the form of a grant; the tighter of all holds." },
);

export const NarrowedRailsResource = closed(
  {
    object: Type.Literal("narrowed_rails", { description: "Always `narrowed_rails`." }),
    account: Uuid,
    key_hash: KeyHash,
    rails: closed(RAILS, {
      description: "What the bot is held to now; `nothing` where two lists have nothing in common.",
    }),
    exceeds: Type.Array(
      closed({
        rail: Type.String({ description: "The rail." }),
        limit: Type.String({ description: "What it allows." }),
        use: Type.String({ description: "What there is." }),
      }),
      { description: "What is open or held already and beyond the rails: it stays as it is." },
    ),
    stop: nullable(Uuid, "The stop that withdraws the bot's increasing orders; null where that was not asked for."),
  },
  { title: "NarrowedRails" },
);

export const LimitedKeyResource = closed(
  { object: Type.Literal("limited_api_key", { description: "Always `limited_api_key`." }), ...GRANT },
  { title: "LimitedApiKey", description: "A key with rails, as its owner has signed them." },
);

export const RailTrip = closed(
  {
    object: Type.Literal("rail_trip", { description: "Always `rail_trip`." }),
    id: Uuid,
    account: Uuid,
    bot: Type.String({ description: "The bot that may not increase any more." }),
    cause: words(["loss", "restored"], {
      description: "`loss`: it has lost its limit of the day; `restored`: what it had used is not known.",
    }),
    loss: nullable(described(Figure, "USD lost when it tripped."), "Null after a restore."),
    limit: nullable(described(Figure, "USD that it may lose."), "Null where that is not limited."),
    until: described(Timestamp, "When it is over by itself: the next 00:00 UTC."),
    created_at: Timestamp,
    cleared_at: nullable(Timestamp, "When the operator has ended it; null before."),
  },
  { title: "RailTrip", description: "A bot may not increase for the rest of the UTC day, or may again." },
);

export const RailNarrowing = closed(
  {
    object: Type.Literal("rail_narrowing", { description: "Always `rail_narrowing`." }),
    id: Uuid,
    account: Uuid,
    bot: Type.String({ description: "The bot whose rails are tighter now, those of all its keys." }),
    narrowed_by: Type.String({ description: "Hash of the key that has narrowed itself, or `operator`." }),
    rails: closed(RAILS, {
      description: "What the bot is held to now; `nothing` where two lists have nothing in common.",
    }),
    created_at: Timestamp,
  },
  {
    title: "RailNarrowing",
    description: "The rails of a bot were made tighter. Only a later grant of its owner loosens them.",
  },
);

/** What holds of a bot's key now. */
export const KeyLimits = nullable(
  closed(
    {
      bot: RAILS.bot,
      rails: closed(RAILS, { description: "What its owner has signed, by the newest grant of the bot." }),
      expires_at: described(Timestamp, "From when on this key opens nothing."),
      trip: nullable(RailTrip, "Why it may not increase for the rest of this UTC day; null where it may."),
      use: closed({
        turnover_today: described(
          Figure,
          "USD traded on this UTC day; never less, since an average price that was cut counts one of its last digit more.",
        ),
        turnover_open: nullable(
          Figure,
          "USD of what may still execute and increase, each at its worst price: it counts as traded. Null while that needs a price which is not known.",
        ),
        loss_today: nullable(
          Figure,
          "USD lost since 00:00 UTC at mark, negative for a gain: realised, fees, funding and what its positions have moved. Best effort; null while a price is not known.",
        ),
        actions_today: Type.Integer({ minimum: 0, description: "Orders, modifies and TWAPs of this UTC day." }),
        open_orders: Type.Integer({ minimum: 0, description: "What may still execute, with what is unknown." }),
        nets: Type.Array(
          closed({
            market: MarketName,
            net: described(Figure, "By all of the bot's own fills, what only reduces among them; negative is short."),
          }),
          { description: "What the bot holds." },
        ),
        positions: Type.Array(
          closed({
            market: MarketName,
            worst_case_size: described(
              Figure,
              "The most that the bot may come to hold there with what may still execute, by which it is judged: what only reduces counts as far as it may go beyond the bot's own.",
            ),
            worst_case_usd: nullable(
              Figure,
              "The same in USD at the highest price of any of it; null while no price is known.",
            ),
          }),
          { description: "Of each market in which the bot holds something or has an order." },
        ),
      }),
      headroom: closed(
        {
          halt: nullable(
            closed({
              cause: words(["loss", "restored", "narrowing_lost", "stopped", "key_ended", "may", "markets"], {
                description:
                  "`loss`: the bot has lost its limit of the day; `restored`: what it had used of its day is not known since a restore; `narrowing_lost`: a narrowing was deleted or changed from outside; `stopped`: a stop of the bot or of the account stands, flattened or not; `key_ended`: the key is blocked, revoked or held, or has expired; `may`: its rails have neither `increase` nor `propose`; `markets`: its narrowings have left it no market. Where several are true one that does not end by itself is told.",
              }),
              until: nullable(Timestamp, "When it is over by itself; null where it takes the owner or the operator."),
            }),
            "Why nothing of the key may increase now, whatever its rails: all that is left is 0 then. Null where it may.",
          ),
          turnover_today: nullable(
            Figure,
            "USD that the bot may still trade on this UTC day; null where that is not limited.",
          ),
          loss_today: nullable(
            Figure,
            "USD that it may still lose on this UTC day; null where that is not limited, or not known.",
          ),
          exposure: nullable(Figure, "USD over all markets; null where that is not limited, or a price is not known."),
          actions_today: nullable(Type.Integer({ minimum: 0 }), "Null where they are not limited."),
          open_orders: nullable(Type.Integer({ minimum: 0 }), "Null where they are not limited."),
          positions: Type.Array(
            closed({
              market: MarketName,
              usd: nullable(
                Figure,
                "What its position may still grow by; null where that is not limited, or no price is known.",
              ),
            }),
            { description: "Of each market in which the bot holds something or has an order." },
          ),
        },
        {
          description:
            "What is left of the rails for what increases, on whichever side, by the judge's own reckoning and the newest prices that are known: an order of exactly so much passes where it is priced no higher than mark and oracle and no other rail is in its way. Each request is judged by the prices of its moment; what only reduces needs none of it.",
        },
      ),
    },
    { title: "KeyLimits" },
  ),
  "What the key is held to and what its bot has used of it; null for a plain key.",
);

export const KeyInListResource = closed(
  { ...ListedApiKeyResource.properties, limits: KeyLimits },
  { title: "ApiKeyInList" },
);

export const KEY_STATES = ["active", "revoked", "blocked", "held", "all"] as const;

export const KeyStateParameter = words(KEY_STATES, { description: "Which keys.", default: "active" });

/** Spec 2.5. */
export const RevocationResource = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    key_hash: KeyHash,
    revoked: Type.Literal(true, { description: "Always true." }),
  },
  { title: "ApiKeyRevocation" },
);

const TypedField = closed({
  name: Type.String({ description: "Name of the member." }),
  type: Type.String({ description: "Solidity type of the member." }),
});

export const TypedDataResource = closed(
  {
    object: Type.Literal("typed_data", { description: "Always `typed_data`." }),
    audience: Type.String({ description: "Which gateway a signature is for; goes into every message." }),
    asking_network: nullable(
      Type.String(),
      "The network that this was asked from, as `sources` of a limited grant names it; null from the gateway's own machine, and through a proxy that is not trusted.",
    ),
    demo: Type.Boolean({
      description:
        "Whether this is the demo of `postern serve --paper`, which holds its owner's key: only there `POST /v1/api-keys/demo` makes one.",
    }),
    domain: closed({
      name: Type.String({ description: "Name of the signing domain." }),
      version: Type.String({ description: "Version of the signing domain." }),
    }),
    types: closed({
      ApiKeyGrant: Type.Array(TypedField, { description: "Members of a grant, in signing order." }),
      LimitedKeyGrant: Type.Array(TypedField, { description: "Members of a grant with rails, in signing order." }),
      ApiKeyRevocation: Type.Array(TypedField, { description: "Members of a revocation, in signing order." }),
      TradingResumption: Type.Array(TypedField, { description: "Members of the end of a stop, in signing order." }),
      ProposalDecision: Type.Array(TypedField, {
        description: "Members of a decision on a proposal, in signing order.",
      }),
      HookGrant: Type.Array(TypedField, { description: "Members of the grant of a hook, in signing order." }),
      HookRevocation: Type.Array(TypedField, { description: "Members of the end of a hook, in signing order." }),
    }),
    examples: Type.Array(
      closed({
        primary_type: Type.String({ description: "Which of the types the message has." }),
        types: Type.Record(Type.String(), Type.Array(TypedField), {
          description: "That type alone: signers refuse others beside it. Wallets want `EIP712Domain` as well.",
        }),
        message: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
          description: "A message with every member filled in.",
        }),
      }),
      { description: "One of each type, with an example account and hash." },
    ),
  },
  { title: "TypedData", description: "EIP-712 data that the account owner signs; `scopes` sorted and comma-joined." },
);
