/**
 * Whether the time of a regular expression grows with the text or faster. The engine tries every way through the
 * expression, so the question is how many ways there are: where one text leads from a repeat to itself, from it to
 * another repeat, and from that one to itself, their number grows with every such text (two adjacent repeats over the
 * same characters, or the search for a start and a repeat behind it: quadratic), and where a repeat has two ways to go
 * round, it doubles. Weber and Seidl, "On the degree of ambiguity of finite automata" (1991), says that there is no other
 * case. Every bounded repeat with much room counts as an unbounded one, so that a long list of them is no way out.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { type Alphabets, openAlphabets } from "./alphabets.ts";

/** A repeat that may come this many times more than it must is taken for an endless one. */
const MAX_ROOM = 4;
/** Of all shorter ones together: each doubles the ways at most. */
const MAX_TOTAL_ROOM = 12;
/** Characters that an expression consumes, with its counted repeats written out. */
const MAX_STEPS = 1_000;
/** Ways from one character to the next; no expression of ours has a hundred. */
const MAX_WAYS = 20_000;

/** `guard`: only in some places of a text; `start`: only where it begins. */
type Way = { to: number; kind: "free" | "guard" | "start" };
/** One character that the expression consumes; `next` is the node behind it. */
type Step = { raw: string; alphabet: bigint; next: number };
type Automaton = { ways: Way[][]; stepAt: Map<number, number>; steps: Step[]; alphabets: Alphabets };

/** What can follow a step at once, in how many ways (1, or 2 for more), and whether the whole may end there in any text. */
type Reach = { steps: Map<number, 1 | 2>; endsAlways: boolean };

class TooLarge extends Error {}

