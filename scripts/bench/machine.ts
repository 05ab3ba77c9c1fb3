/** What this machine costs by itself, and what one signature costs on it. */
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import { orderAction, wireOrder } from "../../src/wire/action/order.ts";
import { median, round } from "./figures.ts";

const SYNCS = 200;
const PAGE_BYTES = 4_096;
const SIGNATURES = 3_000;

/** Milliseconds for one `fdatasync` after one page, in a file that grows and in one that is overwritten. */
export function syncCost(directory: string): { growingMs: number; overwrittenMs: number } {
  const path = join(directory, "sync");
  const file = openSync(path, "w");
  try {
    const growingMs = median(syncs(file));
    return { growingMs, overwrittenMs: median(syncs(file)) };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}

function syncs(file: number): number[] {
  const page = Buffer.alloc(PAGE_BYTES, 1);
  return Array.from({ length: SYNCS }, (_, index) => {
    const startedMs = performance.now();
    writeSync(file, page, 0, PAGE_BYTES, index * PAGE_BYTES);
    fdatasyncSync(file);
    return round(performance.now() - startedMs);
  });
}

/** Milliseconds to encode, hash and sign one order into the body that is posted. */
export function signCost(): number {
  const privateKey = new Uint8Array(32).fill(0x41);
  const agentAddress = addressOfKey(privateKey);
  const signers = openSigners({ network: "mainnet", keys: [{ address: agentAddress, privateKey }] });
  const order = { assetId: 0, side: "buy", price: "30000", size: "0.001", reduceOnly: false } as const;
  const action = orderAction(
    wireOrder({ ...order, timeInForce: "ioc", trigger: null, cloid: `0x${"1".repeat(32)}` }),
    null,
  );
  const nowMs = 1_795_253_400_000;
  const times = Array.from({ length: SIGNATURES }, (_, index) => {
    const startedMs = performance.now();
    signers.sign({ agentAddress, action, nonce: nowMs + index, vaultAddress: null, expiresAfter: nowMs + 12_000 });
    return performance.now() - startedMs;
  });
  signers.lock();
  // The first half warms up.
  return round(median(times.slice(SIGNATURES / 2)));
}

/** Resident memory of a process, MiB; Linux. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Math.round(Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1] ?? "0") / 1_024);
}

/** From here on `peakMiB` tells of what comes: a start opens the agent keys, which takes 128 MiB for a moment. */
export async function forgetPeak(pid: number): Promise<void> {
  await Bun.write(`/proc/${pid}/clear_refs`, "5");
}

/** The most that it ever was, or was since it was forgotten, MiB. */
export async function peakMiB(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Math.round(Number(/VmHWM:\s+([0-9]+)/.exec(status)?.[1] ?? "0") / 1_024);
}

/** Of all threads, as the kernel counts it, milliseconds; Linux. */
export function processorMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + nanosecondsOf(`/proc/${pid}/task/${task}/schedstat`), 0) / 1e6;
}

/** Of the main thread alone: the others compile and collect garbage, which is most of it until some 10,000 orders are placed. */
export function mainThreadMs(pid: number): number {
  return nanosecondsOf(`/proc/${pid}/task/${pid}/schedstat`) / 1e6;
}

function nanosecondsOf(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ", 1)[0]);
  } catch {
    // The thread has ended meanwhile.
    return 0;
  }
}

/** Kinds of file systems that are memory, as the kernel numbers them: tmpfs and ramfs. */
const MEMORY_BACKED = new Set([0x01021994, 0x858458f6]);

/** Whether nothing in this directory ever waits for a disk. */
export function isInMemory(directory: string): boolean {
  return MEMORY_BACKED.has(statfsSync(directory).type);
}
