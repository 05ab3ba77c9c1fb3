/** `1 order`, `2 orders`: the word is one whose plural has an `s` alone. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
