/** One name, one meaning: a type is declared in one file of `src/`, whether others can import it or not, and so has one meaning in all of them. */
import type { Finding } from "./imports.ts";
import type { Facts } from "./source.ts";

/** Every declaration of a name but the first, in the order of the files. */
export function checkOneMeaning(all: readonly Facts[]): Finding[] {
  const first = new Map<string, string>();
  return all
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, types }) =>
      types.flatMap(({ name, line }): Finding[] => {
        const known = first.get(name);
        if (known === undefined) first.set(name, path);
        if (known === undefined || known === path) return [];
        const reason = `${known} has a type "${name}" too: import that one, or say what this one is of`;
        return [{ file: path, line, rule: "one-meaning", reason }];
      }),
    );
}
