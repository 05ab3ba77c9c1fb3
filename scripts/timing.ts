/**
 * `bun run timing [--count N]`: does the time of a refusal tell anything about a registered key? Compares keys
 * that are one digit away from a registered one with keys that have nothing in common with it, by Welch's t-test. A
 * script and no test: a busy machine answers slowly for reasons of its own.
 */
import { parseArgs } from "node:util";
import { authenticate } from "../src/actions/authenticate.ts";
import { KEYS, openRig } from "../test/http/rig.ts";

const { values } = parseArgs({ options: { count: { type: "string", default: "100000" } } });
const COUNT = Number(values.count);
/** Beyond it the two are taken to differ, as in leakage tests of smart cards. */
const LIMIT = 4.5;
/** Slowest share of each class that is left out: those met the garbage collector or another process. */
const TRIMMED = 0.05;

const { deps } = openRig();
const { randomBytes } = deps;

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Both classes are put together the same way: how a text is kept in memory takes time to read as well. */
function keyOf(base: string): string {
  const digit = hex(randomBytes(1)).slice(0, 1);
  return Buffer.from(`${base.slice(0, -1)}${base.endsWith(digit) ? "0" : digit}`).toString("latin1");
}

function near(): string {
  return keyOf(KEYS.both);
}

function far(): string {
  return keyOf(`api_trade_${hex(randomBytes(32))}`);
}

function nanoseconds(key: string): number {
  const header = Buffer.from(`Bearer ${key}`).toString("latin1");
  const startedNs = Bun.nanoseconds();
  try {
    authenticate(deps, header);
  } catch {
    return Bun.nanoseconds() - startedNs;
  }
  throw new Error("a key that is not registered was let in");
}

type Moments = { mean: number; variance: number; count: number };

function momentsOf(samples: readonly number[]): Moments {
  const kept = samples.toSorted((a, b) => a - b).slice(0, Math.ceil(samples.length * (1 - TRIMMED)));
  const mean = kept.reduce((sum, each) => sum + each, 0) / kept.length;
  const variance = kept.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, count: kept.length };
}

function welch(a: Moments, b: Moments): number {
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
}

const samples: { near: number[]; far: number[] } = { near: [], far: [] };
for (let warm = 0; warm < COUNT / 10; warm++) nanoseconds(far());
// In an order that neither class can profit from.
while (samples.near.length < COUNT || samples.far.length < COUNT) {
  const isNear = ((randomBytes(1)[0] ?? 0) & 1) === 1;
  const list = isNear ? samples.near : samples.far;
  if (list.length < COUNT) list.push(nanoseconds(isNear ? near() : far()));
}
const [nearly, unlike] = [momentsOf(samples.near), momentsOf(samples.far)];
const t = welch(nearly, unlike);
console.log(
  JSON.stringify({
    requests_a_class: COUNT,
    near_mean_ns: Math.round(nearly.mean),
    far_mean_ns: Math.round(unlike.mean),
    t: Number(t.toFixed(2)),
    limit: LIMIT,
  }),
);
process.exit(Math.abs(t) < LIMIT ? 0 : 1);
