/** Every route of the live inventory with the worst that it may be sent. */
import { randomBytes, randomUUID } from "node:crypto";
import { pageRoutes } from "../../src/http/console.ts";
import { type Contract, maxBodyBytes, NAME_IN_PATH } from "../../src/http/contract.ts";
import { handoutRoutes } from "../../src/http/handouts.ts";
import { mcpRoutes } from "../../src/http/mcp/route.ts";
import { allRoutes } from "../../src/http/routes.ts";
import type { Started } from "../crash/processes.ts";
import type { BookIds } from "./full-books.ts";
import { nastyBodies, nastyHeaders, nastyHosts, nastyIds, nastyQueries } from "./nasty.ts";

export type Case = { route: string; name: string; make: () => Buffer };

/** `setupToken` null: of a gateway that is set up, whose routes of the set-up only refuse whoever asks. */
export type Keys = { apiKey: string; account: string; setupToken: string | null };

/** Routes that read a header which no other reads. */
const READS_HEADERS: ReadonlySet<string> = new Set(["/", "/v1/events"]);
const MARKET_STREAM = "/v1/stream";
/** Routes whose answer has no end where that is not asked for. */
const STREAMS: ReadonlySet<string> = new Set(["/v1/events", MARKET_STREAM]);
const SETUP = "/v1/setup";
const STRANGER = `setup_${"0".repeat(64)}`;
const BODY_BYTES = 64 * 1024;
/** In pieces of one byte each, which is the most work for the fewest of them. */
const PIECES_BYTES = 8 * 1024;

type Asked = {
  path: string;
  query?: string;
  headers?: readonly string[];
  host?: string;
  body?: string | null;
};

export function casesOf(gateway: Started, keys: Keys, ids: BookIds): Case[] {
  const { host } = new URL(gateway.facts["base_url"] ?? "");
  const contracts = [...allRoutes(), ...mcpRoutes(), ...pageRoutes(), ...handoutRoutes()].map(
    ({ contract }) => contract,
  );
  // Of a gateway that is set up a stranger may ask for all of them.
  const wanted = contracts.filter(({ path }) => keys.setupToken === null || path.startsWith(SETUP));
  const seen = new Set<string>();
  return wanted.flatMap((contract) => {
    const isDone = keys.setupToken === null && contract.path.startsWith(SETUP);
    const route = `${contract.method} ${contract.path}${isDone ? " (done)" : ""}`;
    // Headers are read in the same places for all routes of a kind, and by some routes besides.
    const kind = READS_HEADERS.has(contract.path) ? contract.path : `${contract.access} ${contract.method}`;
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return inputs(contract, isFirst, { host, keys, ids }).map(({ name, asked }) => ({
      route,
      name,
      make: () => bytesOf(contract, asked(), { host, keys }),
    }));
  });
}

type About = { host: string; keys: Keys; ids: BookIds };
type Input = { name: string; asked: () => Asked };

function inputs(contract: Contract, isFirst: boolean, about: About): Input[] {
  const path = contract.path.replace(NAME_IN_PATH, idOf(contract, about.ids));
  const good = goodBody(contract, about);
  const body = good === null ? null : JSON.stringify(good);
  const again = contract.access === "trading:write" ? [REPEATED] : [];
  const known = Object.keys(contract.query ?? {});
  return [
    { name: "as it should be", asked: () => ({ path, body }) },
    { name: "nobody's key", asked: () => ({ path, body, headers: [`Authorization: Bearer api_trade_${hex(32)}`] }) },
    ...nastyHeaders(isFirst).map(({ name, text }) => ({
      name,
      asked: () => ({ path, body, headers: text.startsWith("Idempotency-Key") ? [text] : [...again, text] }),
    })),
    ...nastyHosts(about.host).map(({ name, text }) => ({ name, asked: () => ({ path, body, host: text }) })),
    ...nastyQueries(known).map(({ name, text }) => ({ name, asked: () => ({ path, body, query: text }) })),
    ...largestPages(known, about.ids).map((query) => ({ name: query, asked: () => ({ path, query }) })),
    ...(NAME_IN_PATH.test(contract.path) ? nastyIds() : []).map(({ name, text }) => ({
      name,
      asked: () => ({ path: contract.path.replace(NAME_IN_PATH, text), body }),
    })),
    ...(good === null ? [] : bodies(contract, path, good)),
  ];
}

