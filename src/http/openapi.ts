/** The interface description, OpenAPI 3.1, made from the contracts and schemas that the checks are made from. */
import type { TSchema } from "@sinclair/typebox";
import { ERROR_STATUS, ERROR_TYPE, type ErrorCode, type ErrorStatus } from "../core/errors.ts";
import { type Contract, type ContractAnswer, errorsOf, isWrite, maxBodyBytes, NAME_IN_PATH } from "./contract.ts";
import { ERROR_WORDS } from "./error-words.ts";
import apiKeys from "./guide/api-keys.md" with { type: "text" };
import events from "./guide/events.md" with { type: "text" };
import overview from "./guide/overview.md" with { type: "text" };
import type { Route } from "./route.ts";
import { baseOf, MarketName, OrderId, Uuid } from "./schema/common.ts";
import { ErrorBody } from "./schema/error.ts";
import { ProposalId } from "./schema/proposal.ts";
import { MAX_VALUES } from "./strict-json.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Schemas with a title stand under it in `components` and are referred to everywhere else. */
type Components = Map<string, Json>;

export function openApiDocument(given: readonly Route[]): JsonObject {
  const components: Components = new Map();
  const routes = inReadingOrder(given);
  const paths: Record<string, Record<string, Json>> = {};
  for (const { contract } of routes) {
    const method = { [contract.method.toLowerCase()]: operation(contract, components) };
    paths[contract.path] = { ...paths[contract.path], ...method };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Postern",
      version: "1.0.0",
      description: overview,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This gateway." }],
    tags: [...new Set(routes.map(({ contract }) => contract.tag))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "api_trade_ and 64 hex characters",
          description: "An API key, made by its holder and registered by the account owner's signature.",
        },
        setupToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "setup_ and 64 hex characters",
          description: "Token of the one-time link that the gateway prints, or of the session that it was traded for.",
        },
      },
      headers: HEADERS,
      examples: errorExamples(routes),
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** The set-up comes last: it is for the gateway's own page, once, and whoever writes a client has no use for it. */
function inReadingOrder(routes: readonly Route[]): Route[] {
  const isSetup = ({ contract: { access } }: Route) => access === "setup_link" || access === "setup_session";
  return [...routes.filter((route) => !isSetup(route)), ...routes.filter(isSetup)];
}

const TAGS: Readonly<Record<string, string>> = {
  "API keys": apiKeys,
  Orders: "Place, modify, cancel and follow orders.",
  Account: "Balances, and what a key is good for.",
  Positions: "Positions, their leverage and their isolated margin.",
  TWAPs: "Executions over time that the exchange runs.",
  Stop: "Stop what increases, for a key or for the account: at once, or when a bot falls silent. Only the operator or the owner ends a stop.",
  Hooks: "Addresses to which charts send alerts, each acting as a bot.",
  Operations: "Results of actions that are no orders.",
  Fills: "What was traded.",
  Funding: "What was paid for holding positions.",
  Transfers: "What came and went without a trade.",
  Performance: "Who has made what.",
  Equity: "What the account was worth.",
  Audit: "What was granted, revoked, stopped and refused.",
  Events: events,
  Markets: "What can be traded, and what it does now.",
  Status: "How the gateway is doing, for the key's account.",
  Health: "For the operator's monitoring.",
  Description: "This description.",
  "Set-up":
    "From an empty gateway to a first key, for its own page: only with a one-time link, and only until it is done.",
};

