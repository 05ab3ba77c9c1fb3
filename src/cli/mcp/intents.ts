/**
 * What a model has proposed, one file for each, on the disk before the model hears of it. The name of an intent is the
 * order's Idempotency-Key, so that placing it after a crash is the same order.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** How long a proposal may be placed for the first time, milliseconds. */
export const INTENT_LIFE_MS = 60_000;

/** What `POST /v1/orders` takes, without the account. */
export type Proposed = {
  readonly market: string;
  readonly side: "buy" | "sell";
  readonly size: string;
  readonly price: string;
  readonly time_in_force?: string;
  readonly reduce_only?: boolean;
  readonly trigger?: { readonly price: string; readonly kind: string; readonly market: boolean };
};

export type Intent = {
  readonly id: string;
  /** Unix milliseconds. */
  readonly proposedAtMs: number;
  readonly order: Proposed;
  /** A request to place it may have left, from this process or from one before it. */
  readonly isSent: boolean;
};

export type Intents = {
  /** A file of its own: two processes with one key lose nothing of each other. */
  keep(intent: { nowMs: number; random: string; order: Proposed }): Intent;
  find(id: string): Intent | null;
  /** The newest that asks for the same and may still be placed. */
  equal(order: Proposed, nowMs: number): Intent | null;
  /** Before the first request leaves. */
  markSent(id: string): void;
  /** The gateway has said that this request, the only one, has sent nothing. */
  unmark(id: string): void;
};

const INTENT_ID = /^\d{13}-[0-9a-f]{32}$/;
const MS_DIGITS = 13;

export function openIntents(directory: string): Intents {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const orderFile = (id: string) => join(directory, `${id}.json`);
  const sentFile = (id: string) => join(directory, `${id}.sent`);

  function write(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600, flag: "wx", flush: true });
    flushDirectory(directory);
  }
  function find(id: string): Intent | null {
    if (!INTENT_ID.test(id) || !existsSync(orderFile(id))) return null;
    const order = readOrder(orderFile(id));
    if (order === null) return null;
    return { id, proposedAtMs: Number(id.slice(0, MS_DIGITS)), order, isSent: existsSync(sentFile(id)) };
  }
  return {
    find,
    keep({ nowMs, random, order }) {
      const id = `${String(nowMs).padStart(MS_DIGITS, "0")}-${random}`;
      write(orderFile(id), JSON.stringify(order));
      return { id, proposedAtMs: nowMs, order, isSent: false };
    },
    equal(order, nowMs) {
      const wanted = JSON.stringify(order);
      const names = readdirSync(directory).map((name) => name.replace(/\.json$/, ""));
      const live = names.filter((id) => INTENT_ID.test(id) && isLive(Number(id.slice(0, MS_DIGITS)), nowMs));
      const found = live.sort().reverse().map(find);
      return found.find((intent) => intent !== null && JSON.stringify(intent.order) === wanted) ?? null;
    },
    markSent(id) {
      if (!existsSync(sentFile(id))) write(sentFile(id), "");
    },
    unmark(id) {
      rmSync(sentFile(id), { force: true });
      flushDirectory(directory);
    },
  };
}

/** A clock that was set back makes a proposal no younger. */
export function isLive(proposedAtMs: number, nowMs: number): boolean {
  return nowMs >= proposedAtMs && nowMs - proposedAtMs < INTENT_LIFE_MS;
}

/** Null for a file that a crash has left unfinished: nobody was told of it. */
function readOrder(path: string): Proposed | null {
  try {
    // Written by `keep`.
    return JSON.parse(readFileSync(path, "utf8")) as Proposed;
  } catch {
    return null;
  }
}

function flushDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
