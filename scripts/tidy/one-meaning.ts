/** One name, one meaning: a type that other files can import is declared in one file of `src/`, and so has one meaning in all of them. */
import type { Finding } from "./imports.ts";
import type { Facts } from "./source.ts";

/** Every declaration of a name but the first, in the order of the files. */
export function checkOneMeaning(all: readonly Facts[]): Finding[] {
  const first = new Map<string, string>();
  return all
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, exportedTypes }) =>
      exportedTypes.flatMap(({ name, line }): Finding[] => {
        const known = first.get(name);
        if (known === undefined) first.set(name, path);
        if (known === undefined || known === path) return [];
        const reason = `${known} exports a type "${name}" too: import that one, or say what this one is of`;
        return [{ file: path, line, rule: "one-meaning", reason }];
      }),
    );
}
