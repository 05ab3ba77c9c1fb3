/** Clients that hold on to what they have: silent, trickling, and more of them than are served at once. */
import { MAX_REQUESTS_AT_ONCE } from "../../src/http/server.ts";
import { head, many, post, send, type Target } from "./target.ts";

/** Connections of each kind of slow client. */
const SLOW = 40;
/** The runtime counts in steps of 4 s, milliseconds. */
const GIVEN_UP_WITHIN_MS = 20_000;
/** Beyond the limit. */
const TOO_MANY = 60;

/** Silent and trickling clients are all given up in time, and nobody else waits for them. */
export async function slowClients(target: Target, scale: number): Promise<string[]> {
  const findings: string[] = [];
  const trickle = Array.from({ length: 60 }, () => "b");
  const kinds: [string, string[]][] = [
    ["says nothing", []],
    ["sends half a head", [head(target, {}).slice(0, 40)]],
    ["trickles a head", [head(target, {}).slice(0, -4), ...trickle]],
    ["trickles headers", [head(target, {}).slice(0, -2), ...Array.from({ length: 60 }, () => "X-A: b\r\n")]],
    ["trickles a body", [...post(target, "{", { length: 5_000 }).map(String), ...trickle]],
    ["sends half a body", post(target, '{"market":', { length: 500 }).map(String)],
  ];
  const count = Math.max(1, Math.round(SLOW * scale));
  await Promise.all(
    kinds.map(([name, pieces]) =>
      many(count, count, async () => {
        const { isClosed } = await send(target, { pieces, everyMs: 500, waitMs: GIVEN_UP_WITHIN_MS });
        if (!isClosed) findings.push(`a client that ${name} was held for ${GIVEN_UP_WITHIN_MS / 1_000} s`);
      }),
    ),
  );
  return findings;
}

/** More requests than are answered at once, all of them with a valid key and a body that does not come. */
export async function tooMany(target: Target): Promise<string[]> {
  const before = target.heard.codes.get("too_many_connections") ?? 0;
  const count = MAX_REQUESTS_AT_ONCE + TOO_MANY;
  // The refused ones are answered at once; the others hold their place until they go.
  await many(count, count, () => send(target, { pieces: post(target, "", { length: 500 }), waitMs: 4_000 }));
  const refused = (target.heard.codes.get("too_many_connections") ?? 0) - before;
  const { text } = await send(target, { pieces: [head(target, { path: "/healthz" })] });
  return [
    ...(refused === 0 ? [`of ${count} requests at once none was refused`] : []),
    ...(text.startsWith("HTTP/1.1 200") ? [] : [`after the crowd had gone: ${text.slice(0, 100)}`]),
  ];
}