const HEADERS = {
  "X-Request-Id": { description: "Names this request in the gateway's log.", schema: { type: "string" } },
  "Retry-After": { description: "Whole seconds to wait before repeating.", schema: { type: "integer", minimum: 1 } },
  "X-RateLimit-Limit": { description: "Requests that the bucket holds when full.", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Requests left in it.", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "Seconds until it is full again.", schema: { type: "integer" } },
  "Idempotent-Replayed": {
    description: "`true` when an earlier request with this Idempotency-Key is being answered again.",
    schema: { type: "string", const: "true" },
  },
  "X-Data-As-Of": {
    description:
      "Time of the oldest part of what is shown, by the exchange's clock, ISO 8601 UTC, where that is more than a second ago (margin, marks and prices: six), and where the answer says so.",
    schema: { type: "string" },
  },
} as const satisfies JsonObject;

/** What each code answers, written once: every route may carry thirty of them. */
function errorExamples(routes: readonly Route[]): JsonObject {
  const codes = new Set(routes.flatMap(({ contract }) => errorsOf(contract)));
  return Object.fromEntries(
    [...codes].sort().map((code) => {
      const error = { type: ERROR_TYPE[ERROR_STATUS[code]], code, message: ERROR_WORDS[code] };
      return [code, { summary: code, value: { error } }];
    }),
  );
}

function headers(names: readonly (keyof typeof HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function operation(contract: Contract, components: Components): JsonObject {
  const { name, tag, summary, description, access, body, bodyExample } = contract;
  const hasKey = access === "trading:read" || access === "trading:write";
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [description, ACCESS[access]].filter((text) => text !== undefined).join(" "),
    // Only OAuth schemes have scopes in OpenAPI; ours are an extension beside the plain bearer key.
    security: hasKey ? [{ apiKey: [] }] : access.startsWith("setup_") ? [{ setupToken: [] }] : [],
    ...(hasKey ? { "x-scope": access } : {}),
    parameters: parameters(contract, components),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: `At most ${maxBodyBytes(contract)} bytes and ${MAX_VALUES} values.`,
            required: contract.isBodyOptional !== true,
            content: { "application/json": { schema: render(body, components), example: asJson(bodyExample) } },
          },
        }),
    responses: { ...answers(contract, components), ...failures(contract, components) },
  };
}

const ACCESS = {
  anybody: "Needs no key.",
  owner_signature: "Needs no key: the account owner's signature in the body authorises it.",
  setup_link: "Needs the token of a one-time link.",
  setup_session: "Needs the token of a set-up session.",
  "trading:read": "Needs a key with the scope `trading:read`.",
  "trading:write": "Needs a key with the scope `trading:write`.",
} as const satisfies Record<Contract["access"], string>;

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description:
    "One key for each action: 8 to 128 visible ASCII characters without spaces. The same key with the same request gives the same answer, unless the exchange has shown since that it was not so; with another request 409. Shared by all API keys of the account.",
  schema: { type: "string", minLength: 8, maxLength: 128, pattern: "^[!-~]{8,128}$" },
  example: "2026-11-21-btc-entry-0001",
} as const satisfies JsonObject;

const OPTIONAL_IDEMPOTENCY_KEY = {
  ...IDEMPOTENCY_KEY,
  required: false,
  description:
    "May be left out. 8 to 128 visible ASCII characters without spaces: the same key answers with the same stop, also after it was ended, so that a repeat that comes late stops nothing anew. Apart from the keys of other writes.",
  example: "2026-11-21-panic-0001",
} as const satisfies JsonObject;

/** Only orders and markets have names that others gave them; every other id is ours. */
function idSchema({ path }: Contract): TSchema {
  if (path.includes("{market}")) return MarketName;
  if (path.startsWith("/v1/proposals/")) return ProposalId;
  return path.startsWith("/v1/orders/") ? OrderId : Uuid;
}

function parameters(contract: Contract, components: Components): Json[] {
  const query = Object.entries(contract.query ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: contract.requiredQuery?.includes(name) === true,
    ...(name === "dex" ? { allowEmptyValue: true } : {}),
    description: schema.description ?? name,
    schema: render(schema, components),
  }));
  const id =
    contract.id === undefined
      ? []
      : [
          {
            name: NAME_IN_PATH.exec(contract.path)?.[1] ?? "id",
            in: "path",
            required: true,
            description: contract.id.description,
            schema: render(idSchema(contract), components),
            example: contract.id.example,
          },
        ];
  const optional = contract.isUrgent === true ? [OPTIONAL_IDEMPOTENCY_KEY] : [];
  return [...id, ...(isWrite(contract) ? [IDEMPOTENCY_KEY] : optional), ...query];
}

function answers({ answers: list, access }: Contract, components: Components): JsonObject {
  const quota = access === "trading:read" || access === "trading:write" ? QUOTA_HEADERS : [];
  return Object.fromEntries(list.map((answer) => [String(answer.status), success(answer, quota, components)]));
}