/** Which parts of the expression make it slow, in words; null where its time grows with the text and no faster. */
export function backtrackingFault(source: string, flags: string): string | null {
  try {
    const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
      unicode: flags.includes("u"),
      unicodeSets: flags.includes("v"),
    });
    return faultOf(pattern, flags);
  } catch (error) {
    if (error instanceof TooLarge) return "it is too large to be checked";
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const END = 0;
/** The search for a place where the expression begins: it passes over anything. */
const SEARCH = "the search for its start";

function faultOf(pattern: AST.Pattern, flags: string): string | null {
  const alphabets = openAlphabets(pattern.raw, flags);
  const automaton: Automaton = { ways: [[]], stepAt: new Map(), steps: [], alphabets };
  const build = { automaton, hasLines: flags.includes("m"), room: 0 };
  const start = alternatives(build, pattern.alternatives, END);
  const { steps } = automaton;
  const reaches = steps.map(({ next }) => reachOf(automaton, next));
  if (!flags.includes("y")) {
    const { steps: found } = reachOf(automaton, start);
    const search = steps.length;
    steps.push({ raw: SEARCH, alphabet: alphabets.all, next: start });
    reaches.push({ steps: new Map([...found, [search, 1]]), endsAlways: false });
  }
  return ambiguity(steps, reaches);
}

type Build = { automaton: Automaton; hasLines: boolean; room: number };

function newNode({ automaton }: Build, ways: Way[]): number {
  return automaton.ways.push(ways) - 1;
}

/** The node where the first of these begins, so that each goes on at `next`. */
function alternatives(build: Build, list: readonly AST.Alternative[], next: number): number {
  const starts = list.map((one) => one.elements.reduceRight((after, part) => element(build, part, after), next));
  return newNode(
    build,
    starts.map((to) => ({ to, kind: "free" })),
  );
}

function element(build: Build, part: AST.Element, next: number): number {
  switch (part.type) {
    case "Group":
    case "CapturingGroup":
      return alternatives(build, part.alternatives, next);
    case "Quantifier":
      return quantifier(build, part, next);
    case "Assertion":
      return assertion(build, part, next);
    case "Backreference":
      throw new Error("a reference to what was found before");
    default:
      return step(build, part.raw, next);
  }
}

function step(build: Build, raw: string, next: number): number {
  const { steps, stepAt, alphabets } = build.automaton;
  if (steps.length >= MAX_STEPS) throw new TooLarge();
  const node = newNode(build, []);
  stepAt.set(node, steps.length);
  steps.push({ raw, alphabet: alphabets.of(raw), next });
  return node;
}

function quantifier(build: Build, { element: part, min, max }: AST.Quantifier, next: number): number {
  let after = next;
  const isCounted = min > 1 || (max > 1 && max !== Number.POSITIVE_INFINITY);
  if (isCounted && lengthOf(part) === null) throw new Error("a counted repeat of what may be long or short");
  if (max - min > MAX_ROOM) {
    const loop = newNode(build, [{ to: next, kind: "free" }]);
    build.automaton.ways[loop]?.unshift({ to: element(build, part, loop), kind: "free" });
    after = loop;
  } else {
    build.room += max - min;
    if (build.room > MAX_TOTAL_ROOM) throw new TooLarge();
    for (let room = max - min; room > 0; room -= 1) {
      after = newNode(build, [
        { to: element(build, part, after), kind: "free" },
        { to: next, kind: "free" },
      ]);
    }
  }
  for (let must = min; must > 0; must -= 1) after = element(build, part, after);
  return after;
}

/** Characters that it takes, or null where that is not always the same number. */
function lengthOf(part: AST.Element): number | null {
  if (part.type === "Assertion") return 0;
  if (part.type === "Quantifier") {
    const once = lengthOf(part.element);
    return once === null || part.min !== part.max ? null : once * part.min;
  }
  if (part.type !== "Group" && part.type !== "CapturingGroup") return 1;
  const lengths = part.alternatives.map(({ elements }) =>
    elements.map(lengthOf).reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
  );
  return lengths.every((length) => length === lengths[0]) ? (lengths[0] ?? 0) : null;
}

function assertion(build: Build, part: AST.Assertion, next: number): number {
  if (part.kind === "start") return newNode(build, [{ to: next, kind: build.hasLines ? "guard" : "start" }]);
  if (part.kind === "end" || part.kind === "word") return newNode(build, [{ to: next, kind: "guard" }]);
  if (part.kind === "lookbehind") {
    if (/[*+]|\{[0-9]+,/.test(part.raw)) throw new Error("a repeat in a look behind");
    return newNode(build, [{ to: next, kind: "guard" }]);
  }
  if (part.kind !== "lookahead") throw new Error("an assertion that this check does not know");
  // What is looked at is read besides what follows, and its success ends nothing.
  const dead = newNode(build, []);
  const looked = alternatives(build, part.alternatives, dead);
  return newNode(build, [
    { to: looked, kind: "free" },
    { to: next, kind: "guard" },
  ]);
}

/** Follows every way that takes no character, none of its parts twice: the engine ends a repeat of nothing as well. */
function reachOf({ ways, stepAt }: Automaton, from: number): Reach {
  const reach: Reach = { steps: new Map(), endsAlways: false };
  let walked = 0;
  const follow = (node: number, isGuarded: boolean, path: ReadonlySet<Way>): void => {
    walked += 1;
    if (walked > MAX_WAYS) throw new TooLarge();
    if (node === END && !isGuarded) reach.endsAlways = true;
    const found = stepAt.get(node);
    if (found !== undefined) reach.steps.set(found, reach.steps.has(found) ? 2 : 1);
    for (const way of ways[node] ?? []) {
      if (way.kind === "start" || path.has(way)) continue;
      follow(way.to, isGuarded || way.kind === "guard", new Set([...path, way]));
    }
  };
  follow(from, false, new Set());
  return reach;
}

function ambiguity(steps: readonly Step[], reaches: readonly Reach[]): string | null {
  const isReachable = closure(reaches);
  const loops = steps.map((_, at) => at).filter((at) => isReachable(at, at));
  for (const p of loops) {
    for (const [next, ways] of reaches[p]?.steps ?? []) {
      if (ways === 2 && isReachable(next, p)) return `\`${steps[p]?.raw}\` is repeated in two ways at once`;
    }
    for (const q of loops) {
      // Where the whole may end in any text, the first way that gets there is the last one tried.
      if (p === q || !isReachable(p, q) || reaches[q]?.endsAlways === true) continue;
      if (isShared(p, q, { steps, reaches, isReachable })) {
        const one = p === steps.length - 1 && steps[p]?.raw === SEARCH ? SEARCH : `the repeat of \`${steps[p]?.raw}\``;
        return `${one} and the repeat of \`${steps[q]?.raw}\` take the same text`;
      }
    }
  }
  return null;
}

type Graph = {
  steps: readonly Step[];
  reaches: readonly Reach[];
  isReachable: (from: number, to: number) => boolean;
};

/** Whether some text leads from p to p, from p to q and from q to q. */
function isShared(p: number, q: number, { steps, reaches, isReachable }: Graph): boolean {
  const nextOf = (at: number, home: number) =>
    [...(reaches[at]?.steps.keys() ?? [])].filter((to) => isReachable(to, home));
  const seen = new Set<string>();
  const open: [number, number, number][] = [[p, p, q]];
  for (let triple = open.pop(); triple !== undefined; triple = open.pop()) {
    const [first, second, third] = triple;
    for (const a of nextOf(first, p)) {
      for (const c of nextOf(third, q)) {
        const both = (steps[a]?.alphabet ?? 0n) & (steps[c]?.alphabet ?? 0n);
        if (both === 0n) continue;
        for (const b of nextOf(second, q)) {
          const name = `${a} ${b} ${c}`;
          if ((both & (steps[b]?.alphabet ?? 0n)) === 0n || seen.has(name)) continue;
          if (a === p && b === q && c === q) return true;
          seen.add(name);
          open.push([a, b, c]);
        }
      }
    }
  }
  return false;
}

/** Whether one step can follow another, at once or later. */
function closure(reaches: readonly Reach[]): (from: number, to: number) => boolean {
  const after = reaches.map((_, from) => {
    const seen = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const next of reaches[at]?.steps.keys() ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  });
  return (from, to) => after[from]?.has(to) === true;
}
