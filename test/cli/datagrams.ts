import { dlopen, ptr } from "bun:ffi";

const { symbols: c } = dlopen("libc.so.6", {
  socket: { args: ["int", "int", "int"], returns: "int" },
  bind: { args: ["int", "ptr", "u32"], returns: "int" },
  recv: { args: ["int", "ptr", "u64", "int"], returns: "i64" },
  close: { args: ["int"], returns: "int" },
});

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const MAX_BYTES = 4_096;
/** Looks at the socket for what was waited for, 20 ms apart. */
const MAX_LOOKS = 1_000;
const FETCH_INTERVAL_MS = 50;

export type Datagrams = {
  /** Everything that has come so far. */
  all(): string[];
  /** Waits for one that contains the text. */
  waitFor(text: string): Promise<string>;
  close(): void;
};

/** The receiving end, as systemd has it; `@name` is an abstract address. */
export function receiveDatagrams(name: string): Datagrams {
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`);
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), path]);
  const descriptor = c.socket(AF_UNIX, SOCK_DGRAM, 0);
  if (c.bind(descriptor, ptr(address), address.length) !== 0) throw new Error(`cannot bind ${name}`);
  const received: string[] = [];
  const buffer = Buffer.alloc(MAX_BYTES);

  function all(): string[] {
    for (;;) {
      const length = Number(c.recv(descriptor, ptr(buffer), BigInt(MAX_BYTES), MSG_DONTWAIT));
      if (length < 0) return received;
      received.push(buffer.toString("utf8", 0, length));
    }
  }

  // A socket keeps about ten: what nobody fetches is lost while a test does something else for a second.
  const fetching = setInterval(all, FETCH_INTERVAL_MS);
  return {
    all,
    async waitFor(text) {
      for (let look = 0; look < MAX_LOOKS; look++) {
        const found = all().find((datagram) => datagram.includes(text));
        if (found !== undefined) return found;
        await Bun.sleep(20);
      }
      throw new Error(`no "${text}" among ${JSON.stringify(received)}`);
    },
    close() {
      clearInterval(fetching);
      c.close(descriptor);
    },
  };
}
