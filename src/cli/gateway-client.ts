/** The public API, asked by the commands that stand for a client: registering and revoking keys. */
import { audienceOf, ownUrlOf, readConfig } from "../config.ts";
import type { Places } from "../ops/data-directory.ts";
import type { Running } from "../ops/perform.ts";
import { type Command, Failure, type Input, type Option, overridesOf } from "./command.ts";
import { askGateway } from "./control.ts";
import { places, reading, starter } from "./directory.ts";
import type { Outside } from "./outside.ts";

export const LISTEN: Option = {
  value: "HOST:PORT",
  help: "where the gateway listens, 127.0.0.1:8787 by default",
  variable: "POSTERN_LISTEN",
};

/** Of a command that asks it. */
export const GATEWAY: Option = { ...LISTEN, help: "where the gateway listens; that of the data directory by default" };

type Asking = { command: Command; input: Input; outside: Outside };

const DEADLINE_MS = 15_000;

/** The text that grants and revocations of this directory are signed for: the running gateway knows, or will. */
export async function audience({ command, input, outside }: Asking, at: Places): Promise<string> {
  const running = await askWhere(at);
  if (running !== null) return running.audience;
  const config = readConfig(outside.environment, overridesOf(command, input));
  return audienceOf(
    config,
    reading(at, ({ instance }) => instance.network),
  );
}

/** Posts to the gateway that the command's options and the environment name, or else to the directory's own. */
export async function post(
  { command, input, outside }: Asking,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const at = places(input, outside);
  const running = input.value("listen") === null ? await askWhere(at) : null;
  if (running !== null) return postJson(running.clientUrl + path, body, starter(at));
  const config = readConfig(outside.environment, overridesOf(command, input));
  // A certificate is made for the public name.
  const base = config.tls === null ? ownUrlOf(config) : (config.publicUrl ?? ownUrlOf(config));
  return postJson(base + path, body, starter(at));
}

/** What the gateway that holds this directory says of itself; null when none runs, or one that may not be asked. */
export async function askWhere(at: Places): Promise<Pick<Running, "clientUrl" | "audience" | "exchangeUrl"> | null> {
  const answer = await askGateway(at, "tell_where", {});
  // The running gateway of the same version made it.
  return answer.isRunning ? (answer.result as Running) : null;
}

/** The gateway's answer; the body of a refusal becomes the failure's text. `start`: the command that starts it. */
export async function postJson(
  url: string,
  body: Readonly<Record<string, unknown>>,
  start: string,
): Promise<Record<string, unknown>> {
  const response = await ask(url, body);
  if (response === null) throw new Failure(`no gateway answers at ${url}. Is it running?\n  ${start}`);
  const answer: unknown = await response.json();
  const object = isObject(answer) ? answer : {};
  if (response.ok) return object;
  const { error } = object;
  throw new Failure(
    isObject(error) ? `${String(error["code"])}: ${String(error["message"])}` : `HTTP ${response.status}`,
  );
}

async function ask(url: string, body: Readonly<Record<string, unknown>>): Promise<Response | null> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
