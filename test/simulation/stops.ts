/** Owners who stop, and what has to be true from then on: judged by the exchange's own log, and by what was signed. */
import type { Database } from "bun:sqlite";
import type { StopScope } from "../../src/core/stop.ts";
import { resumeTrading } from "../../src/ops/stop-trading.ts";
import { EVERY_ATTEMPT } from "../support/every-row.ts";
import { openChance } from "./chance.ts";
import { type Clients, fieldOf } from "./clients.ts";
import type { GatewayProcess } from "./process.ts";
import type { ToldEvent } from "./tellings.ts";
import { PARTIES, type Party, START_MS } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import { allOrders, onlyReduces, type TrueLeg, type Truth } from "./truth.ts";
import type { Execution, Venue } from "./venue.ts";

/** What a party wants stopped, and when. */
export type StopWish = {
  party: Party;
  scope: StopScope;
  keepsProtection: boolean;
  atMs: number;
  key: string;
  /** How long after it was told `stopped` the operator resumes; null where nobody does. */
  resumeAfterMs: number | null;
};

/** Bits by which the seed of stops differs from the seed of everything else. */
const STOP_STREAM = 0x5709_0000;

/** Of some runs one stop: of a party's account, or of its key. */
export function drawStop(
  seed: number,
  { faultsEndMs, hasBots }: { faultsEndMs: number; hasBots: boolean },
): StopWish | null {
  const chance = openChance(seed ^ STOP_STREAM);
  if (!chance.isLucky(0.2)) return null;
  const party = chance.isLucky(0.8) ? PARTIES[0] : PARTIES[1];
  if (party === undefined) throw new Error("bug: a run without parties");
  const scope = chance.pick(["account", "bot"] as const);
  return {
    // The plain key's own would leave the orders of bots.
    party,
    scope: hasBots ? "account" : scope,
    keepsProtection: chance.isLucky(0.7),
    atMs: chance.between(0, Math.floor(faultsEndMs * 0.9)),
    key: `stop-${chance.between(1_000, 9_999)}`,
    resumeAfterMs: chance.isLucky(0.35) ? chance.between(0, 10_000) : null,
  };
}

/** Between two times that it is asked for, milliseconds: whoever stops does not let go. */
const AGAIN_AFTER_MS = 700;

/** Asks until it is told `stopped`, and calls `whenStopped` then. */
export function askForStop(
  clients: Pick<Clients, "put">,
  timeline: Timeline,
  { wish, whenStopped }: { wish: StopWish; whenStopped: () => void },
): void {
  const { party, scope, keepsProtection, key, atMs } = wish;
  const again = () => {
    clients.put(party, key, { kind: "stop", scope, keepsProtection }, ({ outcome }) => {
      const isStopped = outcome?.kind === "answer" && fieldOf(outcome.body, "status") === "stopped";
      if (isStopped) whenStopped();
      else timeline.after(AGAIN_AFTER_MS, again);
    });
  };
  timeline.after(atMs, again);
}

/** The operator's command, again until a gateway lives through it; returns when it was first given, once it was. */
export function resumeLater(
  process: () => GatewayProcess | null,
  timeline: Timeline,
  wish: StopWish,
): () => number | null {
  let firstAtMs: number | null = null;
  const resume = () => {
    const living = process();
    firstAtMs ??= timeline.nowMs();
    try {
      if (living?.isAlive() === true) {
        resumeTrading(
          { ...living.gateway.deps, network: "testnet" },
          { accountId: wish.party.account.id, stopId: null },
        );
        return;
      }
    } catch (error) {
      if (living?.isAlive() === true) throw error;
    }
    timeline.after(AGAIN_AFTER_MS, resume);
  };
  if (wish.resumeAfterMs !== null) timeline.after(wish.resumeAfterMs, resume);
  return () => firstAtMs;
}

export type Stopping = {
  venue: Venue;
  truth: Truth;
  told: readonly ToldEvent[];
  runningTwaps: ReadonlySet<number>;
  database: Database;
  /** When the operator began to resume; null where that was never. */
  resumedAtMs: number | null;
};

/** One sentence for each thing that increased, or was signed to, after it could no longer. */
export function auditStop(run: Stopping, wish: StopWish): string[] {
  return [...auditSigned(wish, run.database), ...auditEnd(run, wish, isUnsettled(run.database))];
}

/** What an account still has open at the end keeps its stop from ending, whatever keeps that open. */
export function isUnsettled(database: Database): boolean {
  const open = [
    `select count(*) n from ${EVERY_ATTEMPT} where state <> 'done'`,
    "select count(*) n from orders where status = 'unknown'",
    "select count(*) n from operations where status = 'unknown'",
  ];
  return open.some((sql) => (database.prepare<{ n: number }, []>(sql).get()?.n ?? 0) > 0);
}

