import { trimTail } from "../core/trim.ts";

/** A text connection as the feed needs it. After `close` or `onClose` nothing more happens. */
export type Socket = { send(text: string): void; close(): void };

export type SocketEvents = {
  onOpen(): void;
  onText(text: string): void;
  /** Also when it never opened. */
  onClose(reason: string): void;
};

/** Tells nothing before it has returned. */
export type SocketTransport = (url: string, events: SocketEvents) => Socket;

/** Where the exchange with this base URL has its websocket. */
export function socketUrl(baseUrl: string): string {
  return `${trimTail(baseUrl.replace(/^http/, "ws"), "/")}/ws`;
}

/** The real network: certificates are checked whatever the environment says; it names no proxy, so none is used. */
export function openSocket(url: string, events: SocketEvents): Socket {
  const socket = new WebSocket(url, { tls: { rejectUnauthorized: true } });
  socket.addEventListener("open", () => events.onOpen());
  socket.addEventListener("message", ({ data }) => {
    // The exchange sends text only; bytes would be passed over as what we cannot read.
    events.onText(typeof data === "string" ? data : "");
  });
  socket.addEventListener("close", ({ code, reason }) => events.onClose(reason === "" ? `code ${code}` : reason));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
}
