/** Asks a running gateway over its control socket; says so where none runs, and the command then does the work itself. */
import { existsSync } from "node:fs";
import type { Places } from "../ops/data-directory.ts";
import type { DoneBy, GivenTo, OperatorVerb } from "../ops/operator-verbs.ts";
import { Failure } from "./command.ts";

/** Milliseconds; the slowest verb asks the exchange and waits for its answer. */
const DEADLINE_MS = 30_000;

/** `hasBroken`: a gateway took the verb, and ended before it answered. */
export type ControlAnswer<Done> = { isRunning: true; result: Done } | { isRunning: false; hasBroken: boolean };

/** What is told besides whatever is done next, where a gateway has ended like that. */
export const MAY_BE_DONE =
  "the running gateway ended before it answered, and may have done what it was asked: see what stands before you ask again";

/** Hands the verb to the gateway that holds this directory; `isRunning` is false when none does. */
export async function askGateway<Name extends OperatorVerb>(
  at: Places,
  verb: Name,
  given: GivenTo<Name>,
): Promise<ControlAnswer<DoneBy<Name>>> {
  if (!existsSync(at.control)) return { isRunning: false, hasBroken: false };
  const posted = await post(at, verb, given);
  if ("hasBroken" in posted) return { isRunning: false, ...posted };
  if (!posted.isOk) throw new Failure(messageOf(posted.answer));
  // The running gateway is of the same version, and its verb has made it.
  return { isRunning: true, result: posted.answer as DoneBy<Name> };
}

/** The same of what only a running gateway can do. `words`: what is told where none runs. */
export async function askRunning<Name extends OperatorVerb>(
  at: Places,
  { verb, given }: { verb: Name; given: GivenTo<Name> },
  words: string,
): Promise<DoneBy<Name>> {
  const answer = await askGateway(at, verb, given);
  if (answer.isRunning) return answer.result;
  throw new Failure(answer.hasBroken ? MAY_BE_DONE : words);
}

/** With these the connection was never made: the socket is what a killed gateway left behind, or has just gone. */
const NOBODY_LISTENS: readonly unknown[] = ["ECONNREFUSED", "ENOENT"];

type Posted = { isOk: boolean; answer: unknown } | { hasBroken: boolean };

async function post(at: Places, verb: OperatorVerb, given: object): Promise<Posted> {
  try {
    const response = await fetch(`http://postern/${verb}`, {
      unix: at.control,
      method: "POST",
      body: JSON.stringify(given),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: "error",
    });
    return { isOk: response.ok, answer: await response.json() };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Failure("the running gateway did not answer; what it did is in its log");
    }
    const code = error instanceof Error && "code" in error ? error.code : null;
    return { hasBroken: !NOBODY_LISTENS.includes(code) };
  }
}

function messageOf(answer: unknown): string {
  const isMessage = typeof answer === "object" && answer !== null && "message" in answer;
  return isMessage ? String(answer.message) : "the running gateway refused";
}
