/**
 * The process's file descriptors, as the kernel tells of them: the runtime accepts connections by itself, says nothing of
 * those that have sent nothing, and has no limit of its own.
 */
import { CString, dlopen, ptr, read } from "bun:ffi";
import type { Opening } from "../exchange/lines.ts";

export type PeerAddress = { address: string; port: number };

export type OpenConnection = PeerAddress & {
  descriptor: number;
  /** Since its last byte, or its beginning, milliseconds. */
  silentMs: number;
  /** A byte has come on it, read by us or not yet. */
  hasSpoken: boolean;
};

export type Descriptors = {
  /** How many there may be. */
  limit: number;
  /** From now on nobody is given one from this number on, but while something of ours is opening. */
  keepBack(from: number): void;
  /** Something of ours is opening: it may have those that are kept back, until the returned function is called. */
  opening: Opening;
  /** The next one that a client would be given; null when none is left. One or two microseconds. */
  nextFree(): number | null;
  /** Not even one of those that are kept back is left. */
  areExhausted(): boolean;
  /** How many are open, and those that are connections to one of these ports of ours. */
  look(ports: ReadonlySet<number>): { open: number; connections: OpenConnection[] };
  /** The end of a connection: its owner sees that the other side has gone, and closes it. */
  end(descriptor: number): void;
};

const C_LIBRARY = "libc.so.6";
/** Of Linux's headers, the same on x64 and arm64. */
const RLIMIT_NOFILE = 7;
const F_DUPFD_CLOEXEC = 1_030;
const POLLNVAL = 0x20;
const [AF_INET, AF_INET6] = [2, 10];
const [IPPROTO_TCP, TCP_INFO] = [6, 11];
const SHUT_RDWR = 2;
/** Of `struct tcp_info`: milliseconds since the last byte came, and the lower half of how many have come. */
const [LAST_DATA_RECEIVED, BYTES_RECEIVED] = [52, 128];
/** More than that are of no use here, and looking at them takes time. */
const MOST = 16_384;
/** Bytes of the longest answer that is asked for. */
const ANSWER_BYTES = 248;
/** Of a `socklen_t`, whose lowest byte holds all the lengths that are asked for. */
const LENGTH_BYTES = 4;
/** In `struct sockaddr_in` and `sockaddr_in6`; and of the latter's address as text. */
const [PORT_OFFSET, IPV6_OFFSET, ADDRESS_CHARACTERS] = [2, 8, 64];
/** Of `struct pollfd`. */
const [POLL_BYTES, REVENTS_OFFSET] = [8, 6];

const FUNCTIONS = {
  getrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  shutdown: { args: ["i32", "i32"], returns: "i32" },
  inet_ntop: { args: ["i32", "ptr", "ptr", "u32"], returns: "ptr" },
} as const;

/** Raises the limit to what the system allows, at most 16,384. Null where the system is another one. */
export function openDescriptors(): Descriptors | null {
  try {
    const { symbols } = dlopen(C_LIBRARY, FUNCTIONS);
    return lookingThrough(symbols);
  } catch {
    return null;
  }
}

type Functions = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];

function lookingThrough(c: Functions): Descriptors {
  const limit = raiseLimit(c);
  const kept = openKeptBack(c, limit);
  const connection = openSocketReader(c);
  const isOpen = openPoll(c, limit);

  function nextFree(): number | null {
    const next = c.fcntl(0, F_DUPFD_CLOEXEC, 0);
    if (next < 0) return null;
    c.close(next);
    return next;
  }

  return {
    limit,
    keepBack: kept.keepBack,
    opening: kept.opening,
    nextFree,
    areExhausted: () => kept.withAll(nextFree) === null,
    look(ports) {
      const connections: OpenConnection[] = [];
      let open = 0;
      // It takes no more of them than the limit of the moment.
      kept.withAll(isOpen.ask);
      for (let descriptor = 0; descriptor < limit; descriptor += 1) {
        if (!isOpen.of(descriptor)) continue;
        open += 1;
        const found = connection(descriptor, ports);
        if (found !== null) connections.push(found);
      }
      return { open, connections };
    },
    end: (descriptor) => void c.shutdown(descriptor, SHUT_RDWR),
  };
}

