/** The exchange's websocket with what befalls one: cut, frozen, late, or closed again and again. */
import type { PaperExchange, PaperSocket } from "../../src/paper/paper-exchange.ts";

export const SOCKET_FAULTS = ["live", "cut", "frozen", "lagging", "resubscribing"] as const;

export type WebSocketFault = { kind: (typeof SOCKET_FAULTS)[number]; lagMs: number };

type Peer = Parameters<PaperExchange["connect"]>[0];

/** Between two ends of the connections while they are closed again and again, milliseconds. */
const RESUBSCRIBE_MS = 20_000;
const GOING_AWAY = 1_001;
const NO_WORD = 1_006;

export function faultySockets(paper: PaperExchange, { kind, lagMs }: WebSocketFault) {
  const peers = new Set<Peer>();
  let isStruck = false;
  let closing: ReturnType<typeof setInterval> | null = null;

  function closeAll(code: number): void {
    for (const peer of [...peers]) peer.close(code, "closed on request");
  }

  function send(peer: Peer, text: string): void {
    if (!isStruck || kind === "live" || kind === "resubscribing") peer.send(text);
    else if (kind === "lagging") setTimeout(() => peers.has(peer) && peer.send(text), lagMs);
  }

  return {
    connect(peer: Peer): PaperSocket | null {
      if (isStruck && kind === "cut") {
        queueMicrotask(() => peer.close(NO_WORD, ""));
        return null;
      }
      const socket = paper.connect({ send: (text) => send(peer, text), close: (...why) => peer.close(...why) });
      if (socket === null) return null;
      peers.add(peer);
      return {
        receive: (frame) => socket.receive(frame),
        closed() {
          peers.delete(peer);
          socket.closed();
        },
      };
    },
    strike() {
      isStruck = true;
      if (kind === "cut") closeAll(NO_WORD);
      if (kind === "resubscribing") closing = setInterval(() => closeAll(GOING_AWAY), RESUBSCRIBE_MS);
    },
    stop() {
      if (closing !== null) clearInterval(closing);
    },
  };
}
