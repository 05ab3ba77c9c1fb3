/** Holds every answer of every test against the interface description. */
import { Value } from "@sinclair/typebox/value";
import { ERROR_STATUS, ERROR_TYPE, type ErrorCode } from "../../src/core/errors.ts";
import { type Contract, type ContractAnswer, errorsOf, NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { ErrorBody } from "../../src/http/schema/error.ts";

const CONTRACTS = allRoutes().map(({ contract }) => contract);

/** The answer, unless its status, code, headers or body are not what its route promises: then it throws. */
export async function documented(request: Request, response: Response): Promise<Response> {
  const contract = contractOf(request);
  const name = `${request.method} ${new URL(request.url).pathname} -> ${response.status}`;
  if (response.headers.get("x-request-id") === null) throw new Error(`${name} has no X-Request-Id`);
  const text = await response.clone().text();
  if (response.status >= 300) checkFailure(name, response, { contract, text });
  else checkSuccess(name, response, { contract, text });
  return response;
}

function contractOf(request: Request): Contract | null {
  const path = new URL(request.url).pathname;
  const found = CONTRACTS.filter(
    ({ method, path: template }) =>
      method === request.method && new RegExp(`^${template.replace(NAME_IN_PATH, "[^/]+")}$`).test(path),
  );
  // A path without `{id}` is found before one with it.
  return found.find((contract) => contract.path === path) ?? found[0] ?? null;
}

type About = { contract: Contract | null; text: string };

function checkFailure(name: string, response: Response, { contract, text }: About): void {
  const body: unknown = JSON.parse(text);
  if (!Value.Check(ErrorBody, body)) throw new Error(`${name} is not an error of the documented shape: ${text}`);
  const { code, type } = body.error;
  if (!(code in ERROR_STATUS)) throw new Error(`${name} has an unlisted code ${code}`);
  const status = ERROR_STATUS[code as ErrorCode];
  if (status !== response.status || ERROR_TYPE[status] !== type)
    throw new Error(`${name} does not fit its code ${code}`);
  const codes = contract === null ? ["route_not_found", "host_not_allowed", "invalid_parameter"] : errorsOf(contract);
  if (!codes.some((listed) => listed === code)) throw new Error(`${name}: ${code} is not listed at this route`);
  const mustWait = [429].includes(status) || ["not_ready", "draining", "idempotency_in_progress"].includes(code);
  const retryAfter = response.headers.get("retry-after");
  if (mustWait && !/^[1-9][0-9]*$/.test(retryAfter ?? "")) throw new Error(`${name}: ${code} without Retry-After`);
}

function checkSuccess(name: string, response: Response, { contract, text }: About): void {
  const answer = contract?.answers.find(({ status }) => status === response.status);
  if (answer === undefined) throw new Error(`${name} is not listed at this route`);
  const isJson = answer.contentType === undefined;
  const body: unknown = isJson ? JSON.parse(text) : text;
  checkEvents(name, answer, text);
  const fault = Value.Errors(answer.schema, body).First();
  if (fault !== undefined) throw new Error(`${name} does not fit its schema at ${fault.path}: ${fault.message}`);
}

/** A stream that has ended: each of its events is held against the description of an event. */
function checkEvents(name: string, { schema, contentType }: ContractAnswer, text: string): void {
  if (contentType !== "text/event-stream") return;
  for (const line of text.split("\n").filter((each) => each.startsWith("data: "))) {
    const event: unknown = JSON.parse(line.slice("data: ".length));
    if (!Value.Check(schema["contentSchema"], event))
      throw new Error(`${name}: an event that is not described: ${line}`);
  }
}
