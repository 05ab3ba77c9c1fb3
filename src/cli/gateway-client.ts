/** The public API, asked by the commands that stand for a client: registering and revoking keys. */
import { readFileSync } from "node:fs";
import { type Config, readConfig } from "../config.ts";
import type { InsideAnswer } from "../http/from-inside.ts";
import type { Running } from "../ops/changer.ts";
import type { Places } from "../ops/data-directory.ts";
import type { GivenTo } from "../ops/operator-verbs.ts";
import { type Command, Failure, type Input, type Option, overridesOf } from "./command.ts";
import { askGateway, MAY_BE_DONE } from "./control.ts";
import { places, reading, starter } from "./directory.ts";
import { audienceOf, ownUrlOf } from "./exposure.ts";
import type { Outside } from "./outside.ts";

export const LISTEN: Option = {
  value: "HOST:PORT",
  help: "where the gateway listens, 127.0.0.1:8787 by default",
  variable: "POSTERN_LISTEN",
};

/** Of a command that asks it. */
export const GATEWAY: Option = { ...LISTEN, help: "where the gateway listens; that of the data directory by default" };

type ClientCommand = { command: Command; input: Input; outside: Outside };

const DEADLINE_MS = 15_000;

/** The text that grants and revocations of this directory are signed for: the running gateway knows, or will. */
export async function audience({ command, input, outside }: ClientCommand, at: Places): Promise<string> {
  const running = await askWhere(at);
  if (running !== null) return running.audience;
  const config = readConfig(outside.environment, overridesOf(command, input));
  return audienceOf(
    config,
    reading(at, ({ instance }) => instance.network),
  );
}

/**
 * Posts to the gateway that the command's options and the environment name, or else to the directory's own: that one over
 * its control socket, where no certificate and no name stands between.
 */
export async function post(
  { command, input, outside }: ClientCommand,
  path: GivenTo<"post">["path"],
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const at = places(input, outside);
  if (input.value("listen") === null) {
    const answer = await askGateway(at, "post", { path, body });
    // The running gateway of the same version made it.
    if (answer.isRunning) return contentOf(answer.result as InsideAnswer);
    if (answer.hasBroken) outside.warn(`postern: ${MAY_BE_DONE}\n`);
  }
  const config = readConfig(outside.environment, overridesOf(command, input));
  // A certificate is made for the public name.
  const base = config.tls === null ? ownUrlOf(config) : (config.publicUrl ?? ownUrlOf(config));
  const answer = await postJson(base + path, body, await trustedBy(config));
  if (answer === null) throw new Failure(`no gateway answers at ${base + path}. Is it running?\n  ${starter(at)}`);
  return contentOf(answer);
}

/** What the gateway that holds this directory says of itself; null when none runs, or one that may not be asked. */
export async function askWhere(at: Places): Promise<Pick<Running, "audience" | "clientUrl" | "exchangeUrl"> | null> {
  const answer = await askGateway(at, "tell_where", {});
  return answer.isRunning ? answer.result : null;
}

/** The gateway's answer; the body of a refusal becomes the failure's text. */
export function contentOf({ status, body }: InsideAnswer): Record<string, unknown> {
  const object = isObject(body) ? body : {};
  if (status >= 200 && status < 300) return object;
  const { error } = object;
  throw new Failure(isObject(error) ? `${String(error["code"])}: ${String(error["message"])}` : `HTTP ${status}`);
}

/** Null when nobody answers. */
async function postJson(
  url: string,
  body: Readonly<Record<string, unknown>>,
  trusted: string[],
): Promise<InsideAnswer | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(DEADLINE_MS),
      tls: { rejectUnauthorized: true, ca: trusted },
    });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    const code = isObject(error) ? String(error["code"] ?? "") : "";
    if (!/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) return null;
    throw new Failure(`the certificate of ${new URL(url).origin} is not one to trust (${code})`);
  }
}

/**
 * The runtime's own list, and the gateway's certificate itself: it may be of an authority that only its owner knows. The list is
 * made when its module is imported, which every start would pay for.
 */
async function trustedBy({ tls }: Config): Promise<string[]> {
  const { rootCertificates } = await import("node:tls");
  if (tls === null) return [...rootCertificates];
  try {
    return [...rootCertificates, readFileSync(tls.certificateFile, "utf8")];
  } catch {
    // Whoever may not read the service's files asks as any other client.
    return [...rootCertificates];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
