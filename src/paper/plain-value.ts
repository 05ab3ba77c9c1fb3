import type { ExactJson } from "./exchange/json-text.ts";

/** JSON as this folder reads it, in plain values; only integers beyond 2^53 stay bigints. */
export function plainValue(json: ExactJson): unknown {
  if (typeof json === "bigint") return Number.isSafeInteger(Number(json)) ? Number(json) : json;
  if (json === null || typeof json !== "object") return json;
  if (!("kind" in json)) return json.map(plainValue);
  if (json.kind === "float") return Number(json.text);
  return Object.fromEntries(json.entries.map(([key, value]) => [key, plainValue(value)]));
}
