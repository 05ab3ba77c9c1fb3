// A server's side of RFC 6455, as much as one client needs.
import { createHash } from "node:crypto";

export const accept = (request, socket) => {
  const key = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
  const peer = { onText: () => {}, onClose: () => {}, isOpen: true };
  const frame = (opcode, payload) => {
    if (!peer.isOpen) return;
    const n = payload.length;
    const head =
      n < 126
        ? Buffer.from([0x80 | opcode, n])
        : n < 65536
          ? Buffer.from([0x80 | opcode, 126, n >> 8, n & 255])
          : Buffer.alloc(10);
    if (n >= 65536) {
      head[0] = 0x80 | opcode;
      head[1] = 127;
      head.writeBigUInt64BE(BigInt(n), 2);
    }
    socket.write(Buffer.concat([head, payload]));
  };
  peer.send = (text) => frame(1, Buffer.from(text));
  peer.close = (code = 1000, reason = "") => {
    frame(8, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
    socket.end();
  };
  peer.destroy = () => socket.destroy();
  let rest = Buffer.alloc(0);
  let parts = [];
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      if (rest.length < 2) return;
      let length = rest[1] & 127;
      let at = 2;
      if (length === 126) {
        if (rest.length < 4) return;
        length = rest.readUInt16BE(2);
        at = 4;
      } else if (length === 127) {
        if (rest.length < 10) return;
        length = Number(rest.readBigUInt64BE(2));
        at = 10;
      }
      const isMasked = (rest[1] & 128) !== 0;
      if (rest.length < at + (isMasked ? 4 : 0) + length) return;
      const mask = isMasked ? rest.subarray(at, at + 4) : null;
      if (isMasked) at += 4;
      const payload = Buffer.from(rest.subarray(at, at + length));
      if (mask) for (let i = 0; i < length; i++) payload[i] ^= mask[i & 3];
      const opcode = rest[0] & 15;
      const isLast = (rest[0] & 128) !== 0;
      rest = rest.subarray(at + length);
      if (opcode === 8) {
        frame(8, payload);
        socket.end();
      } else if (opcode === 9) frame(10, payload);
      else if (opcode <= 2) {
        parts.push(payload);
        if (isLast) {
          const text = Buffer.concat(parts).toString();
          parts = [];
          peer.onText(text);
        }
      }
    }
  });
  const end = () => {
    if (!peer.isOpen) return;
    peer.isOpen = false;
    peer.onClose();
  };
  socket.on("close", end);
  socket.on("error", end);
  return peer;
};