function bodies(contract: Contract, path: string, good: Readonly<Record<string, unknown>>): Input[] {
  const nasty = nastyBodies(good, maxBodyBytes(contract));
  const text = JSON.stringify(good);
  return [
    ...nasty.map(({ name, text }) => ({ name: `${text.length} bytes: ${name}`, asked: () => ({ path, body: text }) })),
    { name: "a body over the limit", asked: () => ({ path, body: " ".repeat(BODY_BYTES + 1) }) },
    { name: "a body in many pieces", asked: () => ({ path, body: null, headers: [PIECES] }) },
    ...(text.includes('"signature"') ? signatures(path, good) : []),
    ...(contract.isBodyOptional === true ? [{ name: "no body", asked: () => ({ path, body: null }) }] : []),
  ];
}

/** Everything is as it should be but the signature, so that a signer has to be recovered. */
function signatures(path: string, good: Readonly<Record<string, unknown>>): Input[] {
  const signed = (signature: string) => JSON.stringify({ ...good, signature });
  return [
    { name: "another signature each", asked: () => ({ path, body: signed(`0x${hex(32)}00${hex(31)}1b`) }) },
    { name: "a signature of no point", asked: () => ({ path, body: signed(`0x${"00".repeat(31)}05${hex(32)}1c`) }) },
  ];
}

/** The largest page of a list, from its beginning and from its end. */
function largestPages(known: readonly string[], { fill, operation, order }: BookIds): string[] {
  if (!known.includes("limit")) return known.includes("after") ? ["after=0&follow=false"] : [];
  const cursors = [order, operation, fill].map((id) => `&cursor=${encodeURIComponent(id)}`);
  const filters = known.includes("status") ? ["", "&status=open", "&status=filled", "&status=rejected"] : [""];
  return ["", ...cursors].flatMap((cursor) => filters.map((filter) => `limit=500${filter}${cursor}`));
}

function idOf({ path }: Contract, { order, operation }: BookIds): string {
  if (path.startsWith("/v1/operations")) return operation;
  if (path.startsWith("/v1/markets")) return "BTC";
  if (path.startsWith("/llms")) return "postern.js";
  return path.startsWith("/assets") ? "console.js" : order;
}

function goodBody(contract: Contract, { keys: { account }, ids }: About): Record<string, unknown> | null {
  if (contract.body === undefined) return null;
  // An example in the description is an object.
  const example = { ...(contract.bodyExample as Record<string, unknown>) };
  if ("account" in example) example["account"] = account;
  if ("twap_id" in example) example["twap_id"] = ids.twap;
  const consent = example["consent"];
  return typeof consent === "object" ? { ...example, consent: { ...consent, account } } : example;
}

/** What a header costs is not what an order costs: all of them ask for the same one. */
const REPEATED = `Idempotency-Key: ${randomUUID()}`;
/** Stands for a body that is sent in pieces of one byte. */
const PIECES = "Transfer-Encoding: chunked";

function bytesOf(contract: Contract, asked: Asked, { host, keys }: Pick<About, "host" | "keys">): Buffer {
  const { path, query, headers = [], body = null } = asked;
  const isIn = (name: string) => headers.some((line) => line.startsWith(`${name}:`));
  const isKeyed = contract.access === "trading:write" && !isIn("Idempotency-Key");
  const isChunked = headers.includes(PIECES);
  const key = path.startsWith(SETUP) ? (keys.setupToken ?? STRANGER) : keys.apiKey;
  // A stream that follows has no end.
  const ended = STREAMS.has(path) && query?.includes("follow") !== true ? ["follow=false"] : [];
  const named = path === MARKET_STREAM && query?.includes("markets") !== true ? ["markets=BTC,ETH"] : [];
  const parts = [...ended, ...named, ...(query === undefined ? [] : [query])].join("&");
  const lines = [
    `${contract.method} ${path}${parts === "" ? "" : `?${parts}`} HTTP/1.1`,
    `Host: ${asked.host ?? host}`,
    ...(isIn("Authorization") ? [] : [`Authorization: Bearer ${key}`]),
    ...(isKeyed ? [`Idempotency-Key: ${randomUUID()}`] : []),
    // Of the protocol's own: without it nothing else is looked at.
    ...(path === "/mcp" && !isIn("Accept") ? ["Accept: application/json, text/event-stream"] : []),
    ...(isIn("Content-Type") ? [] : ["Content-Type: application/json"]),
    ...(contract.method === "GET" || isChunked ? [] : [`Content-Length: ${Buffer.byteLength(body ?? "", "latin1")}`]),
    ...headers,
  ];
  const rest = isChunked
    ? `${'1\r\n"\r\n'.repeat(PIECES_BYTES)}0\r\n\r\n`
    : contract.method === "GET"
      ? ""
      : (body ?? "");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${rest}`, "latin1");
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
