/** What somebody may have meant who mistyped a word. */

/** Characters of a word that is looked at, and letters that may be wrong in it. */
const MAX_LENGTH = 40;
const MAX_MISTAKES = 3;

/** The one candidate that is nearest, when it is near: a letter in three may be missing, wrong, too many or swapped. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > MAX_LENGTH) return null;
  const near = candidates
    .map((candidate) => ({ candidate, mistakes: mistakesIn(word, candidate) }))
    .filter(({ candidate, mistakes }) => mistakes <= Math.min(MAX_MISTAKES, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.mistakes - b.mistakes);
  return near[0]?.candidate ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours that make one word of the other. */
export function mistakesIn(word: string, wanted: string): number {
  let before: number[] = [];
  let above = Array.from({ length: wanted.length + 1 }, (_, column) => column);
  for (let row = 1; row <= word.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= wanted.length; column += 1) {
      const isSame = word[row - 1] === wanted[column - 1];
      const isSwapped =
        row > 1 && column > 1 && word[row - 1] === wanted[column - 2] && word[row - 2] === wanted[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, current];
  }
  return above[wanted.length] ?? 0;
}
