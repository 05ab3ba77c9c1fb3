/** Asks a running gateway over its control socket; says so where none runs, and the command then does the work itself. */
import { existsSync } from "node:fs";
import type { Places } from "../ops/data-directory.ts";
import type { DoneBy, GivenTo, OperatorVerb } from "../ops/operator-verbs.ts";
import { Failure } from "./command.ts";

/** Milliseconds; the slowest verb asks the exchange and waits for its answer. */
const DEADLINE_MS = 30_000;

export type ControlAnswer<Done> = { isRunning: true; result: Done } | { isRunning: false };

/** Hands the verb to the gateway that holds this directory; `isRunning` is false when none does. */
export async function askGateway<Name extends OperatorVerb>(
  at: Places,
  verb: Name,
  given: GivenTo<Name>,
): Promise<ControlAnswer<DoneBy<Name>>> {
  if (!existsSync(at.control)) return { isRunning: false };
  const response = await post(at, verb, given);
  if (response === null) return { isRunning: false };
  const answer: unknown = await response.json();
  if (!response.ok) throw new Failure(messageOf(answer));
  // The running gateway is of the same version, and its verb has made it.
  return { isRunning: true, result: answer as DoneBy<Name> };
}

/** Null when nobody listens: the socket is what a killed gateway left behind. */
async function post(at: Places, verb: OperatorVerb, given: object): Promise<Response | null> {
  try {
    return await fetch(`http://postern/${verb}`, {
      unix: at.control,
      method: "POST",
      body: JSON.stringify(given),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: "error",
    });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Failure("the running gateway did not answer; what it did is in its log");
    }
    return null;
  }
}

function messageOf(answer: unknown): string {
  const isMessage = typeof answer === "object" && answer !== null && "message" in answer;
  return isMessage ? String(answer.message) : "the running gateway refused";
}