/** Those from a number on are nobody's, but while something of ours is opening. */
function openKeptBack(c: Functions, limit: number) {
  let clientsLimit = limit;
  let countOpening = 0;

  function opening(): () => void {
    let isOver = false;
    countOpening += 1;
    if (countOpening === 1) setLimit(c, limit);
    return () => {
      if (isOver) return;
      isOver = true;
      countOpening -= 1;
      if (countOpening === 0) setLimit(c, clientsLimit);
    };
  }

  function withAll<T>(work: () => T): T {
    const over = opening();
    try {
      return work();
    } finally {
      over();
    }
  }

  return {
    keepBack(from: number): void {
      clientsLimit = from;
      if (countOpening === 0) setLimit(c, from);
    },
    opening,
    withAll,
  };
}

/** Which numbers are descriptors. */
function openPoll(c: Functions, limit: number) {
  // Handed over itself: a pointer alone would not keep its memory from the collector.
  const asked = new Int32Array(new ArrayBuffer(limit * POLL_BYTES));
  const told = new Uint16Array(asked.buffer);
  for (let descriptor = 0; descriptor < limit; descriptor += 1) asked[descriptor * 2] = descriptor;
  return {
    /** Asked for nothing, it still tells which numbers are no descriptor: all of them in one call. */
    ask: () => c.poll(asked, limit, 0),
    of: (descriptor: number) => ((told[(descriptor * POLL_BYTES + REVENTS_OFFSET) / 2] ?? POLLNVAL) & POLLNVAL) === 0,
  };
}

/** Reads what a descriptor is at the other end; null where it is no connection to one of these ports of ours. */
function openSocketReader(c: Functions): (descriptor: number, ports: ReadonlySet<number>) => OpenConnection | null {
  // Each is handed over itself wherever it is used: a pointer alone would not keep its memory from the collector.
  const [answer, text, length] = [allocate(ANSWER_BYTES), allocate(ADDRESS_CHARACTERS), allocate(LENGTH_BYTES)];
  const ipv6 = answer.subarray(IPV6_OFFSET);
  const [answerAt, textAt] = [ptr(answer), ptr(text)];

  /** The port of one end; null where it is no connection over IP. Its address is then in `answer`. */
  function portOf(end: "getsockname" | "getpeername", descriptor: number): number | null {
    length[0] = ANSWER_BYTES;
    if (c[end](descriptor, answer, length) !== 0) return null;
    const family = read.u16(answerAt, 0);
    if (family !== AF_INET && family !== AF_INET6) return null;
    return read.u8(answerAt, PORT_OFFSET) * 256 + read.u8(answerAt, PORT_OFFSET + 1);
  }

  function address(): string {
    if (read.u16(answerAt, 0) === AF_INET) return [4, 5, 6, 7].map((at) => read.u8(answerAt, at)).join(".");
    c.inet_ntop(AF_INET6, ipv6, text, ADDRESS_CHARACTERS);
    return new CString(textAt).toString();
  }

  function heard(descriptor: number): Pick<OpenConnection, "silentMs" | "hasSpoken"> {
    length[0] = ANSWER_BYTES;
    if (c.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, answer, length) !== 0) return { silentMs: 0, hasSpoken: true };
    const hasSpoken = read.u32(answerAt, BYTES_RECEIVED) > 0;
    return { silentMs: read.u32(answerAt, LAST_DATA_RECEIVED), hasSpoken };
  }

  return (descriptor, ports) => {
    const own = portOf("getsockname", descriptor);
    if (own === null || !ports.has(own)) return null;
    // What listens has no other end.
    const port = portOf("getpeername", descriptor);
    return port === null ? null : { descriptor, port, address: address(), ...heard(descriptor) };
  };
}

/** Memory that stays where it is. */
function allocate(bytes: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(bytes));
}

function raiseLimit(c: Functions): number {
  const limits = new BigUint64Array(2);
  if (c.getrlimit(RLIMIT_NOFILE, limits) !== 0) throw new Error("the limit is not known");
  const [soft = 0n, hard = 0n] = limits;
  const wanted = hard < BigInt(MOST) ? hard : BigInt(MOST);
  // A lower one is kept where the sandbox does not let it be raised; a higher one is cut, so that all can be looked at.
  const isSet = soft === wanted || setLimit(c, Number(wanted));
  return Number(isSet || soft > wanted ? wanted : soft);
}

/** The hard limit stays: what is kept back can always be had again. */
function setLimit(c: Functions, limit: number): boolean {
  const limits = new BigUint64Array(2);
  if (c.getrlimit(RLIMIT_NOFILE, limits) !== 0) return false;
  limits[0] = BigInt(limit);
  return c.setrlimit(RLIMIT_NOFILE, limits) === 0;
}
