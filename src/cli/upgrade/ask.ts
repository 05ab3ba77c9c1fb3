import { Failure, type Input } from "../command.ts";
import { askGateway } from "../control.ts";
import { places, starter } from "../directory.ts";
import { present } from "../output.ts";
import type { Outside } from "../outside.ts";

/** Has the running gateway say how it is, or open writes, and prints what it says; fails when none runs. */
export async function askUpgrade(
  verb: "upgrade_status" | "open_writes",
  input: Input,
  outside: Outside,
): Promise<void> {
  const at = places(input, outside);
  const answer = await askGateway(at, verb, {});
  if (!answer.isRunning) throw new Failure(`no gateway runs in ${at.directory}. Start it:\n  ${starter(at)}`);
  const { result } = answer;
  // Over the socket it is JSON; the gateway may be another version than this.
  const facts: Readonly<Record<string, unknown>> = { ...result };
  const rows = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`);
  present({ input, outside }, facts, rows);
  const problems = facts["problems"];
  if (Array.isArray(problems) && problems.length > 0) throw new Failure(problems.join("; "));
}
