import { type Command, DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT } from "./command.ts";
import { askRunning } from "./control.ts";
import { places, starter } from "./directory.ts";
import { present } from "./output.ts";
import type { Outside } from "./outside.ts";

export const upgradeOpen: Command = {
  name: "upgrade open",
  summary: "end the trial after an upgrade: the new version takes writes, and there is no way back from there",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  run: (input, outside) => askUpgrade("open_writes", input, outside),
};

export const upgradeStatus: Command = {
  name: "upgrade status",
  summary: "whether the running gateway is well: version, schema, database, keys",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  run: (input, outside) => askUpgrade("upgrade_status", input, outside),
};

/** Has the running gateway say how it is, or open writes, and prints what it says; fails when none runs. */
async function askUpgrade(verb: "upgrade_status" | "open_writes", input: Input, outside: Outside): Promise<void> {
  const at = places(input, outside);
  const words = `no gateway runs in ${at.directory}. Start it:\n  ${starter(at)}`;
  const result = await askRunning(at, { verb, given: {} }, words);
  // Over the socket it is JSON; the gateway may be another version than this.
  const facts: Readonly<Record<string, unknown>> = { ...result };
  const rows = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`);
  present({ input, outside }, facts, rows);
  const problems = facts["problems"];
  if (Array.isArray(problems) && problems.length > 0) throw new Failure(problems.join("; "));
}
