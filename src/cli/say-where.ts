/**
 * Commands that a text names act on the same gateway only if they are told where it is, as this one was. The words that
 * told it are put behind their names; what the environment told is there for the next command as well.
 */
import type { Command } from "./command.ts";

/** Options that say which gateway is meant. */
const PLACES = ["data-dir", "listen"] as const;

export type Typed = (name: string) => string | null;

export function sayWhere(text: string, typed: Typed, commands: readonly Command[]): string {
  const given = PLACES.flatMap((name) => {
    const value = typed(name);
    return value === null ? [] : [{ name, words: ` --${name} ${quoted(value)}` }];
  });
  if (given.length === 0) return text;
  const names = commands.map(({ name }) => name);
  return text.replace(new RegExp(`(?<![\\w/.-])postern (${names.join("|")})\\b`, "g"), (whole, name: string) => {
    const options = commands.find((command) => command.name === name)?.options ?? {};
    return whole + given.flatMap((each) => (Object.hasOwn(options, each.name) ? [each.words] : [])).join("");
  });
}

/** As a shell reads it back. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
