import type { With } from "../../deps.ts";
import { isListedRefusal, printable } from "../../wire/answer/refusal.ts";
import type { Reply } from "../../wire/answer/reply.ts";

/** Texts that are remembered as told; past it the oldest is forgotten. */
const MAX_TOLD = 500;

/**
 * Counts refusals in words that are not in our list, and warns once of each: what such an answer means has to be looked up each
 * time, so whoever runs the gateway should know the words and report them.
 */
export function noteUnlisted({ state, log, metrics }: With<"log" | "metrics" | "state">, reply: Reply): void {
  for (const text of unlistedTexts(reply)) {
    metrics.unlistedRefusal();
    state.toldRefusals ??= new Set();
    const known = state.toldRefusals;
    const shape = shapeOf(text);
    if (known.has(shape)) continue;
    known.add(shape);
    const [oldest] = known;
    if (known.size > MAX_TOLD && oldest !== undefined) known.delete(oldest);
    log.warn({ reason: printable(text) }, "the exchange refused in words that are not in our list: please report them");
  }
}

function unlistedTexts(reply: Reply): string[] {
  if (reply.kind === "ambiguous") return reply.reason === "unlisted_text" ? [reply.text ?? ""] : [];
  if (reply.kind === "refused") return [];
  return reply.statuses.flatMap((entry) =>
    entry.kind === "error" && !isListedRefusal(entry.text) ? [entry.text] : [],
  );
}

/** The text without its numbers and addresses: words that differ only in price, market or account are told once. */
function shapeOf(text: string): string {
  return printable(text)
    .replace(/0x[0-9a-fA-F]+/g, "0x")
    .replace(/[0-9]+/g, "0");
}
