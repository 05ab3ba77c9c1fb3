/** Sizes, names and comments. What Biome can check, Biome checks. */
import type { Finding } from "./imports.ts";
import type { Facts } from "./source.ts";

/** Lines of one file. */
const MAX_LINES = 400;
/** A cast's comment may stand this many lines above it. */
const CAST_COMMENT_REACH = 3;

const VAGUE_FILE = /(^|[-/])(utils?|helpers?|managers?|services?|handlers?|misc|common-utils|impl)(\.|\/|$)/;
const VAGUE_NAME = /(Manager|Service|Helper|Handler|Impl|Utils?)$|^I[A-Z][a-z]/;
const BANNER = /^[\s*]*([-=#~─═*_]{4,})|([-=#~─═*_]{4,})\s*$/;
const UNFINISHED = new RegExp(["FIX" + "ME", "XXX", "HACK"].map((word) => `\\b${word}\\b`).join("|"));
const OWN_LIMIT =
  "a test that sets itself a limit of time fails on a busy machine: what has hung is ended by the run's, which is one for all";
const CODE = /^\s*(const|let|return|import|if \(|for \(|await) ?.*[;{]\s*$/;

export function checkShape(facts: Facts): Finding[] {
  const inSource = facts.path.startsWith("src/");
  return [
    ...syntax(facts),
    ...size(facts),
    ...names(facts),
    ...comments(facts),
    ...(inSource ? casts(facts) : []),
    ...facts.idleSpreads.map((line) =>
      finding(facts, line, "idle-spread", "a spread of what stands there only quiets the formatter: write its members"),
    ),
    ...facts.ownLimits.map(({ line }) => finding(facts, line, "own-limit", OWN_LIMIT)),
    ...facts.arrowConstants.map(({ name, line }) =>
      finding(facts, line, "arrow-constant", `"${name}" is a top-level function: write function`),
    ),
  ];
}

function finding(facts: Facts, line: number, rule: string, reason: string): Finding {
  return { file: facts.path, line, rule, reason };
}

function syntax(facts: Facts): Finding[] {
  return facts.syntaxError === null ? [] : [finding(facts, 1, "syntax", facts.syntaxError)];
}

function size(facts: Facts): Finding[] {
  if (facts.lineCount <= MAX_LINES) return [];
  return [
    finding(facts, MAX_LINES + 1, "file-size", `${facts.lineCount} lines; ${MAX_LINES} is the limit, 150 the aim`),
  ];
}

function names(facts: Facts): Finding[] {
  const vagueFile = VAGUE_FILE.test(facts.path)
    ? [finding(facts, 1, "vague-name", "a file is named for what is in it: nothing is findable in utils")]
    : [];
  const vagueNames = facts.declared.filter(({ name }) => VAGUE_NAME.test(name));
  return [
    ...vagueFile,
    ...vagueNames.map(({ name, line }) => finding(facts, line, "vague-name", `"${name}" does not say what it is`)),
  ];
}

function comments(facts: Facts): Finding[] {
  return facts.comments.flatMap(({ text, firstLine }) => {
    if (UNFINISHED.test(text)) return [finding(facts, firstLine, "unfinished", "finish it, or say it in an issue")];
    if (text.split("\n").some((line) => BANNER.test(line))) {
      return [finding(facts, firstLine, "banner", "no section banners: a file with sections is two files")];
    }
    return CODE.test(text) ? [finding(facts, firstLine, "commented-out-code", "git remembers it")] : [];
  });
}

/** A brand's own file may make the brand; every other cast says why it is true. */
function casts(facts: Facts): Finding[] {
  return facts.casts
    .filter(({ name }) => !facts.declared.some((declared) => declared.name === name))
    .filter(({ line }) => !facts.comments.some((comment) => isNear(comment.lastLine, line)))
    .map(({ line }) => finding(facts, line, "cast-without-reason", "a cast needs a comment that says why it is true"));
}

function isNear(commentLine: number, castLine: number): boolean {
  return commentLine <= castLine && castLine - commentLine <= CAST_COMMENT_REACH;
}
