/**
 * The log: one JSON line an event, to standard error. A field leaves only when its name is on the list below, so a
 * key, a signature or a body cannot get there by being handed over; strings are cut, whatever they hold.
 */
import { pino } from "pino";
import type { LogLevel } from "./config.ts";
import type { Log, LogFields } from "./deps.ts";

/** Every field that a line may carry, named as in the API. */
const FIELDS: ReadonlySet<string> = new Set([
  "account",
  "account_id",
  "network",
  "owner",
  "agent",
  "agent_address",
  "agent_name",
  "label",
  "request_id",
  "route",
  "method",
  "status",
  "http_status",
  "code",
  "duration_ms",
  "client",
  "key_prefix",
  "order_id",
  "operation_id",
  "attempt_id",
  "stop",
  "hook",
  "cancel_all",
  "cloid",
  "exchange_order_id",
  "market",
  "side",
  "action",
  "outcome",
  "nonce",
  "seal",
  "kind",
  "what",
  "reason",
  "detail",
  "error",
  "stack",
  "count",
  "open",
  "age_ms",
  "offset_ms",
  "base_url",
  "exposure",
  "exchange_url",
  "data_directory",
  "process_id",
  "signal",
  "version",
  "commit",
  "phase",
  "point",
  "weight",
  "weight_left",
  "retry_after_s",
  "wait_ms",
  "attempts",
  "dex",
  "markets",
  "expires_at",
  "valid_until",
]);

/** Characters of one string field; an exchange's error page is not worth more. */
const MAX_FIELD_CHARACTERS = 500;

/** Characters of it that are looked at; more than are kept, so that a secret is not halved before it is seen. */
const MAX_READ_CHARACTERS = 4_000;

/** What a secret of ours looks like, should one hide inside a text: an API key, the secret of a hook, a private key, half a signature. */
const SECRETS = /api_trade_[0-9a-fA-F]{8,}|hook_[0-9a-fA-F]{8,}|\b(?:0x)?[0-9a-fA-F]{64,}/g;

/** Where the lines go; each ends with a line feed. */
export type LogWriter = { write(line: string): void };

export function openLog(level: LogLevel, writer: LogWriter): Log {
  const lines = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, writer);
  return {
    debug: (fields, message) => lines.debug(clean(fields), message),
    info: (fields, message) => lines.info(clean(fields), message),
    warn: (fields, message) => lines.warn(clean(fields), message),
    error: (fields, message) => lines.error(clean(fields), message),
  };
}

function clean(fields: LogFields): LogFields {
  const kept: Record<string, LogFields[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (FIELDS.has(name)) kept[name] = typeof value === "string" ? cleanText(value) : value;
  }
  return kept;
}

function cleanText(text: string): string {
  return text.slice(0, MAX_READ_CHARACTERS).replace(SECRETS, "[removed]").slice(0, MAX_FIELD_CHARACTERS);
}
