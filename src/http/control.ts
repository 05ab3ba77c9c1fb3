import type { Changer } from "../ops/changer.ts";
import { OperatorError } from "../ops/operator.ts";
import { perform } from "../ops/operator-verbs.ts";

/** Bytes of one request of the operator; the longest holds a signature. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * Answers the operator's own commands on the control socket. Whoever can open the socket owns the data directory, so
 * nothing is authenticated here; it is never mounted on a port.
 */
export function controlServer(changer: Changer): (request: Request) => Promise<Response> {
  return async (request) => {
    const verb = new URL(request.url).pathname.slice(1);
    try {
      return Response.json(await perform(changer, verb, await readFacts(request)));
    } catch (error) {
      const isRefusal = error instanceof OperatorError;
      const message = error instanceof Error ? error.message : "unknown";
      return Response.json({ message }, { status: isRefusal ? 409 : 503 });
    }
  };
}

async function readFacts(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (request.method !== "POST" || text.length > MAX_BODY_BYTES) throw new OperatorError("unreadable request");
  const facts: unknown = JSON.parse(text);
  if (typeof facts !== "object" || facts === null) throw new OperatorError("unreadable request");
  return { ...facts };
}
