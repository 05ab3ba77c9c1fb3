/** The way between gateway and exchange. What becomes of each request is decided by a fate that is asked once for it. */
import type { ConnectionChoice, Transport, TransportInit } from "../../src/exchange/transport.ts";
import { gatewayPage, type HttpAnswer } from "../../src/paper/answers.ts";
import type { Chance } from "./chance.ts";
import type { History } from "./history.ts";
import type { Timeline } from "./timeline.ts";
import type { Snapshot, Venue } from "./venue.ts";
import type { OpenWorlds } from "./worlds/worlds.ts";

/** What becomes of one request. Times in milliseconds of virtual time. */
export type Fate = {
  /** Each copy arrives this long after it was sent; none: it is lost on the way. */
  arrivesAfterMs: readonly number[];
  answer: AnswerFate;
  /** The look-up by id does not find what is there. */
  isBlind?: boolean;
  /** The store that is read is behind by this much. */
  lagMs?: number;
  /** What a read is answered with instead of this text. */
  toldAs?: (body: string) => string;
};

export type AnswerFate =
  /** What the exchange says to one of the copies. */
  | { kind: "true"; ofCopy: number; afterMs: number }
  /** The first bytes of it, and then the connection breaks. */
  | { kind: "cut"; ofCopy: number; afterMs: number }
  /** The page of a web server in front of it, whatever the exchange does. */
  | { kind: "page"; status: number; afterMs: number }
  | { kind: "error"; code: string; afterMs: number }
  | { kind: "silence" };

export type Sent = {
  path: "/exchange" | "/info";
  body: string;
  atMs: number;
  /** Counts all requests of the run. */
  number: number;
  /** What became of it. */
  fate?: Fate;
};

export type FateOf = (sent: Sent) => Fate;

export type Network = {
  /** The transport of one gateway process; what it sends is dropped, and it hears nothing, once `isAlive` is false. */
  transportOf(isAlive: () => boolean): Transport;
  setFate(fate: FateOf): void;
  /** A node that answers reads stands still, or goes on. */
  freeze(node: number): void;
  thaw(node: number): void;
  /** Every body that a gateway has sent to /exchange, whether or not it arrived. */
  readonly sent: readonly Sent[];
  /** Virtual time by which everything under way has arrived. */
  quietAtMs(): number;
};

/** Nodes that answer reads. */
export const NODES = 3;

export function directly(afterMs: number): Fate {
  return { arrivesAfterMs: [afterMs], answer: { kind: "true", ofCopy: 0, afterMs } };
}

export type NetworkParts = {
  timeline: Timeline;
  venue: Venue;
  chance: Chance;
  history: History;
  /** How the exchange answers otherwise than by its books. */
  worlds?: ExchangeAsItIs;
  /** Told of every action that a gateway sends. */
  onSent?: (body: string) => void;
};

type ExchangeAsItIs = Pick<OpenWorlds, "lenses" | "answer" | "onHeard"> & Partial<Pick<OpenWorlds, "asText">>;

/** By its books. */
export const PLAIN: ExchangeAsItIs = { lenses: [], answer: (body, execute) => execute(body), onHeard: () => undefined };