const QUOTA_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const;

function success(answer: ContractAnswer, quota: readonly (keyof typeof HEADERS)[], components: Components): JsonObject {
  const { description, schema, example, contentType } = answer;
  return {
    description,
    headers: headers(["X-Request-Id", ...quota, ...(answer.headers ?? [])]),
    content: {
      [contentType ?? "application/json"]: { schema: render(schema, components), example: asJson(example) },
    },
  };
}

/** One response a status, listing every code that it may carry here. */
function failures(contract: Contract, components: Components): JsonObject {
  const byStatus = Map.groupBy(errorsOf(contract), (code) => ERROR_STATUS[code]);
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(entries.map(([status, codes]) => [String(status), failure(status, codes, components)]));
}

function failure(status: ErrorStatus, codes: readonly ErrorCode[], components: Components): JsonObject {
  const mayWait = status === 429 || status === 503 || codes.includes("idempotency_in_progress");
  const examples = codes.map((code): [string, Json] => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_WORDS[code]}`).join("\n\n"),
    headers: headers(["X-Request-Id", ...(mayWait ? (["Retry-After"] as const) : [])]),
    content: { "application/json": { schema: render(ErrorBody, components), examples: Object.fromEntries(examples) } },
  };
}

/** The schema as JSON, titled ones by reference. */
function render(schema: TSchema, components: Components): JsonObject {
  const base = baseOf(schema);
  if (typeof base.title !== "string") return expand(schema, components);
  if (!components.has(base.title)) {
    // Put before it is expanded, so that the list keeps its place.
    components.set(base.title, null);
    components.set(base.title, expand(base, components));
  }
  const reference = { $ref: `#/components/schemas/${base.title}` };
  return base === schema ? reference : { ...reference, description: schema.description ?? "" };
}

function expand(schema: TSchema, components: Components): JsonObject {
  const members = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (key === "properties") return [key, renderAll(schema, components)];
    if (key === "discriminator") return [key, discriminatorOf(schema)];
    if (key === "anyOf" && schema["discriminator"] !== undefined) return ["oneOf", renderParts(value, components)];
    if (key === "items" || key === "additionalProperties" || key === "contentSchema")
      return [key, renderPart(value, components)];
    if (key === "anyOf") return [key, renderParts(value, components)];
    return [key, asJson(value)];
  });
  return Object.fromEntries(members);
}

function renderAll({ properties, required }: TSchema, components: Components): JsonObject {
  const entries = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    entries.map(([name, schema]) => {
      const rendered = renderPart(schema, components);
      return [name, needed.includes(name) ? rendered : defaultInWords(rendered)];
    }),
  );
}

/** Generators of clients take a member that has a `default` for one that is always there, also in what is sent. */
function defaultInWords(schema: Json): Json {
  if (!isObject(schema) || schema["default"] === undefined) return schema;
  const { default: value, description, ...rest } = schema;
  return { ...rest, description: `${String(description ?? "")} Default: \`${JSON.stringify(value)}\`.`.trim() };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function renderParts(parts: unknown, components: Components): Json[] {
  return Array.isArray(parts) ? parts.map((part) => renderPart(part, components)) : [];
}

/** By which member its parts are told apart, and which word names which: each part has a title and one word there. */
function discriminatorOf({ discriminator, anyOf }: TSchema): JsonObject {
  const { propertyName } = discriminator as { propertyName: string };
  const parts: readonly TSchema[] = Array.isArray(anyOf) ? anyOf : [];
  const mapping = parts.map(({ title, properties }) => [
    String(properties[propertyName].const),
    `#/components/schemas/${title}`,
  ]);
  return { propertyName, mapping: Object.fromEntries(mapping) };
}

function renderPart(part: unknown, components: Components): Json {
  // TypeBox builds these places from schemas only; `additionalProperties` may also be a boolean.
  return typeof part === "object" && part !== null ? render(part as TSchema, components) : asJson(part);
}

/** Plain data as JSON would write it: symbols and absent members are gone. */
function asJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value ?? null));
  return json;
}
