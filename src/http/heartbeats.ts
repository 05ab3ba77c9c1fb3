/** /v1/heartbeat. */
import { beatHeart, getHeartbeat } from "../actions/beat-heart.ts";
import { EXAMPLE_HEARTBEAT } from "./examples.ts";
import { putRoute, type Route, readRoute } from "./route.ts";
import { HeartbeatBody, HeartbeatResource } from "./schema/heartbeat.ts";

const TAG = "Stop";
const PATH = "/v1/heartbeat";

const beat = putRoute(
  {
    name: "beat",
    method: "PUT",
    path: PATH,
    tag: TAG,
    summary: "Say that the bot lives",
    description:
      "Arms a dead man's switch for the bot of this key, or for the key itself where it is a plain one: silent for longer than `within_s`, what it had placed by then and could increase a position is burnt or canceled, TWAPs among it. Protection stays: reduce-only orders are kept. It is told once, as event `heartbeat.missed` and in the audit log, and nothing is stopped: orders may be placed again at once, and no silence is heard until the next beat arms it anew. No other request counts as a beat. The time that the machine sleeps counts, and so does a jump of its wall clock of more than 5 s, whichever way. After a restart each beat has its whole time once more, from when the gateway is ready. Needs no Idempotency-Key, and draws on a bucket of its own: 1 a second, 10 at once. It acts while this gateway runs: nothing does once the machine itself is dead.",
    access: "trading:write",
    body: HeartbeatBody,
    bodyExample: { within_s: 60 },
    answers: [
      { status: 200, description: "It is armed, or disarmed.", schema: HeartbeatResource, example: EXAMPLE_HEARTBEAT },
    ],
    errors: ["not_ready"],
  },
  "heartbeats",
  (deps, caller, { within_s: withinS }) => beatHeart(deps, caller, { withinS }),
);

const retrieve = readRoute(
  {
    name: "get_heartbeat",
    method: "GET",
    path: PATH,
    tag: TAG,
    summary: "Retrieve the heartbeat",
    description: "What is listened for of the bot of this key, or of the key itself. Reading it is no beat.",
    access: "trading:read",
    answers: [{ status: 200, description: "The heartbeat.", schema: HeartbeatResource, example: EXAMPLE_HEARTBEAT }],
    errors: [],
  },
  getHeartbeat,
);

export function heartbeatRoutes(): Route[] {
  return [beat, retrieve];
}
