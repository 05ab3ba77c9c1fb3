/** How long the truth took, by what had become of the answer, and what stayed unknown for long, by reason. */
import type { Database } from "bun:sqlite";
import type { Sent } from "./network.ts";
import { nonceOf } from "./sent-when.ts";
import { START_MS } from "./template.ts";
import type { Weather } from "./weather.ts";
import type { Worlds } from "./worlds/worlds.ts";

/** Counts by bucket: eight to each doubling, so that a figure is known to a twelfth. */
export type Times = Record<number, number>;

export type Measured = {
  /** Actions that were sent, in runs of which the wall clock was right. */
  actions: number;
  /** Those whose outcome was unknown for longer than `LONG_MS`, by reason. */
  long: Record<string, number>;
  /** Milliseconds from the intent to the truth, by kind of loss. */
  times: Record<string, Times>;
  /** The longest that a trade held more than was protected, beside outages, milliseconds. */
  unprotectedMs: number;
};

export const NOTHING_MEASURED: Measured = { actions: 0, long: {}, times: {}, unprotectedMs: 0 };

/** Unknown for longer than this counts as long, milliseconds of virtual time. */
export const LONG_MS = 60_000;

type Run = {
  database: Database;
  sent: readonly Sent[];
  weather: Pick<Weather, "lags" | "outages">;
  /** Numbers of actions that were refused in words that are new. */
  refusedNonces: ReadonlySet<number>;
  deathsAtMs: readonly number[];
  faultsEndMs: number;
  worlds: Worlds;
};

type Row = { nonce: number; seal: string | null; createdAtMs: number; settledAtMs: number | null };

const ATTEMPTS = `select nonce, seal, created_at_ms as createdAtMs, settled_at_ms as settledAtMs from attempts
  union all select nonce, seal, attempted_at_ms, settled_at_ms from orders where attempt_state is not null`;

export function measure(run: Run, nowMs: number): Measured {
  const rows = run.database.prepare<Row, []>(ATTEMPTS).all();
  const sends = new Map(
    run.sent.filter(({ body }) => !body.includes('"type":"noop"')).map((one) => [nonceOf(one.body), one]),
  );
  const measured: Measured = { ...NOTHING_MEASURED, actions: rows.length, long: {}, times: {} };
  for (const row of rows) {
    const loss = lossOf(run, row, sends.get(row.nonce));
    if (loss === null) continue;
    const tookMs = (row.settledAtMs ?? START_MS + nowMs) - row.createdAtMs;
    const times = measured.times[loss] ?? {};
    if (row.settledAtMs !== null) count(times, bucketOf(tookMs));
    measured.times[loss] = times;
    if (tookMs > LONG_MS) count(measured.long, reasonOf(run, row, loss));
  }
  return measured;
}

/** Null where the answer was heard. */
function lossOf(run: Run, { nonce, createdAtMs, settledAtMs }: Row, send: Sent | undefined): string | null {
  const fromMs = createdAtMs - START_MS;
  const toMs = settledAtMs === null ? Number.POSITIVE_INFINITY : settledAtMs - START_MS;
  if (run.deathsAtMs.some((atMs) => atMs >= fromMs && atMs <= toMs)) return "restart";
  if (send?.fate === undefined) return null;
  if (run.refusedNonces.has(nonce)) return "refused in new words";
  const { arrivesAfterMs, answer } = send.fate;
  if (answer.kind === "true") return null;
  if (run.weather.outages.some((outage) => send.atMs >= outage.fromMs && send.atMs < outage.toMs)) return "outage";
  if (arrivesAfterMs.length === 0) return "lost before the exchange";
  return answer.kind === "error" || answer.kind === "cut" ? "connection reset" : "answer lost after it";
}

function reasonOf({ worlds, faultsEndMs, weather }: Run, { seal, settledAtMs }: Row, loss: string): string {
  if (settledAtMs !== null && settledAtMs - START_MS < faultsEndMs) return "the exchange could not be asked";
  if (worlds.others !== null) return "another's order under its id";
  if (worlds.moves !== null && worlds.moves.swap !== null) return "the list of markets had moved";
  if (worlds.forgetting !== null) return "forgotten by the exchange";
  if (worlds.rests !== null) return "record and fills disagree";
  if (loss === "refused in new words") return loss;
  if (Object.keys(weather.lags).length > 0) return "stores that were behind";
  return seal === null ? "nothing known of its number" : "number used, and the account quiet";
}

function count<K extends string | number>(counts: Record<K, number>, key: K): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

const BUCKETS_A_DOUBLING = 8;

function bucketOf(ms: number): number {
  return Math.round(Math.log2(Math.max(0, ms) + 1) * BUCKETS_A_DOUBLING);
}

export function addMeasured(a: Measured, b: Measured): Measured {
  const times: Measured["times"] = { ...a.times };
  for (const [loss, each] of Object.entries(b.times)) times[loss] = addCounts(times[loss] ?? {}, each);
  const unprotectedMs = Math.max(a.unprotectedMs, b.unprotectedMs);
  return { actions: a.actions + b.actions, long: addCounts(a.long, b.long), times, unprotectedMs };
}

function addCounts<K extends string | number>(a: Record<K, number>, b: Record<K, number>): Record<K, number> {
  const sum = { ...a };
  // Keys of an object are texts; buckets are read as numbers where they are shown.
  for (const key of Object.keys(b) as K[]) sum[key] = (sum[key] ?? 0) + b[key];
  return sum;
}

/** Lines for the end of a run. */
export function measuredLines({ actions, long, times, unprotectedMs }: Measured): string[] {
  const many = Object.values(long).reduce((sum, each) => sum + each, 0);
  const share = (part: number) => `${((100 * part) / Math.max(1, actions)).toFixed(3)} %`;
  const reasons = Object.entries(long).sort(([, a], [, b]) => b - a);
  return [
    `unknown for longer than ${LONG_MS / 1_000} s: ${many} of ${actions} actions (${share(many)})`,
    ...reasons.map(([reason, part]) => `  ${reason}: ${part} (${share(part)})`),
    `a trade without protection, beside outages: ${unprotectedMs} virtual milliseconds at most`,
    "time to the truth, virtual milliseconds:",
    ...Object.entries(times).map(
      ([loss, each]) => `  ${loss}: p50 ${quantile(each, 0.5)}, p99 ${quantile(each, 0.99)}`,
    ),
  ];
}

function quantile(times: Times, share: number): number {
  const buckets = Object.entries(times)
    .map(([bucket, n]) => [Number(bucket), n] as const)
    .sort(([a], [b]) => a - b);
  const all = buckets.reduce((sum, [, n]) => sum + n, 0);
  let seen = 0;
  for (const [bucket, n] of buckets) {
    seen += n;
    if (seen >= share * all) return Math.round(2 ** (bucket / BUCKETS_A_DOUBLING) - 1);
  }
  return 0;
}
