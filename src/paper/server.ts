/** The paper exchange on a port: `/info`, `/exchange` and `/ws`. */
import type { PaperExchange, PaperSocket } from "./paper-exchange.ts";

export type ServeOptions = {
  readonly hostname: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Calls `work` again and again; the function that it gives back ends that. */
  readonly every: (ms: number, work: () => void) => () => void;
};

export type PaperServer = {
  readonly hostname: string;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
};

/** Seconds of silence on a connection before it is cut: longer than any fault rule delays. */
const IDLE_TIMEOUT_S = 255;
const MAX_FRAME_BYTES = 1024 * 1024;

const ABNORMAL_CODE = 1_006;

type SocketData = { socket: PaperSocket | null };

/** `stop` ends the server and its ticks, not the exchange behind it. */
export function servePaper(paper: PaperExchange, { hostname, port, every }: ServeOptions): PaperServer {
  const server = Bun.serve<SocketData>({
    hostname,
    port,
    idleTimeout: IDLE_TIMEOUT_S,
    fetch: (request, bun) => {
      if (new URL(request.url).pathname === "/ws") {
        if (bun.upgrade(request, { data: { socket: null } })) return undefined;
        return new Response("Connection header did not include 'upgrade'", { status: 400 });
      }
      return paper.handle(request, bun.requestIP(request)?.address ?? "unknown").catch(goneAway);
    },
    websocket: {
      maxPayloadLength: MAX_FRAME_BYTES,
      // Silence is ended by the exchange's own rule, not by Bun's.
      idleTimeout: 0,
      sendPings: false,
      open: (ws) => {
        ws.data.socket = paper.connect({
          send: (text) => void ws.send(text),
          // 1006 stands for an end without a word, which no side may say.
          close: (code, reason) => (code === ABNORMAL_CODE ? ws.terminate() : ws.close(code, reason)),
        });
      },
      message: (ws, frame) => {
        void ws.data.socket?.receive(typeof frame === "string" ? frame : frame.toString("utf8"));
      },
      close: (ws) => ws.data.socket?.closed(),
    },
  });
  const stopTicks = every(paper.tickMs, () => paper.step(paper.nowMs()));
  return {
    hostname,
    port: server.port ?? port,
    url: `http://${hostname}:${server.port ?? port}`,
    stop: async () => {
      stopTicks();
      await server.stop(true);
    },
  };
}

/** A client that hung up gets nothing; anything else is our bug and must be seen. */
function goneAway(failure: unknown): Response {
  if (failure instanceof DOMException && failure.name === "AbortError") return new Response(null, { status: 499 });
  throw failure;
}
