/**
 * The kinds of route. Each takes a request through the same steps in the same order, so that no route can
 * forget one: authentication, scope, shape; key look-up, limits and state are the verb's, in that order.
 */
import type { Static, TSchema } from "@sinclair/typebox";
import type { ReadAnswer } from "../actions/answer.ts";
import { keptKey } from "../actions/authenticate.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import { isoTime } from "../core/resource.ts";
import type { Deps, With } from "../deps.ts";
import type { Caller, ChargedBucket } from "../write/caller.ts";
import { readJsonBody } from "./body.ts";
import { type Check, compileCheck } from "./check.ts";
import { type Contract, maxBodyBytes } from "./contract.ts";
import { routeNotFound } from "./guard.ts";
import { readIdempotencyKey } from "./headers.ts";
import type { FailureKind } from "./limits.ts";
import { type Query, readQuery } from "./query.ts";
import { admit, countingFailures, type Visit } from "./visit.ts";

export type Answer = {
  /** Those of `/mcp` are its protocol's to choose; everywhere else a refusal is thrown. */
  status: number;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
};

export type Route = {
  contract: Contract;
  /** Answers one request, or throws `ApiError`. `id` is what the path names, decoded; empty where it names nothing. */
  answer(deps: Deps, visit: Visit, id: string): Promise<Answer>;
};

export type WithBody<Body extends TSchema> = Contract & { body: Body };

export type WriteCall<Body> = { id: string; body: Body; idempotencyKey: string };
export type UrgentCall<Body> = { id: string; body: Body; idempotencyKey: string | null };
export type ReadCall = { id: string; query: Query };

/** Open to anybody. */
export function openRoute(contract: Contract, run: (deps: Deps, visit: Visit) => Answer | Promise<Answer>): Route {
  return {
    contract,
    async answer(deps, visit) {
      queryOf(contract, visit);
      return run(deps, visit);
    },
  };
}

/** Authorised by the owner's signature in the body. */
export function signedRoute<Body extends TSchema>(
  contract: WithBody<Body>,
  kind: FailureKind,
  run: (deps: Deps, body: Static<Body>, id: string) => Answer,
): Route {
  return bodyRoute(contract, (deps, visit, { body, id }) => countingFailures(visit, kind, () => run(deps, body, id)));
}

/**
 * Authorised by the owner's signature in the body, which is checked (`prove`) before the exchange is asked anything.
 */
export function provenRoute<Body extends TSchema, Proven>(
  contract: WithBody<Body>,
  kind: FailureKind,
  prove: (deps: Deps, body: Static<Body>, id: string) => Proven,
  run: (deps: Deps, visit: Visit, proven: Proven) => Promise<string>,
): Route {
  return bodyRoute(contract, async (deps, visit, { body, id }) => {
    const proven = countingFailures(visit, kind, () => prove(deps, body, id));
    return { status: 200, body: await run(deps, visit, proven) };
  });
}

function bodyRoute<Body extends TSchema>(
  contract: WithBody<Body>,
  run: (deps: Deps, visit: Visit, call: { body: Static<Body>; id: string }) => Answer | Promise<Answer>,
): Route {
  const readBody = readingBody(contract);
  return {
    contract,
    async answer(deps, visit, id) {
      return run(deps, visit, { body: await readBody(deps, visit), id });
    },
  };
}

/** Of a body that carries the authority itself, its shape is all that is asked before that. */
export function readingBody<Body extends TSchema>(contract: WithBody<Body>) {
  const check = compileCheck(contract.body);
  return (deps: With<"clock">, visit: Visit): Promise<Static<Body>> => {
    queryOf(contract, visit);
    return bodyOf(deps, visit, { contract, check });
  };
}

