import { nearest } from "../core/did-you-mean.ts";
import { hadNoRoom } from "../store/heard-writes.ts";
import { type Command, exitCodeOf, helpOf, overview, readInput } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { printable } from "./output.ts";
import type { Outside } from "./outside.ts";
import { sayWhere, whereOf } from "./say-where.ts";

const TITLE = "Postern: a self-hosted trading gateway for Hyperliquid";
/** Words of the longest command name. */
const MAX_NAME_WORDS = 2;

const NO_ROOM =
  "There is no room where this was to be written: what was asked for does not hold, and no gateway was started. Make room there, and give the same command again";

/** Runs the command that the words name and returns the exit code: 0 ok, 1 failed, 2 misused. */
export async function run(words: readonly string[], outside: Outside): Promise<0 | 1 | 2> {
  const command = findCommand(words.length === 1 && words[0] === "--version" ? ["version"] : words);
  if (command === null) return explain(words, outside);
  const rest = words.slice(command.name.split(" ").length);
  if (rest.includes("--help")) {
    outside.print(helpOf(command));
    return 0;
  }
  let where = (text: string) => text;
  try {
    const input = readInput(command, rest, outside);
    const here = whereOf(command, input, outside);
    where = (text) => sayWhere(text, here, COMMANDS);
    const isData = command.printsData === true || input.isSet("json");
    const print = isData ? outside.print : (text: string) => outside.print(where(text));
    await command.run(input, { ...outside, print });
    return 0;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const reason = hadNoRoom(error) ? `${said}. ${NO_ROOM}` : said;
    outside.warn(`postern ${command.name}: ${where(reason).split("\n").map(printable).join("\n")}\n`);
    return exitCodeOf(error);
  }
}

/** The longest name wins: `key new` over `key`. */
function findCommand(words: readonly string[]): Command | null {
  for (let count = MAX_NAME_WORDS; count > 0; count--) {
    const name = words.slice(0, count).join(" ");
    const found = COMMANDS.find((command) => command.name === name);
    if (found !== undefined) return found;
  }
  return null;
}

function explain(words: readonly string[], outside: Outside): 0 | 2 {
  const asksForHelp =
    words.length > 0 && words.every((word) => !word.startsWith("-") || word === "--help" || word === "-h");
  const [first = ""] = words.filter((word) => !word.startsWith("-"));
  const group = COMMANDS.filter((command) => command.name.startsWith(`${first} `));
  const text = overview(group.length > 0 ? group : COMMANDS, TITLE);
  if (asksForHelp && words.some((word) => word.startsWith("-")) && (first === "" || group.length > 0)) {
    outside.print(text);
    return 0;
  }
  outside.warn(first === "" || (group.length > 0 && words.length === 1) ? text : noCommand(words, text));
  return 2;
}

/** With the one that may have been meant, or else with all that there are. */
function noCommand(words: readonly string[], all: string): string {
  const firstOption = words.findIndex((word) => word.startsWith("-"));
  const typed = words.slice(0, firstOption === -1 ? MAX_NAME_WORDS : Math.min(firstOption, MAX_NAME_WORDS));
  const names = COMMANDS.map(({ name }) => name);
  const meant = nearest(typed.join(" "), names) ?? nearest(typed[0] ?? "", names);
  const what = `postern: there is no command "${printable(typed.join(" "))}"`;
  return meant === null
    ? `${what}\n\n${all}`
    : `${what}. Did you mean "postern ${meant}"?\npostern --help lists them all.\n`;
}
