/**
 * The description as the generator gets it: the same routes and shapes with what only a running gateway can know (its
 * account, an order that rests, an operation). Cases are judged by the description itself, never by this view.
 */

/** What the examples refer to. */
export type Seeds = {
  accountId: string;
  restingOrderId: string;
  modifiedOrderId: string;
  operationId: string;
  /** A cursor of each list that has a second page, by its path. */
  cursors: ReadonlyMap<string, string>;
};

/** Of no order and no operation. */
const UNKNOWN_ID = "01a1fbc7-0000-7000-8000-000000000000";
/** A UUID of a version that there is not: the description refuses it. */
const NO_ID = "01a1fbc7-0000-0000-8000-000000000000";

type Node = Record<string, unknown>;

/** A cursor that no list gave out, and a dex that there is not. */
export const FOREIGN_CURSOR = "01a1fbc7-0000-7000-8000-000000000000";
const DEXES = ["xyz", "nosuch"];

/** A market, one that there is not, and a name that the description refuses. */
const MARKETS = ["BTC", "NOWHERE", "-BTC"];
const MARKET_LISTS = ["BTC,ETH", "BTC,NOWHERE"];

/** Name that ties a request example to its answer. */
const EXAMPLE = "base";
/** Leverage, margin and the like answer 200 or 202 to the same request: one set of cases is enough. */
const SAME_REQUEST_AGAIN = "202";

/** Made of the same parameters by the same code as those of orders. */
const ALIKE = /^\/v1\/exports\/(fills|operations|orders\.csv)/;
/** With these among nine parameters of a list the combinations take longer than all else together; they have tests of their own, in queries. */
const OWN_TESTS = ["until", "market", "key_hash", "bot", "idempotency_key"];
/** Of its pattern the generator would take texts that no calendar has. */
const SINCE = ["2026-11-01"];

/** Takes a key that may only approve, or a signature of a proposal, which a demo has neither of. */
const DECIDES = /^\/v1\/proposals\/\{id\}\//;

const ENDS_THE_RUN = /^\/v1\/(stop|stops\/\{id\}\/(flatten|resume))$/;

export function generatorView(document: Readonly<Node>, seeds: Seeds): Node {
  const view = structuredClone(document);
  for (const [path, methods] of Object.entries(asNode(view["paths"]))) {
    // Set-up takes another kind of token, and the demo is set up already. After the others nothing would be placed, or what the
    // cases stand on would be canceled. Tests of their own go through all of these.
    if (path.startsWith("/v1/setup") || ENDS_THE_RUN.test(path) || DECIDES.test(path) || ALIKE.test(path)) {
      delete asNode(view["paths"])[path];
      continue;
    }
    if (path === "/v1/heartbeat") delete asNode(methods)["put"];
    for (const operation of Object.values(asNode(methods)).map(asNode)) prepare(path, operation, seeds);
  }
  const schemas = asNode(asNode(view["components"])["schemas"]);
  // Conditions between members: the generator takes every `allOf` for a sum of objects.
  for (const schema of Object.values(schemas)) delete asNode(schema)["allOf"];
  for (const name of ["PlaceOrder", "RevokeApiKey", "RevokeAndCancel", "Consent"])
    pinAccount(asNode(schemas[name]), seeds);
  return view;
}

function asNode(value: unknown): Node {
  // Only called where the description has an object; a missing one is a change that must be looked at.
  if (typeof value !== "object" || value === null) throw new Error("contract: the description has changed its shape");
  return value as Node;
}

/** A random account is another account: `account_mismatch` would hide everything behind it. */
function pinAccount(schema: Node, { accountId }: Seeds): void {
  const properties = asNode(schema["properties"]);
  if (properties["account"] === undefined) throw new Error("contract: no account to pin");
  properties["account"] = { type: "string", enum: [accountId] };
}

function prepare(path: string, operation: Node, seeds: Seeds): void {
  const responses = asNode(operation["responses"]);
  delete responses[SAME_REQUEST_AGAIN];
  for (const [status, response] of Object.entries(responses)) {
    if (status >= "300") delete mediaOf(response)["examples"];
  }
  const parameters = (Array.isArray(operation["parameters"]) ? operation["parameters"] : []).map(asNode);
  limitMasks(path, operation, parameters, seeds);
  for (const parameter of parameters) {
    if (parameter["in"] === "path") {
      const isMarket = parameter["name"] === "market";
      parameter["schema"] = { type: "string", enum: isMarket ? MARKETS : [idFor(path, seeds), UNKNOWN_ID, NO_ID] };
      parameter["example"] = isMarket ? MARKETS[0] : idFor(path, seeds);
    }
  }
  if (operation["requestBody"] !== undefined) nameExamples(operation, parameters, responses, seeds);
}

/** A random cursor, dex or market is refused, and would hide whether a spoilt parameter beside it is. */
function limitMasks(path: string, operation: Node, parameters: readonly Node[], { cursors }: Seeds): void {
  const cursor = cursors.get(path);
  for (const parameter of parameters) {
    if (parameter["name"] === "since") parameter["schema"] = { type: "string", enum: SINCE };
    if (parameter["name"] === "dex") parameter["schema"] = { type: "string", enum: DEXES };
    if (parameter["name"] === "markets") parameter["schema"] = { type: "string", enum: MARKET_LISTS };
    if (parameter["name"] === "cursor" && cursor !== undefined) {
      parameter["schema"] = { type: "string", enum: [cursor, FOREIGN_CURSOR] };
    }
  }
  // The proxy says that a stream of events is not to be followed: it would never end.
  const left = [...OWN_TESTS, ...(cursor === undefined ? ["cursor", "follow"] : ["follow"])];
  operation["parameters"] = parameters.filter((each) => each["in"] === "path" || !left.includes(String(each["name"])));
}

function idFor(path: string, { restingOrderId, modifiedOrderId, operationId }: Seeds): string {
  if (path.startsWith("/v1/operations/")) return operationId;
  if (/^\/v1\/(stops|trades|cancel-alls)\//.test(path)) return UNKNOWN_ID;
  return path.endsWith("/modify") ? modifiedOrderId : restingOrderId;
}

/** The generator varies one example at a time, and only one that has a name on both sides. */
function nameExamples(operation: Node, parameters: readonly Node[], responses: Node, { accountId }: Seeds): void {
  const request = mediaOf(operation["requestBody"]);
  const sent = structuredClone(asNode(request["example"]));
  if (sent["account"] !== undefined) sent["account"] = accountId;
  if (sent["consent"] !== undefined) asNode(sent["consent"])["account"] = accountId;
  setExample(request, sent);
  const success = mediaOf(Object.values(responses)[0]);
  setExample(success, success["example"]);
  for (const parameter of parameters) {
    if (parameter["example"] !== undefined) setExample(parameter, parameter["example"]);
  }
}

function setExample(place: Node, value: unknown): void {
  delete place["example"];
  place["examples"] = { [EXAMPLE]: { value } };
}

function mediaOf(place: unknown): Node {
  return asNode(Object.values(asNode(asNode(place)["content"]))[0]);
}
