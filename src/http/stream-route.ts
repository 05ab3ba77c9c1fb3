/** What every stream of server-sent events begins with, whatever it tells. */
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";
import type { Contract } from "./contract.ts";
import { routeNotFound } from "./guard.ts";
import type { StreamSource } from "./open-streams.ts";
import { type Query, readQuery } from "./query.ts";
import type { Answer } from "./route.ts";
import { admit, type Visit } from "./visit.ts";

export type StreamOpening = {
  query: Query;
  /** False for a reader who wants what there is and no more. */
  follows: boolean;
  listener: { accountId: string; keyHash: string };
  /** Charges the key, once the question is known to be one; throws where nothing may be opened. */
  charge(): void;
  answer(begin: () => StreamSource): Answer;
};

export function openingOf(
  deps: With<"clock" | "log" | "metrics" | "state" | "store">,
  visit: Visit,
  contract: Contract & { access: "trading:read"; query: NonNullable<Contract["query"]> },
): StreamOpening {
  const { account, key, charge } = admit(deps, visit, contract.access);
  if (visit.url === null) throw routeNotFound();
  const query = readQuery(visit.url, contract.query);
  return {
    query,
    follows: query.flag("follow", true),
    listener: { accountId: account.id, keyHash: key.keyHash },
    charge() {
      charge("reads");
      if (deps.state.phase === "draining") throw new ApiError("draining", "The gateway is shutting down.");
    },
    answer: (begin) => ({
      status: 200,
      contentType: "text/event-stream",
      body: visit.streams.open(key.keyHash, begin),
      // Some proxies hold back what they pass on until there is more of it.
      headers: { "X-Accel-Buffering": "no" },
    }),
  };
}
