import { createHash } from "node:crypto";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A websocket's server side, for texts that come in one frame. */
export class Socket {
  constructor(request, raw, onText) {
    this.raw = raw;
    this.rest = Buffer.alloc(0);
    this.isOpen = true;
    const key = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + GUID)
      .digest("base64");
    raw.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
    );
    raw.on("data", (bytes) => this.take(bytes, onText));
    raw.on("close", () => {
      this.isOpen = false;
    });
    raw.on("error", () => {
      this.isOpen = false;
    });
  }

  take(bytes, onText) {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (;;) {
      const frame = cutFrame(this.rest);
      if (frame === null) return;
      this.rest = frame.rest;
      if (frame.code === 8) this.raw.end();
      else if (frame.code === 9) this.write(10, frame.body);
      else if (frame.code === 1) onText(frame.body.toString());
    }
  }

  write(code, body) {
    if (!this.isOpen) return;
    const length = body.length;
    const head = length < 126 ? Buffer.from([0x80 | code, length]) : Buffer.alloc(length < 65536 ? 4 : 10);
    if (length >= 126) {
      head[0] = 0x80 | code;
      head[1] = length < 65536 ? 126 : 127;
      if (length < 65536) head.writeUInt16BE(length, 2);
      else head.writeBigUInt64BE(BigInt(length), 2);
    }
    this.raw.write(Buffer.concat([head, body]));
  }

  send(value) {
    this.write(1, Buffer.from(JSON.stringify(value)));
  }

  end() {
    this.isOpen = false;
    this.raw.destroy();
  }
}

function cutFrame(bytes) {
  if (bytes.length < 2) return null;
  let length = bytes[1] & 0x7f;
  let at = 2;
  if (length === 126) {
    if (bytes.length < 4) return null;
    length = bytes.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (bytes.length < 10) return null;
    length = Number(bytes.readBigUInt64BE(2));
    at = 10;
  }
  const isMasked = (bytes[1] & 0x80) !== 0;
  const mask = isMasked ? bytes.subarray(at, at + 4) : null;
  if (isMasked) at += 4;
  if (bytes.length < at + length) return null;
  const body = Buffer.from(bytes.subarray(at, at + length));
  if (mask !== null) for (let i = 0; i < body.length; i++) body[i] ^= mask[i % 4];
  return { code: bytes[0] & 0x0f, body, rest: bytes.subarray(at + length) };
}
