/** Where requests come in: HTTP rules first, then faults, then the venue. */
import {
  answerOfStatus,
  gatewayPage,
  type HttpAnswer,
  NOT_FOUND,
  NOT_JSON,
  SERVER_ERROR,
  TOO_LARGE,
  TOO_MANY,
  WRONG_CONTENT_TYPE,
  WRONG_METHOD,
} from "./answers.ts";
import { fillDue } from "./by-others.ts";
import type { Desk } from "./desk.ts";
import { memberOf } from "./exchange/decode.ts";
import { type ExactJson, parseJsonText } from "./exchange/json-text.ts";
import { answerExchange } from "./exchange-desk.ts";
import { type RequestFault, requestFault } from "./faults.ts";
import { infoTypeOf } from "./info/types.ts";
import { answerInfo } from "./info-desk.ts";
import { moveMarkets } from "./market-moves.ts";
import { notModelled } from "./not-modelled.ts";
import { plainValue } from "./plain-value.ts";
import { catchUp, nowMs } from "./runtime.ts";
import { exchangeWeight, infoWeight, spendWeight } from "./weights.ts";

/** As much as the exchange reads of a body. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Characters of an answer that get through before the fault `reset` strikes. */
const BEFORE_RESET = 12;
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
} as const;

export async function handleHttp(desk: Desk, request: Request, address: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "OPTIONS") return new Response(null, { status: 200, headers: CORS });
  const isKnown =
    pathname === "/info" || pathname === "/exchange" || (pathname === "/control" && desk.control !== null);
  if (!isKnown) return respond(NOT_FOUND);
  if (request.method !== "POST") return respond(WRONG_METHOD);
  if (!isJsonType(request.headers.get("content-type"))) return respond(WRONG_CONTENT_TYPE);
  const text = await bodyText(request);
  if (text === null) return respond(TOO_LARGE);
  const json = parseJsonText(text);
  if (json === undefined) return respond(NOT_JSON);
  letTimePass(desk);
  if (pathname === "/control") return respond(desk.control?.(json) ?? NOT_FOUND);
  return answerHttp(desk, { on: pathname === "/info" ? "info" : "exchange", json, address, signal: request.signal });
}

/** `application/json` and `application/…+json`, whatever parameters follow. */
function isJsonType(header: string | null): boolean {
  return header !== null && /^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i.test(header.trim());
}

/** Null: too long. Text that is no UTF-8 comes out as something that is no JSON. */
async function bodyText(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return null;
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > MAX_BODY_BYTES) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

type Incoming = {
  readonly on: "info" | "exchange";
  readonly json: ExactJson;
  readonly address: string;
  readonly signal: AbortSignal;
};

async function answerHttp(desk: Desk, incoming: Incoming): Promise<Response> {
  if (!isWithinWeight(desk, incoming)) return respond(TOO_MANY);
  const { on, json, signal } = incoming;
  const fault = requestFault(desk.faults, on, typeOf(on, json));
  if (fault === null) return respond(answer(desk, on, json, null));
  switch (fault.kind) {
    case "lose_answer":
      if (fault.executed) answer(desk, on, json, null);
      return silence(signal);
    case "reset": {
      const lost = fault.executed ? answer(desk, on, json, null) : SERVER_ERROR;
      return brokenResponse(lost);
    }
    case "delay":
      return delayed(desk, incoming, fault);
    case "refuse":
      if (fault.copyAfterMs !== undefined) void arriveLater(desk, incoming, fault.copyAfterMs);
      return respond(faultyAnswer(desk, { on, json, fault }));
    default:
      return respond(faultyAnswer(desk, { on, json, fault }));
  }
}

function letTimePass(desk: Desk): void {
  catchUp(desk.runtime, nowMs(desk.runtime));
  moveMarkets(desk);
  fillDue(desk.runtime, desk.fills);
}

function isWithinWeight(desk: Desk, { on, json, address }: Incoming): boolean {
  const limit = desk.faults.file.ipWeightPerMinute;
  if (limit === undefined) return true;
  const weight = on === "exchange" ? exchangeWeight(json) : infoWeight(json);
  return spendWeight(desk.weights, { address, weight, limit, nowMs: nowMs(desk.runtime) });
}

