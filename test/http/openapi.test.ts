import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ERROR_STATUS } from "../../src/core/errors.ts";
import { EVENT_TYPES } from "../../src/core/event.ts";
import { errorsOf } from "../../src/http/contract.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { KEYS, openRig } from "./rig.ts";

const ROUTES = allRoutes();
const DOCUMENT = openApiDocument(ROUTES);
const TEXT = JSON.stringify(DOCUMENT);

/** Every value at any depth with the path to it. */
function* walk(value: unknown, path = "#"): Generator<{ path: string; value: unknown }> {
  yield { path, value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) yield* walk(part, `${path}/${name}`);
}

function at(reference: string): unknown {
  const steps = reference.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], DOCUMENT);
}

describe("the interface description", () => {
  test("is OpenAPI 3.1 of version 1.0.0, and what is served is what is made", async () => {
    expect(DOCUMENT["openapi"]).toBe("3.1.0");
    expect((DOCUMENT["info"] as { version: string }).version).toBe("1.0.0");
    const served = await openRig().ask({ path: "/openapi.json" });
    expect(await served.text()).toBe(TEXT);
  });

  test("refers to nothing that is not there, and keeps nothing that nobody refers to", () => {
    const references = [...walk(DOCUMENT)]
      .filter(({ path }) => path.endsWith("/$ref"))
      .map(({ value }) => String(value));
    for (const reference of references) expect([reference, typeof at(reference)]).toEqual([reference, "object"]);
    const used = new Set(references);
    const { schemas, headers } = DOCUMENT["components"] as { schemas: object; headers: object };
    for (const name of Object.keys(schemas)) expect(used).toContain(`#/components/schemas/${name}`);
    for (const name of Object.keys(headers)) expect(used).toContain(`#/components/headers/${name}`);
  });

  test("describes every field of every object", () => {
    const properties = [...walk(DOCUMENT)].filter(({ path }) => path.endsWith("/properties"));
    expect(properties.length).toBeGreaterThan(20);
    for (const { path, value } of properties) {
      for (const [field, schema] of Object.entries(value as Record<string, { $ref?: string; description?: string }>)) {
        const target = schema.$ref === undefined ? schema : (at(schema.$ref) as { description?: string });
        const isDescribed = (schema.description ?? target.description ?? "") !== "" || "properties" in target;
        expect([`${path}/${field}`, isDescribed]).toEqual([`${path}/${field}`, true]);
      }
    }
  });

  test("closes every object that a client sends", () => {
    for (const { contract } of ROUTES) {
      for (const { path, value } of walk(contract.body ?? null)) {
        const isObject = typeof value === "object" && value !== null && "properties" in value && "type" in value;
        if (isObject)
          expect([contract.name, path, Reflect.get(value, "additionalProperties")]).toEqual([
            contract.name,
            path,
            false,
          ]);
      }
    }
  });

  test("lists for every route its scope, headers, statuses and codes", () => {
    for (const { contract } of ROUTES) {
      const operation = at(`#/paths`) as Record<string, Record<string, Operation>>;
      const {
        security,
        parameters,
        responses,
        "x-scope": scope,
      } = operation[contract.path]?.[contract.method.toLowerCase()] ?? fail(contract.name);
      const needsKey = contract.access === "trading:read" || contract.access === "trading:write";
      const isSetup = contract.access === "setup_link" || contract.access === "setup_session";
      expect(security).toEqual(needsKey ? [{ apiKey: [] }] : isSetup ? [{ setupToken: [] }] : []);
      expect(scope).toBe(needsKey ? contract.access : undefined);
      const names = parameters.map(({ name }) => name);
      expect(names.includes("Idempotency-Key")).toBe(contract.access === "trading:write" && contract.method === "POST");
      expect(names.includes("id")).toBe(contract.path.includes("{id}"));
      const inPath = parameters.flatMap((parameter) => (parameter.in === "path" ? [parameter.name] : []));
      expect(inPath.includes("market")).toBe(contract.path.includes("{market}"));
      for (const code of errorsOf(contract)) {
        expect(responses[String(ERROR_STATUS[code])]?.description).toContain(`\`${code}\``);
      }
      for (const status of Object.keys(responses))
        expect(["200", "201", "202", "400", "401", "403", "404", "409", "429", "503"]).toContain(status);
      for (const [status, response] of Object.entries(responses)) {
        expect(Object.keys(response.headers)).toContain("X-Request-Id");
        if (status === "429") expect(Object.keys(response.headers)).toContain("Retry-After");
      }
    }
  });

  test("has an example of every answer and request body, and each fits its schema", () => {
    for (const { contract } of ROUTES) {
      if (contract.body !== undefined)
        expect([contract.name, Value.Check(contract.body, contract.bodyExample)]).toEqual([contract.name, true]);
      for (const { status, schema, example } of contract.answers) {
        expect([contract.name, status, Value.Check(schema, example)]).toEqual([contract.name, status, true]);
      }
    }
  });

  test("names each operation and each path with its method once", () => {
    const names = ROUTES.map(({ contract }) => contract.name);
    expect(new Set(names).size).toBe(names.length);
    const places = ROUTES.map(({ contract }) => `${contract.method} ${contract.path}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test("leaves what may be left out of a request without a `default`, and tells it in words", () => {
    const objects = [...walk(DOCUMENT)].flatMap(({ path, value }) => (isShape(value) ? [{ path, ...value }] : []));
    for (const { path, properties, required = [] } of objects) {
      for (const [name, member] of Object.entries(properties)) {
        const isAlwaysThere = required.includes(name);
        expect([`${path}/${name}`, isAlwaysThere || !("default" in member)]).toEqual([`${path}/${name}`, true]);
      }
    }
    const words = (name: string) => (at(name) as { description: string }).description;
    const members = "#/components/schemas/PlaceOrder/properties";
    expect(words(`${members}/time_in_force`)).toEndWith('Default: `"gtc"`.');
    expect(words(`${members}/reduce_only`)).toEndWith("Default: `false`.");
    expect(words("#/components/schemas/Consent/properties/expires_at")).toEndWith("Default: `null`.");
  });

  test("enumerates the codes of errors, all of them", () => {
    expect(at("#/components/schemas/Error/properties/error/properties/code")).toEqual({
      $ref: "#/components/schemas/ErrorCode",
    });
    expect((at("#/components/schemas/ErrorCode") as { enum: string[] }).enum).toEqual(Object.keys(ERROR_STATUS));
  });

  test("tells the data of an event by its type, each type once", () => {
    const { oneOf, discriminator } = at("#/components/schemas/Event") as EventShape;
    expect(discriminator.propertyName).toBe("type");
    expect(Object.keys(discriminator.mapping)).toEqual([...EVENT_TYPES, "ready", "reset"]);
    expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping));
    const PLACED: readonly string[] = ["order.created", "order.updated", "order.removed", "order.self_trade"];
    for (const [type, reference] of Object.entries(discriminator.mapping)) {
      const { properties, required } = at(reference) as { properties: Properties; required: string[] };
      expect([type, properties["type"]?.const]).toEqual([type, type]);
      expect(required).toEqual(Object.keys(properties));
      expect([type, required.includes("idempotency_key")]).toEqual([type, PLACED.includes(type)]);
    }
    expect(at("#/components/schemas/OrderUpdatedEvent/properties/data")).toEqual({
      $ref: "#/components/schemas/Order",
    });
  });

  test("ends with the set-up, which no client needs", () => {
    const operations = Object.entries(DOCUMENT["paths"] as object).flatMap(([path, methods]) =>
      Object.values(methods as Record<string, { tags: string[] }>).map(({ tags }) => ({ path, tag: tags[0] })),
    );
    const first = operations.findIndex(({ tag }) => tag === "Set-up");
    expect(first).toBeGreaterThan(20);
    for (const { path, tag } of operations.slice(first)) {
      expect([path, tag, path.startsWith("/v1/setup")]).toEqual([path, "Set-up", true]);
    }
    expect((DOCUMENT["tags"] as { name: string }[]).at(-1)?.name).toBe("Set-up");
  });

  test("says what may not be in words that every generator of clients takes for a text", () => {
    expect([...walk(DOCUMENT)].filter(({ path }) => path.endsWith("/not"))).toEqual([]);
    for (const name of ["PositiveDecimal", "AdjustMargin/properties/amount"]) {
      const { type, pattern, ...told } = at(`#/components/schemas/${name}`) as Record<string, unknown>;
      const demand = JSON.stringify([type, told["if"], told["then"]]);
      expect([name, demand]).toEqual([name, '["string",{"type":"string"},{"pattern":"[1-9]"}]']);
      for (const [text, isTaken] of [
        ["0", false] as const,
        ["0.000", false] as const,
        ["0.001", true] as const,
        ["10", true] as const,
      ]) {
        const fits = new RegExp(String(pattern)).test(text) && /[1-9]/.test(text);
        expect([name, text, fits]).toEqual([name, text, isTaken]);
      }
    }
  });

  test("has patterns that a JavaScript and a Rust reader understand alike", () => {
    for (const { path, value } of walk(DOCUMENT)) {
      if (!path.endsWith("/pattern")) continue;
      expect(() => new RegExp(String(value), "u")).not.toThrow();
      expect(String(value)).not.toMatch(/\(\?[=!<]|\\[dws]/);
    }
  });
});

type Properties = Record<string, { const?: string; default?: unknown }>;
type EventShape = {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
};

function isShape(value: unknown): value is { properties: Properties; required?: string[] } {
  return typeof value === "object" && value !== null && "properties" in value && "type" in value;
}

type Operation = {
  security: unknown[];
  "x-scope"?: string;
  parameters: { name: string; in?: string }[];
  responses: Record<string, { description: string; headers: object }>;
};

function fail(name: string): never {
  throw new Error(`${name} is not described`);
}

test("markets and balances answered here fit what is described", async () => {
  const rig = openRig();
  const response = await rig.ask({ path: "/v1/markets", apiKey: KEYS.both });
  expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(4);
});
