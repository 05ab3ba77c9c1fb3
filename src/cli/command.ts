/** What a command is, how its words are read and how its help is printed. */
import { parseArgs } from "node:util";
import { ConfigError, type Setting } from "../config.ts";
import { nearest } from "../core/did-you-mean.ts";
import type { Outside } from "./outside.ts";

export type Option = {
  /** Placeholder of its value in the help; null for a switch. */
  value: string | null;
  help: string;
  /** The variable that it stands for, and that stands for it. */
  variable?: Setting | "POSTERN_DATA_DIR" | "POSTERN_NETWORK" | "POSTERN_EXCHANGE_URL" | "POSTERN_OWNER";
};

export type Command = {
  /** One or two words: `serve`, `key new`. */
  name: string;
  summary: string;
  options: Readonly<Record<string, Option>>;
  /** Placeholders of what stands behind the options, all required: `KEY_HASH`. */
  positionals: readonly string[];
  /** What it prints is a document, rows or messages, for programs: each byte goes out as it is, whatever command a text in it names. */
  printsData?: true;
  /** It works where no gateway is: a directory that is not there, and that nobody has named, is not the next command's either. */
  needsNoDirectory?: true;
  /** Prints its result and returns; throws `Misuse` or `Failure` otherwise. */
  run(input: Input, outside: Outside): Promise<void>;
};

export type Input = {
  /** The option's value, the variable's, or null. */
  value(name: string): string | null;
  isSet(name: string): boolean;
  positionals: readonly string[];
};

/** The words make no sense: exit code 2. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** The words make sense and it did not work: exit code 1. */
export class Failure extends Error {
  override readonly name = "Failure";
}

export const DATA_DIRECTORY: Option = {
  value: "DIRECTORY",
  help: "data directory",
  variable: "POSTERN_DATA_DIR",
};
/** No variable stands for it: it is said in words, once, by whoever sets a directory up. */
export const UNOFFICIAL_EXCHANGE: Option = {
  value: null,
  help: "this is meant to trade elsewhere than at the exchange's own hosts",
};
export const JSON_OUTPUT: Option = { value: null, help: "print one JSON object on one line" };

const HELP: Option = { value: null, help: "print this" };

/** What was given in words and not by a variable. */
export type TypedInput = Input & { typed(name: string): string | null };

export function readInput(command: Command, words: readonly string[], outside: Outside): TypedInput {
  const options: Readonly<Record<string, Option>> = { ...command.options, help: HELP };
  const { values, positionals } = parseWords(options, words);
  if (values["help"] !== true && positionals.length !== command.positionals.length) {
    throw new Misuse(`postern ${command.name} takes ${command.positionals.join(" ") || "no further words"}`);
  }
  function typed(name: string): string | null {
    const given = values[name];
    return typeof given === "string" ? given : null;
  }
  return {
    typed,
    value(name) {
      const variable = options[name]?.variable;
      return typed(name) ?? (variable === undefined ? undefined : outside.environment[variable]) ?? null;
    },
    isSet: (name) => values[name] === true,
    positionals,
  };
}

type Words = { values: Record<string, string | boolean | undefined>; positionals: string[] };

function parseWords(options: Readonly<Record<string, Option>>, words: readonly string[]): Words {
  refuseUnknown(options, words);
  const spec = Object.entries(options).map(
    ([name, option]) => [name, { type: option.value === null ? "boolean" : "string" }] as const,
  );
  try {
    return parseArgs({ args: [...words], options: Object.fromEntries(spec), allowPositionals: true, strict: true });
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : "unreadable options");
  }
}

function refuseUnknown(options: Readonly<Record<string, Option>>, words: readonly string[]): void {
  const end = words.indexOf("--");
  const typed = words.slice(0, end === -1 ? words.length : end).filter((word) => /^--./.test(word));
  const unknown = typed.map((word) => word.slice(2).split("=")[0] ?? "").find((name) => !Object.hasOwn(options, name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, Object.keys(options));
  throw new Misuse(
    `there is no option --${unknown} here${meant === null ? "; --help lists them" : `. Did you mean --${meant}?`}`,
  );
}

/** The option's value, or a misuse that names it. */
export function required(input: Input, name: string): string {
  const value = input.value(name);
  if (value === null || value === "") throw new Misuse(`--${name} is missing`);
  return value;
}

/** The options that stand for settings, for `readConfig`. */
export function overridesOf(command: Command, input: Input): Partial<Record<Setting, string>> {
  const given = Object.entries(command.options).flatMap(([name, option]) => {
    const value = option.value === null && input.isSet(name) ? "1" : input.value(name);
    return value === null || option.variable === undefined ? [] : [[option.variable, value]];
  });
  return Object.fromEntries(given);
}

export function helpOf(command: Command): string {
  const options = { ...command.options, help: HELP };
  const rows = Object.entries(options).map(([name, option]): [string, string] => [
    `--${name}${option.value === null ? "" : ` ${option.value}`}`,
    option.variable === undefined ? option.help : `${option.help} (${option.variable})`,
  ]);
  const words = [command.name, ...command.positionals].join(" ");
  return `${command.summary}\n\nUsage: postern ${words} [options]\n\n${table(rows)}\n`;
}

export function overview(commands: readonly Command[], title: string): string {
  const rows = commands.map((command): [string, string] => [command.name, command.summary]);
  return `${title}\n\n${table(rows)}\n\nEvery command has --help. Options may be given as POSTERN_ variables.\n`;
}

function table(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

/** 0, 1 or 2: ok, failed, misused. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof Misuse || error instanceof ConfigError ? 2 : 1;
}
