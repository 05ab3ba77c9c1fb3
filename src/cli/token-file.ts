import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Failure } from "./command.ts";

const TOKEN = /^[\x21-\x7e]{16,256}$/;
const MAX_BYTES = 1_024;

/** The bearer token in a file that nobody else may read: 16 to 256 visible characters on one line. */
export function readTokenFile(path: string): string {
  const descriptor = open(path);
  try {
    // Checked on the open file, so that it cannot be exchanged between the check and the reading.
    const { mode } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Failure(`${path} is not a plain file`);
    if ((mode & 0o077) !== 0) throw new Failure(`${path} can be read by others: chmod 600 ${path}`);
    const buffer = Buffer.alloc(MAX_BYTES);
    const text = buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, 0)).replace(/\r?\n$/, "");
    if (!TOKEN.test(text)) throw new Failure(`${path} holds no token: one line of 16 to 256 visible characters`);
    return text;
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new Failure(`${path} cannot be read`);
  }
}
