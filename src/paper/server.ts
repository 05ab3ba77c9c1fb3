/** The paper exchange on a port: `/info`, `/exchange` and `/ws`. */
import type { PaperExchange, PaperSocket } from "./paper-exchange.ts";

export type ServeOptions = {
  readonly hostname: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Calls `work` again and again; the function that it gives back ends that. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** Told when the exchange has failed for good: a full disk, or a bug. It answers everything with 500 from then on. */
  readonly onFailure?: (failure: unknown) => void;
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
const INTERNAL_ERROR_CODE = 1_011;
/** Nobody reads it: the client has hung up. */
const CLIENT_CLOSED = 499;

type SocketData = { socket: PaperSocket | null; readonly address: string };

/** `stop` ends the server and its ticks, not the exchange behind it. */
export function servePaper(paper: PaperExchange, options: ServeOptions): PaperServer {
  const { hostname, port, every, onFailure = () => {} } = options;
  const server = Bun.serve<SocketData>({
    hostname,
    port,
    idleTimeout: IDLE_TIMEOUT_S,
    // Outside of development the runtime would share the port with whoever asks for it.
    reusePort: false,
    fetch: (request, bun) => {
      const address = bun.requestIP(request)?.address ?? "unknown";
      if (new URL(request.url).pathname === "/ws") {
        if (bun.upgrade(request, { data: { socket: null, address } })) return undefined;
        return new Response("Connection header did not include 'upgrade'", { status: 400 });
      }
      return paper.handle(request, address).catch((failure: unknown) => {
        if (isGoneAway(failure)) return new Response(null, { status: CLIENT_CLOSED });
        onFailure(failure);
        return new Response("null", { status: 500, headers: { "content-type": "application/json" } });
      });
    },
    websocket: {
      maxPayloadLength: MAX_FRAME_BYTES,
      // Silence is ended by the exchange's own rule, not by Bun's.
      idleTimeout: 0,
      sendPings: false,
      open: (ws) => {
        ws.data.socket = paper.connect(
          {
            send: (text) => void ws.send(text),
            // 1006 stands for an end without a word, which no side may say.
            close: (code, reason) => (code === ABNORMAL_CODE ? ws.terminate() : ws.close(code, reason)),
          },
          ws.data.address,
        );
      },
      message: (ws, frame) => {
        ws.data.socket
          ?.receive(typeof frame === "string" ? frame : frame.toString("utf8"))
          .catch((failure: unknown) => {
            onFailure(failure);
            ws.close(INTERNAL_ERROR_CODE, "Internal error");
          });
      },
      close: (ws) => ws.data.socket?.closed(),
    },
  });
  const stopTicks = every(paper.tickMs, () => {
    try {
      paper.step(paper.nowMs());
    } catch (failure) {
      onFailure(failure);
    }
  });
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

function isGoneAway(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name === "AbortError";
}