function auditEnd(run: Stopping, wish: StopWish, hasUnsettled: boolean): string[] {
  const untilMs = run.resumedAtMs ?? Number.POSITIVE_INFINITY;
  const stopped = run.told.filter(
    ({ type, payload, atMs }) => type.startsWith("stop.") && isOf(wish, payload) && atMs < untilMs,
  );
  const firstStopped = stopped.find(({ payload }) => fieldOf(payload, "status") === "stopped");
  const last = stopped.at(-1);
  if (last === undefined) return ["a stop was asked for to the end, and never stood"];
  // What a start found open began it anew, and the operator has resumed before that was over.
  const isBegunAnew = firstStopped !== undefined && run.resumedAtMs !== null;
  if (fieldOf(last.payload, "status") !== "stopped" && !isBegunAnew)
    return hasUnsettled ? [] : [`a stop never ended: it is ${last.payload}`];
  return auditAfter(run, wish, firstStopped?.atMs ?? last.atMs);
}

/** What withdraws the orders of a bot by itself is none that was asked for. */
function isOf({ party }: StopWish, payload: string): boolean {
  const cause = fieldOf(payload, "cause");
  return fieldOf(payload, "account") === party.account.id && (cause === null || cause === "asked");
}

type Signed = { event: string; detail: string };

/** In the order in which they were written down: nothing that increases is signed behind a stop. */
function auditSigned(wish: StopWish, database: Database): string[] {
  const rows = database.prepare<Signed, []>("select event, detail from audit order by id").all();
  const stoppedAt = rows.findIndex(({ event, detail }) => event === "trading_stopped" && isOf(wish, detail));
  if (stoppedAt === -1) return [];
  const resumedAt = rows.findIndex(({ event }, at) => event === "trading_resumed" && at > stoppedAt);
  return rows.slice(stoppedAt, resumedAt === -1 ? undefined : resumedAt).flatMap(({ event, detail }) => {
    if (!["sign_place", "sign_modify", "sign_twap"].includes(event)) return [];
    if (fieldOf(detail, "signer") !== wish.party.agent) return [];
    const isReduction = /"r":true|"a":1[0-9]{4},"b":false/.test(fieldOf(detail, "action") ?? "");
    return isReduction ? [] : [`after a stop was stored ${event} was signed: ${detail}`];
  });
}

/** From the moment at which `stopped` was told: nothing of ours lives, is taken or is filled that could increase. */
function auditAfter(run: Stopping, wish: StopWish, stoppedAtMs: number): string[] {
  const { venue, truth, runningTwaps } = run;
  const user = wish.party.account.tradingAddress;
  const atMs = START_MS + stoppedAtMs;
  const untilMs = START_MS + (run.resumedAtMs ?? Number.POSITIVE_INFINITY);
  const isWithin = (timeMs: number) => timeMs > atMs && timeMs < untilMs;
  const legs = allOrders(truth)
    .filter(({ wish: { party } }) => party === wish.party)
    .flatMap(({ legs: own }) => own)
    .filter(
      (leg) => !canOnlyReduce(venue, user, leg) || (!wish.keepsProtection && placedAtMs(venue, user, leg) <= atMs),
    );
  const oids = new Set(legs.map(({ oid }) => oid));
  const taken = venue.log.filter((each) => each.signer === wish.party.agent && isWithin(each.atMs) && isIncrease(each));
  const fills = venue.fillsOf(user).filter(({ timeMs, oid }) => isWithin(timeMs) && oids.has(oid));
  const slices = venue.fillsOf(user).filter(({ timeMs, twapId }) => isWithin(timeMs) && twapId !== null);
  const isLeft = run.resumedAtMs === null;
  const name = `${stoppedAtMs}: the account was told to be stopped, and then`;
  return [
    ...taken.map(({ input }) => `${name} the exchange took ${JSON.stringify(input.action.type)}`),
    ...legs.filter(({ oid }) => isLeft && venue.isLive(oid)).map(({ oid }) => `${name} order ${oid} is live`),
    ...fills.map(({ oid }) => `${name} order ${oid} was filled`),
    ...slices.map(({ twapId }) => `${name} TWAP ${twapId} was filled`),
    ...(isLeft && venueTwapsOf(run, user).some((id) => runningTwaps.has(id)) ? [`${name} a TWAP runs`] : []),
  ];
}

/** It says so, or sells on spot for cash. */
export function canOnlyReduce(venue: Venue, user: string, { oid }: TrueLeg): boolean {
  const order = venue.record(user, oid)?.order;
  return order !== undefined && onlyReduces({ a: order.asset, b: order.isBuy, r: order.reduceOnly });
}

/** What can only reduce may be placed after any stop. */
function placedAtMs(venue: Venue, user: string, { oid }: TrueLeg): number {
  return venue.record(user, oid)?.order.timestampMs ?? 0;
}

export function isIncrease({ input: { action }, reply, isAdmitted }: Execution): boolean {
  if (!isAdmitted || reply.status !== "ok") return false;
  if (action.type === "twapOrder")
    return reply.response.type === "twapOrder" && "running" in reply.response.data.status;
  if (action.type !== "order" && action.type !== "batchModify") return false;
  const placed = action.type === "order" ? action.orders : action.modifies.map(({ order }) => order);
  const isTaken =
    reply.response.type === "order" &&
    reply.response.data.statuses.some((each) => typeof each === "string" || !("error" in each));
  return isTaken && placed.some((each) => !onlyReduces(each));
}

/** Native ids of the TWAPs that this user made. */
function venueTwapsOf({ venue }: Stopping, user: string): number[] {
  return venue.account(user).twapHistory.map(({ state }) => state.twapId);
}
