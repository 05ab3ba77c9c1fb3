/**
 * How soon a stop has sent the cancel of each TWAP that it covers and whose number had been told: within seconds of a gateway's life, whatever a
 * history shows. By the record of what was told, and by what was sent.
 */
import type { Database } from "bun:sqlite";
import { EVERY_ATTEMPT } from "../support/every-row.ts";
import type { Bot } from "./bots.ts";
import { fieldOf } from "./clients.ts";
import type { Sent } from "./network.ts";
import type { ToldEvent } from "./tellings.ts";
import { PARTIES, START_MS } from "./template.ts";
import type { Span } from "./trades-audit.ts";
import type { Venue } from "./venue.ts";

export type StoppedTwaps = {
  venue: Venue;
  told: readonly ToldEvent[];
  sent: readonly Sent[];
  signerOf: ReadonlyMap<string, string>;
  twaps: readonly TwapRow[];
  /** No gateway lived, or nothing could be sent. */
  aways: readonly Span[];
  bots: readonly Bot[];
};

/** From when both the stop and the number are known, in which a gateway lives without a break, milliseconds. */
const CANCELED_WITHIN_MS = 10_000;

/** Of our own: who asked for it and what, and the number of its action. */
export type TwapRow = { id: string; account_id: string; key_hash: string | null; parameters: string; nonce: number };

/** For a run, whose TWAPs stand in its database. */
export function auditTwapsIn({ database, ...run }: Omit<StoppedTwaps, "twaps"> & { database: Database }): string[] {
  return auditTwapsStopped({ ...run, twaps: twapRowsIn(database) });
}

/** One sentence for each TWAP that was left running. */
export function auditTwapsStopped(run: StoppedTwaps): string[] {
  const stops = run.told.filter(({ type, isTakenBack }) => type === "stop.created" && !isTakenBack);
  return stops.flatMap((stop) => run.twaps.flatMap((row) => leftRunning(run, stop, row)));
}

function twapRowsIn(database: Database): TwapRow[] {
  const sql = `select o.id, o.account_id, o.key_hash, o.parameters, a.nonce from operations o
    join ${EVERY_ATTEMPT} a on a.resource_id = o.id where o.action = 'twap'`;
  return database.prepare<TwapRow, []>(sql).all();
}

function leftRunning(run: StoppedTwaps, stop: ToldEvent, row: TwapRow): string[] {
  const party = PARTIES.find(({ account }) => account.id === row.account_id);
  const twapId = party === undefined ? null : madeBy(run.venue, party.agent, row.nonce);
  if (party === undefined || twapId === null || !isCovered(run, stop, row)) return [];
  const named = run.told.find(
    ({ resourceId, payload, isTakenBack }) =>
      resourceId === row.id && !isTakenBack && fieldOf(payload, "exchange_id") === String(twapId),
  );
  if (named === undefined) return [];
  const fromMs = livesFrom(run.aways, Math.max(stop.atMs, named.atMs));
  const toMs = fromMs + CANCELED_WITHIN_MS;
  if (isResumed(run, stop, toMs) || hasEnded(run.venue, party.account.tradingAddress, { twapId, toMs })) return [];
  const cancel = `"type":"twapCancel","a":`;
  const isSent = run.sent.some(
    ({ body, atMs }) =>
      atMs <= toMs &&
      run.signerOf.get(body) === party.agent &&
      body.includes(cancel) &&
      new RegExp(`"t":${twapId}[^0-9]`).test(body),
  );
  return isSent
    ? []
    : [
        `a stop (${fieldOf(stop.payload, "cause")}) stood at ${stop.atMs}, TWAP ${twapId} was named at ${named.atMs}, and no cancel of it was sent by ${toMs}`,
      ];
}

function madeBy({ log }: Venue, agent: string, nonce: number): number | null {
  const made = log.find(
    (each) =>
      each.signer === agent && each.nonce === nonce && each.input.action.type === "twapOrder" && each.isAdmitted,
  );
  if (made?.reply.status !== "ok" || made.reply.response.type !== "twapOrder") return null;
  const { status } = made.reply.response.data;
  return "running" in status ? status.running.twapId : null;
}

function isCovered({ told, bots }: StoppedTwaps, stop: ToldEvent, row: TwapRow): boolean {
  const { payload } = stop;
  if (fieldOf(payload, "account") !== row.account_id) return false;
  const created = told.find(({ type, resourceId }) => type === "operation.created" && resourceId === row.id);
  if (created === undefined || created.id > stop.id) return false;
  // The gateway's own texts, read without their types.
  const { keep_protection: keepsProtection } = JSON.parse(payload) as { keep_protection: boolean };
  const { reduce_only: isReduction } = JSON.parse(row.parameters) as { reduce_only: boolean };
  if (keepsProtection && isReduction) return false;
  if (fieldOf(payload, "scope") === "account") return true;
  // A bot has several keys.
  const keys = bots.map(({ holders }) => holders.map(({ by }) => by.key.keyHash));
  const stopped = fieldOf(payload, "key_hash") ?? "";
  return (keys.find((own) => own.includes(stopped)) ?? [stopped]).includes(row.key_hash ?? "");
}

/** From there on nothing keeps a gateway from it for as long as it has. */
function livesFrom(aways: readonly Span[], sinceMs: number): number {
  const inTheWay = aways.filter(({ fromMs, toMs }) => toMs > sinceMs && fromMs < sinceMs + CANCELED_WITHIN_MS);
  if (inTheWay.length === 0) return sinceMs;
  return livesFrom(aways, Math.max(...inTheWay.map(({ toMs }) => toMs)));
}

function isResumed({ told }: StoppedTwaps, stop: ToldEvent, byMs: number): boolean {
  return told.some(
    ({ type, resourceId, payload, atMs }) =>
      type.startsWith("stop.") &&
      resourceId === stop.resourceId &&
      atMs <= byMs &&
      fieldOf(payload, "resumed_at") !== null,
  );
}

function hasEnded(venue: Venue, user: string, { twapId, toMs }: { twapId: number; toMs: number }): boolean {
  return venue
    .account(user)
    .twapHistory.some(
      ({ state, status, timeMs }) =>
        state.twapId === twapId && status.status !== "activated" && timeMs <= START_MS + toMs,
    );
}
