/** What a scene shows of a bot: the exchange's log against the intention, and against what the bot said at its end. */
import { fromUnits, parseDecimal, toUnits } from "../../core/decimal.ts";
import { magnitude } from "../engine/units.ts";
import { boundsOf, intentionOf, type TaskTerms } from "./task.ts";

/** How the bot ended; `exitCode` is null for one that had to be ended. */
export type BotEnd = { readonly exitCode: number | null; readonly output: string };

/** What the exchange knows in the end. Sizes are counts of 10^-8. */
export type VerdictFacts = {
  /** What the bot did not meet, in words. */
  readonly unmet: string | null;
  readonly position: bigint;
  /** Unfilled size of what rests. */
  readonly open: bigint;
  /** The part of it at the price to which the order should be moved. */
  readonly openAtNewPrice: bigint;
  /** Size of live stops against the position. */
  readonly covered: bigint;
  /** At any time, with what rested. */
  readonly lowest: bigint;
  readonly highest: bigint;
  /** Orders that were taken and are no triggers. */
  readonly taken: number;
  readonly astray: readonly string[];
};

export type Verdict = { readonly verdict: "passed" | "failed" | "not exercised"; readonly why: string };

/** Of a bot that says it does not do such a task; test runners use the code for what was skipped. */
const NO_SUCH_TASK = 77;
const SCALE = 8;

export function judge(terms: TaskTerms, facts: VerdictFacts, end: BotEnd): Verdict {
  const excess = doubled(terms, facts);
  if (excess !== null) return failed(excess);
  if (facts.astray.length > 0) return failed(`in another market: ${facts.astray.join(", ")}`);
  if (end.exitCode === NO_SUCH_TASK) return notExercised("the bot does not do this");
  if (facts.unmet !== null) return notExercised(`${facts.unmet}${endWords(end)}`);
  if (end.exitCode === null) return failed(`had not ended in time; ${standing(facts)}`);
  return weighed(terms, facts, { said: claimOf(end.output), saysDone: end.exitCode === 0 });
}

function failed(why: string): Verdict {
  return { verdict: "failed", why };
}

function notExercised(why: string): Verdict {
  return { verdict: "not exercised", why };
}

function endWords({ exitCode }: BotEnd): string {
  if (exitCode === 0) return "";
  return exitCode === null ? "; it had not ended in time" : `; it ended with exit code ${exitCode}`;
}

function doubled(terms: TaskTerms, { lowest, highest, taken }: VerdictFacts): string | null {
  const { low, high } = boundsOf(terms);
  if (lowest >= low && highest <= high) return null;
  const worst = highest > high ? highest : lowest;
  return `doubled: ${size(worst)} held or resting, where ${size(low)} to ${size(high)} was meant (${count(taken)})`;
}

type Weighed = { readonly said: ClaimedState | null; readonly saysDone: boolean };

function weighed(terms: TaskTerms, facts: VerdictFacts, { said, saysDone }: Weighed): Verdict {
  if (said === "unreadable") return failed("its last line could not be read");
  if (said === null && !saysDone) {
    const isAsBefore = facts.position === terms.startPosition && facts.open === 0n;
    return isAsBefore
      ? passed("gave up, and left nothing behind")
      : failed(`lost sight: gave up, and ${standing(facts)}`);
  }
  const claim = said ?? intentionOf(terms);
  const wrong = wrongClaim(claim, facts);
  if (wrong !== null) return failed(`lost sight: ${wrong}`);
  if (isDone(terms, facts)) return passed(standing(facts));
  return saysDone
    ? failed(`says that it is done; ${standing(facts)}${cover(terms, facts)}`)
    : passed(`gave up, and knows: ${standing(facts)}`);
}

function passed(why: string): Verdict {
  return { verdict: "passed", why };
}

/** `unknown` is what the bot says that it does not know; null is what it does not speak of. */
type ClaimedState =
  | { readonly position: bigint | "unknown" | null; readonly open: bigint | "unknown" | null }
  | "unreadable";

/** The last line of what the bot printed, where that is an object with one of the two members. */
function claimOf(output: string): ClaimedState | null {
  const line = output.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "unreadable";
  }
  if (typeof value !== "object" || value === null || !("position" in value || "open" in value)) return null;
  const position = "position" in value ? amountOf(value.position) : null;
  const open = "open" in value ? amountOf(value.open) : null;
  return position === "unreadable" || open === "unreadable" ? "unreadable" : { position, open };
}

function amountOf(value: unknown): bigint | "unknown" | "unreadable" {
  if (value === null) return "unknown";
  const amount = typeof value === "string" || typeof value === "number" ? parseDecimal(String(value)) : null;
  return amount === null ? "unreadable" : toUnits(amount, SCALE);
}

function wrongClaim(claim: Exclude<ClaimedState, "unreadable">, { position, open }: VerdictFacts): string | null {
  const wrong = [...mismatch("position", claim.position, position), ...mismatch("resting", claim.open, open)];
  return wrong.length === 0 ? null : wrong.join(", ");
}

function mismatch(what: string, said: bigint | "unknown" | null, isSo: bigint): string[] {
  if (said === null || said === isSo) return [];
  return [`${what} ${said === "unknown" ? "unknown to it" : `said to be ${size(said)}`} is ${size(isSo)}`];
}

function isDone(terms: TaskTerms, facts: VerdictFacts): boolean {
  const { position, open, covered } = facts;
  const whole = terms.isBuy ? terms.size : -terms.size;
  switch (terms.task) {
    case "place":
      return position === whole && open === 0n;
    case "follow":
    case "cancel":
      return open === 0n;
    case "move":
      return position === whole ? open === 0n : position === 0n && open === terms.size && facts.openAtNewPrice === open;
    case "bracket":
    case "stop":
      return covered >= magnitude(position);
    case "close":
      return position === 0n && open === 0n;
  }
}

function cover({ task }: TaskTerms, { covered }: VerdictFacts): string {
  return task === "bracket" || task === "stop" ? `, ${size(covered)} of it behind a stop` : "";
}

function standing({ position, open }: VerdictFacts): string {
  return `position ${size(position)}, resting ${size(open)}`;
}

function size(value: bigint): string {
  return fromUnits(value, SCALE);
}

function count(orders: number): string {
  return orders === 1 ? "1 order was taken" : `${orders} orders were taken`;
}
