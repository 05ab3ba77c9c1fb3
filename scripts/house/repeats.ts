/** Passages that stand twice, to the letter. */
import { type HouseFile, statementsOf } from "./syntax.ts";

type Line = { place: string; text: string };
type Passage = { lines: readonly Line[]; at: number };

/** Lines of code; fewer are the habits of a language. */
export const LEAST_LINES = 6;

export function repeatsOf(sources: readonly HouseFile[]): string[] {
  const passages = new Map<string, Passage[]>();
  for (const lines of sources.map(codeOf)) {
    for (let at = 0; at + LEAST_LINES <= lines.length; at += 1) {
      const text = lines.slice(at, at + LEAST_LINES).map((line) => line.text);
      const key = text.join("\n");
      passages.set(key, [...(passages.get(key) ?? []), { lines, at }]);
    }
  }
  return [...passages.values()].flatMap(pairsOf);
}

/** Each pair once, by its first line: where the lines before agree as well, it has begun there. */
function pairsOf(same: readonly Passage[]): string[] {
  return same.flatMap((one, index) =>
    same.slice(index + 1).flatMap((other) => {
      const [before, beforeOther] = [one.lines[one.at - 1], other.lines[other.at - 1]];
      if (before !== undefined && before.text === beforeOther?.text) return [];
      return [`${one.lines[one.at]?.place} ~ ${other.lines[other.at]?.place}`];
    }),
  );
}

/** Lines with a word in them, without comments and imports. */
function codeOf(file: HouseFile): Line[] {
  const imports = statementsOf(file).filter(({ type }) => type === "ImportDeclaration");
  const headEnd = Math.max(0, ...imports.map(({ end }) => Number(end)));
  const headLines = file.text.slice(0, headEnd).split("\n").length;
  return file.text.split("\n").flatMap((line, index) => {
    const text = line.trim();
    const isCode = index >= headLines && /[a-z]/i.test(text) && !/^(?:\/\/|\/\*|\*)/.test(text);
    return isCode ? [{ place: `${file.path}:${index + 1}`, text }] : [];
  });
}