async function delayed(
  desk: Desk,
  { on, json }: Incoming,
  { ms, executed }: Extract<RequestFault, { kind: "delay" }>,
): Promise<Response> {
  if (executed) {
    const early = answer(desk, on, json, null);
    await desk.sleep(ms);
    return respond(early);
  }
  await desk.sleep(ms);
  letTimePass(desk);
  return respond(answer(desk, on, json, null));
}

/** On another way, by another server; nobody hears its answer. */
async function arriveLater(desk: Desk, { on, json }: Incoming, ms: number): Promise<void> {
  await desk.sleep(ms);
  letTimePass(desk);
  answer(desk, on, json, null);
}

type FaultyRequest = { readonly on: "info" | "exchange"; readonly json: ExactJson; readonly fault: RequestFault };

/** Faults that are an answer like any other, over HTTP and over the websocket. */
function faultyAnswer(desk: Desk, { on, json, fault }: FaultyRequest): HttpAnswer {
  switch (fault.kind) {
    case "status":
      return answerOfStatus(fault.status);
    case "bad_gateway":
      if (fault.executed) answer(desk, on, json, null);
      return gatewayPage(fault.status);
    case "twice":
      answer(desk, on, json, null);
      return answer(desk, on, json, null);
    default:
      return answer(desk, on, json, fault);
  }
}

function answer(desk: Desk, on: "info" | "exchange", json: ExactJson, fault: RequestFault | null): HttpAnswer {
  const missing = notModelled(on, typeOf(on, json));
  if (missing !== null) return missing;
  return on === "info" ? answerInfo(desk, json, fault) : answerExchange(desk, json, fault);
}

/** The request inside a websocket `post`. Refusals of the HTTP level come as an error with their status and text. */
export async function answerPost(desk: Desk, type: "info" | "action", payload: ExactJson): Promise<unknown> {
  letTimePass(desk);
  const on = type === "info" ? "info" : "exchange";
  const name = typeOf(on, payload);
  const fault = requestFault(desk.faults, on, name);
  if (fault?.kind === "delay" && !fault.executed) await desk.sleep(fault.ms);
  const isPlain = fault === null || fault.kind === "delay";
  const given = isPlain ? answer(desk, on, payload, null) : faultyAnswer(desk, { on, json: payload, fault });
  if (fault?.kind === "delay" && fault.executed) await desk.sleep(fault.ms);
  if (fault?.kind === "lose_answer" || fault?.kind === "reset") return new Promise(() => {});
  if (given.status !== 200) return { type: "error", payload: postError(given) };
  const parsed = parseJsonText(given.body);
  const value = parsed === undefined ? null : plainValue(parsed);
  return on === "info" ? { type: "info", payload: { type: name, data: value } } : { type: "action", payload: value };
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

function postError({ status, contentType, body }: HttpAnswer): string {
  const reason = `${status} ${REASONS[status] ?? ""}`.trim();
  return contentType.startsWith("text/plain") && body !== "" ? `${reason}: ${body}` : reason;
}

function typeOf(on: "info" | "exchange", json: ExactJson): string | null {
  return on === "info" ? infoTypeOf(json) : actionTypeOf(json);
}

function actionTypeOf(json: ExactJson): string | null {
  const type = memberOf(memberOf(json, "action") ?? null, "type");
  return typeof type === "string" ? type : null;
}

function respond({ status, contentType, body }: HttpAnswer): Response {
  return new Response(body, { status, headers: { ...CORS, "content-type": contentType } });
}

/** Nothing, until the client gives up. */
function silence(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => reject(new DOMException("The client has gone away.", "AbortError"));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** The first bytes of the answer, and then the connection breaks. */
function brokenResponse({ status, contentType, body }: HttpAnswer): Response {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(body.slice(0, BEFORE_RESET)));
    },
    pull: (controller) => {
      // Without a reason the runtime prints none.
      controller.error();
    },
  });
  return new Response(stream, { status, headers: { ...CORS, "content-type": contentType } });
}
