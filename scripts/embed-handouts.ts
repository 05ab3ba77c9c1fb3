/** Puts what `/llms.txt` leads to into the executable, in place of the file that reads it when run from source. */
import type { BunPlugin } from "bun";
import { HANDOUTS, type HandoutName } from "../src/http/handout-table.ts";
import { readHandout } from "../src/http/handout-texts.ts";

const REPLACED = /[/\\]src[/\\]http[/\\]handout-texts\.ts$/;

export function embedHandouts(): BunPlugin {
  // Each name of the table is one.
  const names = Object.keys(HANDOUTS) as HandoutName[];
  const texts = Object.fromEntries(names.map((name) => [name, readHandout(name)]));
  const contents = `
    const TEXTS = ${JSON.stringify(texts)};
    export function readHandout(name) {
      return TEXTS[name];
    }`;
  return {
    name: "embed-handouts",
    setup(build) {
      build.onLoad({ filter: REPLACED }, () => ({ contents, loader: "js" }));
    },
  };
}