/** Asks with a key that may read. */
export function readRoute(
  contract: Contract & { access: "trading:read" },
  run: (deps: Deps, caller: Caller, call: ReadCall) => ReadAnswer | Promise<ReadAnswer>,
): Route {
  return {
    contract,
    async answer(deps, visit, id) {
      const caller = admit(deps, visit, contract.access);
      const query = queryOf(contract, visit);
      caller.charge("reads");
      const { body, asOfMs } = await run(deps, caller, { id, query });
      return { status: 200, body, headers: asOfMs === null ? {} : { "X-Data-As-Of": isoTime(asOfMs) } };
    },
  };
}

/** Changes something, with a key that may write, under an Idempotency-Key. */
export function writeRoute<Body extends TSchema>(
  contract: WithBody<Body> & { access: "trading:write" },
  run: (deps: Deps, caller: Caller, call: WriteCall<Static<Body>>) => Promise<WriteAnswer>,
): Route {
  const check = compileCheck(contract.body);
  return {
    contract,
    async answer(deps, visit, id) {
      const startedMs = deps.clock.elapsedMs();
      const caller = admit(deps, visit, contract.access);
      queryOf(contract, visit);
      const idempotencyKey = keptKey(deps, caller.key, readIdempotencyKey(visit.request.headers));
      const body = await bodyOf(deps, visit, { contract, check });
      deps.metrics.passed("parse", deps.clock.elapsedMs() - startedMs);
      const { status, body: text, isReplay } = await run(deps, caller, { id, body, idempotencyKey });
      return { status, body: text, headers: isReplay ? { "Idempotent-Replayed": "true" } : {} };
    },
  };
}

/** Changes what the gateway does by itself, with a key that may write: in every state, and without a bucket. */
export function urgentRoute<Body extends TSchema>(
  contract: WithBody<Body> & { access: "trading:write"; isUrgent: true },
  run: (deps: Deps, caller: Caller, call: UrgentCall<Static<Body>>) => WriteAnswer | Promise<WriteAnswer>,
): Route {
  const check = compileCheck(contract.body);
  return {
    contract,
    async answer(deps, visit, id) {
      const caller = admit(deps, visit, contract.access);
      queryOf(contract, visit);
      const { headers } = visit.request;
      const idempotencyKey = headers.has("idempotency-key") ? readIdempotencyKey(headers) : null;
      const body = await bodyOf(deps, visit, { contract, check });
      const { status, body: text, isReplay } = await run(deps, caller, { id, body, idempotencyKey });
      return { status, body: text, headers: isReplay ? { "Idempotent-Replayed": "true" } : {} };
    },
  };
}

/** Puts a setting of the key's own in place, with a key that may write: said twice it is the same. */
export function putRoute<Body extends TSchema>(
  contract: WithBody<Body> & { access: "trading:write"; method: "PUT" },
  bucket: ChargedBucket,
  run: (deps: Deps, caller: Caller, body: Static<Body>) => string,
): Route {
  const check = compileCheck(contract.body);
  return {
    contract,
    async answer(deps, visit) {
      const caller = admit(deps, visit, contract.access);
      queryOf(contract, visit);
      const body = await bodyOf(deps, visit, { contract, check });
      caller.charge(bucket);
      return { status: 200, body: run(deps, caller, body) };
    },
  };
}

export function queryOf(contract: Contract, visit: Visit): Query {
  if (visit.url === null) throw routeNotFound();
  return readQuery(visit.url, contract.query ?? {});
}

export async function bodyOf<Body>(
  deps: With<"clock">,
  visit: Visit,
  { contract, check }: { contract: Contract; check: Check<Body> },
): Promise<Body> {
  const limits = { maxBytes: maxBodyBytes(contract), clock: deps.clock };
  const onLeft = () => {
    visit.isBodyLeft = true;
  };
  const value = await visit.awaitBody(visit.client, () => readJsonBody(visit.request, limits, onLeft), onLeft);
  visit.hasArrived();
  if (value !== undefined) return check(value);
  if (contract.isBodyOptional === true) return check({});
  throw new ApiError("invalid_json", "This request needs a JSON body.");
}
