import type { NoopAnswer } from "../../core/attempt.ts";
import type { Decimal } from "../../core/decimal.ts";
import { parseJson } from "../json.ts";
import {
  givenId,
  money,
  oneOf,
  orNull,
  rows,
  type Source,
  source,
  sourceOf,
  sourceOrNull,
  text,
  textOrNull,
} from "./read.ts";
import { isListedRefusal } from "./refusal.ts";

/** What the exchange says became of one order, cancel or TWAP of an action. Ids are decimal digits. */
export type StatusEntry =
  | { kind: "resting"; oid: string; cloid: string | null }
  | { kind: "filled"; oid: string; cloid: string | null; totalSize: Decimal; averagePrice: Decimal }
  /** A trigger order in place; the native id has to be looked up. */
  | { kind: "waiting_for_trigger" }
  /** A child that goes live when its parent has filled. */
  | { kind: "waiting_for_fill" }
  | { kind: "success" }
  | { kind: "running"; twapId: string }
  /** Whether the text proves a refusal is `isListedRefusal`'s to say. */
  | { kind: "error"; text: string };

export type AcceptedType = "order" | "cancel" | "default" | "twapOrder" | "twapCancel";

export type AmbiguousReason =
  | "nonce"
  | "expired"
  | "rate_limited"
  | "server_error"
  | "unreadable"
  | "unlisted_text"
  | "schema_unlisted"
  | "unexpected_status"
  /** A refusal of what the exchange shows all the same. */
  | "contradicted"
  /** Nothing came back; a text is then the connection's word, and none of the exchange's. */
  | "no_answer";

/**
 * What came back for one action, and what it proves. Everything that is not known to be definite is ambiguous: it may have
 * been executed.
 */
export type Reply =
  /** One entry for each order or cancel of the batch, or a single error for all of them. */
  | { kind: "accepted"; type: AcceptedType; statuses: StatusEntry[] }
  /** Not executed. `bug` when the exchange could not read what we sent. */
  | { kind: "refused"; text: string; bug: boolean }
  | { kind: "ambiguous"; reason: AmbiguousReason; text: string | null };

/** Longest body that is looked at, characters; the longest true one is a batch of 200 statuses. */
const MAX_BODY = 1_048_576;
/** Longest text kept of an answer that proves nothing. */
const MAX_KEPT_TEXT = 400;

/** The only bodies with which these HTTP statuses prove that nothing was executed. */
const UNREAD = new Map([
  [400, "Failed to parse the request body as JSON"],
  [415, "Expected request with `Content-Type: application/json`"],
  [422, "Failed to deserialize the JSON body into the target type"],
]);

/** Total: never throws, and default ambiguous. */
export function classifyReply(httpStatus: number, body: string): Reply {
  if (httpStatus === 200) return classifyBody(body);
  const kept = keepBody(body);
  if (UNREAD.has(httpStatus)) {
    const unread = UNREAD.get(httpStatus);
    return body.trim() === unread ? refused(unread, true) : ambiguous("schema_unlisted", kept);
  }
  if (httpStatus === 429) return ambiguous("rate_limited", kept);
  return ambiguous(httpStatus >= 500 ? "server_error" : "unexpected_status", kept);
}

function classifyBody(body: string): Reply {
  const answer = body.length > MAX_BODY ? null : orNull(() => sourceOf(parseJson(body)));
  const reply = answer === null ? null : orNull(() => classifyAnswer(answer));
  return reply ?? ambiguous("unreadable", keepBody(body));
}

function classifyAnswer(answer: Source): Reply {
  if (oneOf(answer, "status", ["ok", "err"]) === "err") return classifyRefusal(text(answer, "response"));
  const response = source(answer, "response");
  const type = oneOf(response, "type", ["order", "cancel", "default", "twapOrder", "twapCancel"]);
  if (type === "default") return { kind: "accepted", type, statuses: [] };
  const data = source(response, "data");
  if (type === "twapOrder" || type === "twapCancel") {
    return { kind: "accepted", type, statuses: [statusEntry(data["status"])] };
  }
  const statuses = rows(data, "statuses", statusEntry);
  return statuses.length === 0 ? ambiguous("unreadable", null) : { kind: "accepted", type, statuses };
}

function classifyRefusal(response: string): Reply {
  if (isListedRefusal(response)) return refused(response, false);
  const kept = keep(response);
  if (/^(?:L1 error: )?(?:Invalid nonce|Nonce mismatch)/.test(response)) return ambiguous("nonce", kept);
  if (/^(?:L1 error: )?Action already expired/.test(response)) return ambiguous("expired", kept);
  return ambiguous("unlisted_text", kept);
}

function refused(said: string, bug: boolean): Reply {
  return { kind: "refused", text: said, bug };
}

function ambiguous(reason: AmbiguousReason, said: string | null): Reply {
  return { kind: "ambiguous", reason, text: said };
}

/** A page is a proxy's on the way and not the exchange's: nothing of it is quoted as an answer. */
function keepBody(body: string): string | null {
  return /^\s*</.test(body) ? null : keep(body);
}

function keep(body: string): string | null {
  const kept = body
    .slice(0, MAX_KEPT_TEXT)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return kept === "" ? null : kept;
}

const WORDS = new Map<unknown, StatusEntry>([
  ["waitingForTrigger", { kind: "waiting_for_trigger" }],
  ["waitingForFill", { kind: "waiting_for_fill" }],
  ["success", { kind: "success" }],
]);

/** Throws on an entry of another shape; the caller turns that into ambiguous. */
function statusEntry(value: unknown): StatusEntry {
  const word = WORDS.get(value);
  if (word !== undefined) return word;
  const entry = sourceOf(value);
  const resting = sourceOrNull(entry, "resting");
  if (resting !== null) return { kind: "resting", ...ids(resting) };
  const filled = sourceOrNull(entry, "filled");
  if (filled !== null) {
    const averagePrice = money(filled, "avgPx");
    return { kind: "filled", ...ids(filled), totalSize: money(filled, "totalSz"), averagePrice };
  }
  const running = sourceOrNull(entry, "running");
  if (running !== null) return { kind: "running", twapId: givenId(running, "twapId") };
  return { kind: "error", text: text(entry, "error") };
}

function ids(entry: Source): { oid: string; cloid: string | null } {
  return { oid: givenId(entry, "oid"), cloid: textOrNull(entry, "cloid")?.toLowerCase() ?? null };
}

/** The exchange's own words in an answer that proves nothing; what the connection said is none of them, and is never shown as that. */
export function wordsWithoutProof(reply: Reply & { kind: "ambiguous" }): string | null {
  return reply.reason === "no_answer" ? null : reply.text;
}

/**
 * What the answer to a `noop` proves about its nonce: `ok` means that our noop took it; `duplicate` that something with
 * this nonce was there before; `too_low` that it is too low for anything. `ok` is the word of whatever executes the actions and no store that
 * may be behind, but it names nothing; the other two name the number that they are about, and another's is no word of ours.
 */
export function noopAnswer(reply: Reply, nonce: number): NoopAnswer {
  if (reply.kind === "accepted") return reply.type === "default" ? "ok" : "no_information";
  if (reply.kind !== "ambiguous" || reply.reason !== "nonce") return "no_information";
  const said = reply.text ?? "";
  const named = NAMED_NONCE.exec(said)?.[1];
  if (named !== undefined && named !== String(nonce)) return "no_information";
  if (said.includes("duplicate nonce")) return "duplicate";
  return said.includes("nonce too low") ? "too_low" : "no_information";
}

const NAMED_NONCE = /(?:duplicate nonce|nonce too low) ([0-9]{1,20})/;
