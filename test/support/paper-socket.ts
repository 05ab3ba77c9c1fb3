/** The paper exchange's websocket without a port, in the test's hands. */
import type { Clock } from "../../src/core/clock.ts";
import type { SocketTransport } from "../../src/exchange/socket.ts";
import type { PaperSocket as PaperEnd, PaperExchange } from "../../src/paper/paper-exchange.ts";

export type PaperSocket = {
  transport: SocketTransport;
  /** What was subscribed to or let go on each connection, oldest first: `subscribe bbo BTC`. */
  said: string[][];
  /** Connections that are open now. */
  openCount(): number;
  /** Ends every connection that says so much as this; all of them where it is left out. */
  cut(saying?: string): void;
  /** No connection opens while this is true. */
  isRefusing: boolean;
  /** Frames come so much later, milliseconds. */
  lateByMs: number;
};

type End = { events: Parameters<SocketTransport>[1]; paper: PaperEnd | null; isOver: boolean; said: string[] };

export function openPaperSocket(paperOf: () => PaperExchange, clock: Clock): PaperSocket {
  const ends: End[] = [];

  function end(one: End, reason: string): void {
    if (one.isOver) return;
    one.isOver = true;
    one.paper?.closed();
    one.events.onClose(reason);
  }

  async function deliver(one: End, text: string): Promise<void> {
    if (socket.lateByMs > 0) await clock.sleep(socket.lateByMs);
    if (!one.isOver) one.events.onText(text);
  }

  function open(one: End): void {
    if (socket.isRefusing) {
      end(one, "refused");
      return;
    }
    one.paper = paperOf().connect({
      send: (text) => void deliver(one, text),
      close: (_code, reason) => end(one, reason),
    });
    one.events.onOpen();
  }

  const socket: PaperSocket = {
    said: [],
    isRefusing: false,
    lateByMs: 0,
    openCount: () => ends.filter(({ isOver }) => !isOver).length,
    cut(saying) {
      for (const one of ends)
        if (saying === undefined || one.said.some((line) => line.includes(saying))) end(one, "cut");
    },
    transport(_url, events) {
      const one: End = { events, paper: null, isOver: false, said: [] };
      ends.push(one);
      socket.said.push(one.said);
      queueMicrotask(() => open(one));
      return {
        send(text) {
          if (one.isOver) return;
          one.said.push(inWords(text));
          void one.paper?.receive(text);
        },
        close() {
          one.isOver = true;
          one.paper?.closed();
        },
      };
    },
  };
  return socket;
}

function inWords(text: string): string {
  // What the gateway sends.
  const { method, subscription = {} } = JSON.parse(text) as { method: string; subscription?: Record<string, string> };
  return [method, ...Object.values(subscription)].join(" ");
}
