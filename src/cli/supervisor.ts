/**
 * What systemd is told by a service of `Type=notify`: datagrams to the Unix socket that it names. The runtime has no
 * Unix datagram socket, so the C library's `sendto` is called.
 */
import { dlopen, type Library, ptr } from "bun:ffi";
import type { Environment } from "../config.ts";

export type Supervisor = {
  /** `READY=1`, `STATUS=…`, one a line. False when it could not be delivered; true when nobody wants to know. */
  tell(...lines: readonly string[]): boolean;
  /** How often a sign of life is wanted, milliseconds; null when none is. */
  watchdogIntervalMs: number | null;
};

const NOBODY: Supervisor = { tell: () => true, watchdogIntervalMs: null };

/** Signs of life within the time after which systemd gives us up: one may be late, and one more. */
const PINGS_PER_WATCHDOG = 3;

/** The supervisor that the environment names, or one that wants nothing. */
export function openSupervisor(environment: Environment, processId: number): Supervisor {
  const address = socketAddress(environment["NOTIFY_SOCKET"] ?? "");
  if (address === null) return NOBODY;
  return { tell: teller(address), watchdogIntervalMs: watchdogInterval(environment, processId) };
}

/** Milliseconds; null also when the variables are meant for another process. */
function watchdogInterval(environment: Environment, processId: number): number | null {
  const microseconds = Number(environment["WATCHDOG_USEC"] ?? "0");
  const isOurs = (environment["WATCHDOG_PID"] ?? String(processId)) === String(processId);
  if (!isOurs || !Number.isSafeInteger(microseconds) || microseconds <= 0) return null;
  return Math.max(1, Math.floor(microseconds / 1_000 / PINGS_PER_WATCHDOG));
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** Bytes of `sun_path`. */
const MAX_PATH_BYTES = 108;

/** A `sockaddr_un`: a path in the file system, or after `@` an abstract name, which starts with a zero byte. */
function socketAddress(name: string): Buffer | null {
  if (!name.startsWith("/") && !name.startsWith("@")) return null;
  const isAbstract = name.startsWith("@");
  const path = Buffer.from(isAbstract ? `\0${name.slice(1)}` : `${name}\0`);
  if (path.length > MAX_PATH_BYTES) return null;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, path]);
}

const CALLS = {
  socket: { args: ["int", "int", "int"], returns: "int" },
  sendto: { args: ["int", "ptr", "u64", "int", "ptr", "u32"], returns: "i64" },
} as const;

function teller(address: Buffer): Supervisor["tell"] {
  let library: Library<typeof CALLS>;
  try {
    library = dlopen("libc.so.6", CALLS);
  } catch {
    return () => false;
  }
  const { socket, sendto } = library.symbols;
  const descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return (...lines) => {
    const text = Buffer.from(lines.join("\n"));
    // Never waits: the event loop is worth more than a line of status.
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    const sent = sendto(descriptor, ptr(text), BigInt(text.length), flags, ptr(address), address.length);
    return Number(sent) === text.length;
  };
}
