import type { ModifyRefusal } from "../../core/modify-evidence.ts";
import type { ActionType } from "../action/index.ts";
import { TEXTS_OF_ACTIONS } from "./refusal-texts.ts";

/** Variable parts of a text, by the name that stands in braces. */
const PARTS = new Map([
  ["number", "[0-9][0-9,]*(?:\\.[0-9]+)?"],
  ["dollars", "\\$[0-9][0-9,]*(?:\\.[0-9]+)?"],
  ["address", "0x[0-9a-fA-F.…]{1,42}"],
  ["name", "[A-Za-z0-9:@_./-]{1,40}"],
  ["rest", "[^\\n]{1,300}"],
]);

type RefusalPattern = { pattern: RegExp; words: string; isOfAll: boolean; of: readonly ActionType[] | null };

const REFUSALS: readonly RefusalPattern[] = TEXTS_OF_ACTIONS.flatMap(({ of, texts }) =>
  texts.map(([text, words, isOf]) => ({ pattern: patternOf(text), words, isOfAll: isOf === "all", of })),
);

/** Of every listed text, for the check that none of them is slow. */
export const REFUSAL_PATTERNS: readonly RegExp[] = REFUSALS.map(({ pattern }) => pattern);

/** The ` asset=N` at the end and the final full stop come and go between versions; documents show an `L1 error: `. */
function patternOf(text: string): RegExp {
  const body = text
    .replace(/\.$/, "")
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{(\w+)\}/g, (_whole, name: string) => PARTS.get(name) ?? bug(name));
  return new RegExp(`^(?:L1 error: )?${body}\\.?(?: asset=[0-9]{1,10})?\\.?$`);
}

function bug(name: string): never {
  throw new Error(`bug: no such part of a text: ${name}`);
}

/** Longest text that is compared or shown, characters. */
const MAX_TEXT = 400;

/**
 * True when the text proves that the exchange refused the action for good. A text that is not listed proves nothing.
 */
export function isListedRefusal(text: string): boolean {
  return find(text) !== null;
}

function find(text: string): RefusalPattern | null {
  if (text.length > MAX_TEXT) return null;
  const trimmed = text.trim();
  return REFUSALS.find(({ pattern }) => pattern.test(trimmed)) ?? null;
}

/** False where the text is listed as a refusal of other kinds of action than this. */
export function mayRefuse(text: string, action: ActionType): boolean {
  return find(text)?.of?.includes(action) ?? true;
}

/**
 * True when the text may stand for all orders of an action: it tells of what is looked at before any of them is tried (PROTOCOL
 * 3.1, 3.2), or of the account. Any other is about one order, and says nothing of those beside it, which may rest or have filled.
 */
export function isOfWholeAction(text: string): boolean {
  return find(text)?.isOfAll === true;
}

/** What a refusal means and what to do about it, followed by the exchange's own text. */
export function plainWords(text: string): string {
  const quoted = `The exchange says: "${printable(text)}"`;
  const words = find(text)?.words;
  return words === undefined ? quoted : `${words} ${quoted}`;
}

/** Control characters would reach logs and terminals. */
export function printable(text: string): string {
  const clean = text.replace(/\p{Cc}+/gu, " ").trim();
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

/** True when the exchange refused because the account is out of actions: callers slow down. */
export function isOutOfActions(text: string): boolean {
  return /^(?:L1 error: )?Too many cumulative requests sent/.test(text);
}

/** True when the exchange no longer takes (or has never taken) this agent key. */
export function isAgentRefused(text: string): boolean {
  return /^(?:L1 error: )?(?:User or API Wallet 0x\S+ does not exist|Must deposit before performing actions)/.test(
    text,
  );
}

/**
 * What the text of a refused modify proves of the original. `left`: the whole action was refused, so it is as it was.
 * `canceled`: the cancel half had been carried out. `at_placing`: it is refused so when its place in the book is looked for,
 * after the cancel in every case that was seen. Null: nothing.
 *
 * @param isWhole the answer was to the action, not to the one modify in it: there the text may be of the placing half
 */
export function modifyRefusal(text: string, isWhole: boolean): ModifyRefusal {
  const said = text.replace(/^L1 error: /, "");
  if (said.startsWith("Error placing new order during modify: ")) return "canceled";
  if (said.startsWith("Post only order would have immediately matched")) return "at_placing";
  if (said.startsWith("Attempted to modify to invalid new order")) return "left";
  return isWhole && LEAVING.some((beginning) => said.startsWith(beginning)) ? "left" : null;
}

/** Beginnings of answers to whole modifies that were seen to leave the original as it was, or that tell of no reading. */
const LEAVING = [
  "Order price cannot be more than",
  "Order has invalid price",
  "Order has invalid size",
  "Too many cumulative requests sent",
  "User or API Wallet",
  "Must deposit before performing actions",
  "Failed to parse the request body",
  "Failed to deserialize the JSON body",
  "Expected request with",
] as const;

/**
 * True when the action was refused before its number was looked at, or may have been: until it has expired, another copy of it
 * can still be taken. Everything else that the exchange refuses has used its number up.
 */
export function mayLeaveNumber(text: string): boolean {
  const said = text.replace(/^L1 error: /, "");
  return UNNUMBERED.some((beginning) => said.startsWith(beginning));
}

/** Beginnings of answers of a server that had not come to the number, or of which nobody has seen whether it had. */
const UNNUMBERED = [
  "Too many cumulative requests sent",
  "User or API Wallet",
  "Must deposit before performing actions",
  "Unable to recover signer",
  "Vault not registered",
  "Failed to parse the request body",
  "Failed to deserialize the JSON body",
  "Expected request with",
] as const;

/** True when the order's builder fee lacks the owner's approval. */
export function isBuilderRefused(text: string): boolean {
  return /^Builder fee has not been approved/.test(text);
}