export function openNetwork({ timeline, venue, chance, history, worlds = PLAIN, onSent }: NetworkParts): Network {
  const frozen = new Map<number, Snapshot>();
  const lanes = new Map<number, number>();
  const sent: Sent[] = [];
  let fateOf: FateOf = () => directly(1);
  let count = 0;
  let quietAtMs = 0;

  /** A lane stays at its node; other connections may lead to any. */
  function nodeOf(connection: ConnectionChoice): number {
    if (connection.kind !== "lane") return chance.between(0, NODES - 1);
    const known = connection.isFresh ? undefined : lanes.get(connection.lane);
    const node = known ?? chance.between(0, NODES - 1);
    lanes.set(connection.lane, node);
    return node;
  }

  function arrive(request: Sent, node: number, fate: Fate): HttpAnswer {
    if (request.path === "/exchange") {
      const answer = worlds.answer(request.body, venue.execute);
      history.note(() => `exchange  #${request.number} executed: ${answer.status} ${answer.body}`);
      return answer;
    }
    if (fate.isBlind === true) return { status: 200, contentType: "application/json", body: '{"status":"unknownOid"}' };
    const behind = fate.lagMs === undefined || fate.lagMs === 0 ? null : venue.past(fate.lagMs);
    const answer = venue.read(request.body, frozen.get(node) ?? behind, { lenses: worlds.lenses, node });
    if (fate.toldAs === undefined) return worlds.asText?.(answer, request.body) ?? answer;
    return { ...answer, body: fate.toldAs(answer.body) };
  }

  function send(path: Sent["path"], init: TransportInit, isAlive: () => boolean): Promise<Response> {
    count += 1;
    const request: Sent = { path, body: init.body, atMs: timeline.nowMs(), number: count };
    const fate = fateOf(request);
    const node = path === "/info" ? nodeOf(init.connection) : -1;
    const shown = path === "/exchange" ? init.body.replace(/"signature":\{[^}]*\}/, "") : `node ${node} ${init.body}`;
    history.note(() => `network   #${count} ${path} ${shown} fate ${JSON.stringify(fate)}`);
    if (path === "/exchange") sent.push({ ...request, fate });
    // Of what never left nobody else can know.
    const hasLeft = fate.arrivesAfterMs.length > 0 || fate.answer.kind !== "error";
    if (path === "/exchange" && hasLeft) onSent?.(init.body);
    return new Promise<Response>((resolve, reject) => {
      const { answer: fated } = fate;
      const later = (afterMs: number, run: () => void): void => {
        timeline.after(afterMs, () => {
          if (isAlive()) run();
        });
      };
      for (const [copy, afterMs] of fate.arrivesAfterMs.entries()) {
        quietAtMs = Math.max(quietAtMs, timeline.nowMs() + afterMs);
        timeline.after(afterMs, () => {
          const given = arrive(request, node, fate);
          const isAnswered = (fated.kind === "true" || fated.kind === "cut") && fated.ofCopy === copy;
          if (!isAnswered) return;
          later(fated.afterMs, () => {
            history.note(() => `network   #${request.number} answered ${fated.kind} ${given.status} ${given.body}`);
            if (fated.kind === "true") worlds.onHeard(request.body, given.body);
            resolve(fated.kind === "true" ? wholeResponse(given) : brokenResponse(given));
          });
        });
      }
      if (fated.kind === "page") later(fated.afterMs, () => resolve(wholeResponse(gatewayPage(fated.status))));
      if (fated.kind === "error") later(fated.afterMs, () => reject(connectionError(fated.code)));
    });
  }

  return {
    transportOf: (isAlive) => (url, init) => {
      // The dead send nothing.
      if (!isAlive()) return new Promise(() => undefined);
      return send(url.endsWith("/exchange") ? "/exchange" : "/info", init, isAlive);
    },
    setFate: (fate) => {
      fateOf = fate;
    },
    freeze: (node) => void frozen.set(node, venue.snapshot()),
    thaw: (node) => void frozen.delete(node),
    sent,
    quietAtMs: () => quietAtMs,
  };
}

function connectionError(code: string): Error {
  return Object.assign(new Error(`fault: ${code}`), { code });
}

const encoder = new TextEncoder();

/** As much of a `Response` as is read of one, without the streams of the runtime and their timing. */
function responseOf(status: number, read: () => Promise<{ done: boolean; value?: Uint8Array }>): Response {
  const body = { getReader: () => ({ read, cancel: () => Promise.resolve() }) };
  return { status, type: "default", body } as unknown as Response;
}

function wholeResponse({ status, body }: HttpAnswer): Response {
  let isRead = false;
  return responseOf(status, async () => {
    if (isRead) return { done: true };
    isRead = true;
    return { done: false, value: encoder.encode(body) };
  });
}

/** Bytes that come through before the connection breaks. */
const BEFORE_BREAK = 20;

function brokenResponse({ status, body }: HttpAnswer): Response {
  let isRead = false;
  return responseOf(status, async () => {
    if (isRead) throw connectionError("ECONNRESET");
    isRead = true;
    return { done: false, value: encoder.encode(body.slice(0, BEFORE_BREAK)) };
  });
}
