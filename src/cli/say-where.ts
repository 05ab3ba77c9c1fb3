/**
 * Commands that a text names are to be pasted as they stand, from any directory: with the name by which this program is
 * found, and with the options that lead to the same gateway as this one's.
 */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { chooseDirectory } from "../ops/data-directory.ts";
import type { Command, Option, TypedInput } from "./command.ts";
import type { Outside } from "./outside.ts";

type Variable = NonNullable<Option["variable"]>;

/** What one command is told and the next has to be told again. */
const CARRIED = ["POSTERN_DATA_DIR", "POSTERN_LISTEN", "POSTERN_PASSPHRASE_FILE"] as const satisfies Variable[];

export type Where = {
  /** Shell words that start this program. */
  program: string;
  /** What starts the gateway, where that is not its own command. */
  starter: string | null;
  /** For each variable the value of the option that stands for it. */
  values: Partial<Record<(typeof CARRIED)[number], string>>;
};

/** How the gateway that this command is about is reached from somewhere else. */
export function whereOf(command: Command, input: TypedInput, outside: Outside): Where {
  const { environment, program } = outside;
  function given(variable: (typeof CARRIED)[number]): string | null {
    const [option] = Object.entries(command.options).find(([, each]) => each.variable === variable) ?? [];
    return (option === undefined ? null : input.typed(option)) ?? environment[variable] ?? null;
  }
  const listen = given("POSTERN_LISTEN");
  const told: Where["values"] = listen === null ? {} : { POSTERN_LISTEN: listen };
  const { STATE_DIRECTORY: stateDirectory } = environment;
  // The service has its settings from its unit, and what else belongs to it is asked as its user.
  if (stateDirectory !== undefined && stateDirectory !== "")
    return { program: "sudo postern-operator", starter: "sudo systemctl start postern", values: {} };
  const passphraseFile = given("POSTERN_PASSPHRASE_FILE");
  if (passphraseFile !== null) told.POSTERN_PASSPHRASE_FILE = resolve(passphraseFile);
  const named = given("POSTERN_DATA_DIR");
  const directory = chooseDirectory(null, named);
  const isEverywhere = named === null && resolve(directory) === directory;
  const isNowhere = named === null && command.needsNoDirectory === true && !existsSync(directory);
  if (!isEverywhere && !isNowhere) told.POSTERN_DATA_DIR = resolve(directory);
  return { program: program.map(quoted).join(" "), starter: null, values: told };
}

export function sayWhere(text: string, where: Where, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  return text.replace(new RegExp(`(?<![\\w/.-])postern (${names.join("|")})\\b`, "g"), (_whole, name: string) => {
    if (name === "serve" && where.starter !== null) return where.starter;
    const options = commands.find((command) => command.name === name)?.options ?? {};
    const words = CARRIED.flatMap((variable) => {
      const [option] = Object.entries(options).find(([, each]) => each.variable === variable) ?? [];
      const value = where.values[variable];
      return option === undefined || value === undefined ? [] : [`--${option} ${quoted(value)}`];
    });
    return [where.program, name, ...words].join(" ");
  });
}

/** As a shell reads it back. */
export function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Words that start the running program from any directory: `postern` where a shell finds that, else its path. */
export function programOf(run: { executable: string; script: string; path: string }): string[] {
  // An executable has its script inside.
  if (!run.script.startsWith("/$bunfs/")) return [run.executable, run.script];
  const first = run.path
    .split(delimiter)
    .map((folder) => join(folder, "postern"))
    .find((file) => file.startsWith("/") && existsSync(file));
  return first !== undefined && realpathSync(first) === realpathSync(run.executable) ? ["postern"] : [run.executable];
}
