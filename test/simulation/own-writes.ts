/**
 * Nobody is shown an account as it was before what he had been told: positions hold every fill that any answer of the account
 * told before, and lists of open orders what was told open, and nothing that was told closed. What a power cut took back is told by
 * nobody until a look has shown it again.
 */
import { CLOSED } from "./answers.ts";
import type { Dialogue, Turn } from "./clients.ts";
import type { ToldEvent } from "./tellings.ts";
import { START_MS } from "./template.ts";
import { allOrders, isMisplaced, type TrueOrder, type Truth, units } from "./truth.ts";
import type { Venue } from "./venue.ts";
import type { Wrongly } from "./worlds/wrong.ts";

type Party = { account: { id: string; tradingAddress: string } };

export type OwnWritesRun = {
  venue: Venue;
  truth: Truth;
  dialogues: readonly Dialogue[];
  reads: readonly { party: Party; turn: Turn }[];
  events: readonly ToldEvent[];
  /** Markets change their places, and their names with it. */
  moves: unknown;
  /** Servers leave out nothing for a while that a client is told to be missing then. */
  areReadsWhole: boolean;
  /** No record tells an end that is not so: what one has told makes an order unknown, which no list of open orders has. */
  areEndsTrue: boolean;
  wrongly: Wrongly;
};

/** A state that was read so long ago is told at most, milliseconds. */
export const STATE_TOLD_FOR_MS = 12_000;

/** What an answer told of an order. */
type Fact = { atMs: number; id: string; oid: string; status: string; filled: bigint };

export function auditOwnWrites(run: OwnWritesRun): string[] {
  if (run.moves !== null || !run.areReadsWhole) return [];
  const parties = new Map(
    [...run.dialogues.map(({ wish }) => wish.party), ...run.reads.map(({ party }) => party)].map((party) => [
      party.account.id,
      party,
    ]),
  );
  return [...parties.values()].flatMap((party) => auditParty(run, party));
}

function auditParty(run: OwnWritesRun, party: Party): string[] {
  const { id } = party.account;
  const own = run.dialogues.filter(({ wish }) => wish.party.account.id === id).flatMap(({ turns }) => turns);
  const reads = run.reads.filter((read) => read.party.account.id === id).map(({ turn }) => turn);
  const answered = [...own, ...reads].flatMap(factOf).filter((fact) => !isForgotten(run.events, fact));
  const facts = [...answered, ...run.events.flatMap((event) => factTold(event, id))];
  const orders = ordersByOid(run.truth);
  return reads.flatMap((turn) => {
    const before = facts.filter(({ atMs }) => atMs < turn.askedAtMs);
    if (turn.ask.kind === "positions") return auditPositions(run, party, { turn, before, orders });
    if (turn.ask.kind !== "list_open") return [];
    // What is being changed is not known for the moment.
    const changing = new Set(
      own.filter((write) => isUnderWay(write, turn)).flatMap(({ ask }) => ("id" in ask ? [ask.id] : [])),
    );
    const news = facts.filter(({ atMs }) => atMs >= turn.askedAtMs && atMs <= (turn.endedAtMs ?? 0));
    for (const fact of news) changing.add(fact.id);
    return auditOpen(run, party, { turn, before: before.filter((fact) => !changing.has(fact.id)) });
  });
}

function isUnderWay(write: Turn, read: Turn): boolean {
  return (
    write.askedAtMs <= (read.endedAtMs ?? Infinity) && (write.endedAtMs === null || write.endedAtMs >= read.askedAtMs)
  );
}

function factOf({ outcome, endedAtMs }: Turn): Fact[] {
  if (outcome?.kind !== "answer" || outcome.status > 202 || outcome.isReplay || endedAtMs === null) return [];
  // The gateway's own JSON, read without its types.
  const body = JSON.parse(outcome.body) as Record<string, string | null>;
  const { object, id, exchange_order_id: oid, status, filled_size: filled } = body;
  if (object !== "order" || typeof oid !== "string" || typeof id !== "string" || typeof status !== "string") return [];
  return [{ atMs: endedAtMs, id, oid, status, filled: units(filled ?? "0") }];
}

/** A power cut took back the last that was written of the order by then: the next process finds its row as it was before that. */
function isForgotten(events: readonly ToldEvent[], { id, atMs }: Fact): boolean {
  const written = events.findLast((event) => event.resourceId === id && event.atMs <= atMs);
  return written?.isTakenBack === true;
}

function factTold({ type, payload, atMs, isTakenBack }: ToldEvent, accountId: string): Fact[] {
  if (isTakenBack || (type !== "order.created" && type !== "order.updated")) return [];
  // As above.
  const {
    account,
    id,
    exchange_order_id: oid,
    status,
    filled_size: filled,
  } = JSON.parse(payload) as Record<string, string | null>;
  if (account !== accountId || typeof oid !== "string" || typeof id !== "string" || typeof status !== "string")
    return [];
  return [{ atMs, id, oid, status, filled: units(filled ?? "0") }];
}

function ordersByOid(truth: Truth): Map<string, TrueOrder> {
  return new Map(allOrders(truth).flatMap((order) => order.legs.map(({ oid }) => [String(oid), order] as const)));
}

type Shown = { turn: Turn; before: readonly Fact[]; orders: ReadonlyMap<string, TrueOrder> };

function auditPositions(run: OwnWritesRun, party: Party, { turn, before, orders }: Shown): string[] {
  const { outcome, endedAtMs } = turn;
  if (outcome?.kind !== "answer" || outcome.status !== 200 || endedAtMs === null) return [];
  const given = run.wrongly.statesGivenTo(party.account.tradingAddress);
  // A state names no account.
  if (given.some((atMs) => atMs >= turn.askedAtMs - STATE_TOLD_FOR_MS && atMs <= endedAtMs)) return [];
  const fills = run.venue.fillsOf(party.account.tradingAddress).filter(({ timeMs }) => timeMs <= START_MS + endedAtMs);
  const body = JSON.parse(outcome.body) as { data: { market: string; side: string; size: string }[] };
  const shown = new Map(
    body.data.map(({ market, side, size }) => [market, side === "long" ? units(size) : -units(size)]),
  );
  const firsts = firstFillsToHold(fills, before, orders);
  return [...new Set(fills.map(({ coin }) => coin))].flatMap((coin) => {
    if (coin.includes("/") || coin.startsWith("@")) return [];
    const own = fills.filter((fill) => fill.coin === coin);
    const first = firsts.get(coin) ?? -1;
    const after = own.map(({ isBuy, size, startPosition }) => startPosition + (isBuy ? size : -size));
    const allowed = first < 0 ? [own[0]?.startPosition ?? 0n, ...after] : after.slice(first);
    const size = shown.get(coin) ?? 0n;
    if (allowed.includes(size)) return [];
    return [
      `at ${turn.askedAtMs} positions showed ${coin} at ${size}, and what was told before made it ${allowed.join(", ")}`,
    ];
  });
}

type Fills = ReturnType<Venue["fillsOf"]>;

/** By market: the place, among its own fills, of the last one that an answer had told. */
function firstFillsToHold(
  fills: Fills,
  facts: readonly Fact[],
  orders: ReadonlyMap<string, TrueOrder>,
): Map<string, number> {
  const places = new Map<string, number>();
  for (const { oid, filled } of facts) {
    const order = orders.get(oid);
    if (order === undefined || order.mayBelongTo !== null || isMisplaced(order)) continue;
    const oids = new Set(order.legs.map((leg) => leg.oid));
    const coin = fills.find((fill) => oids.has(fill.oid))?.coin;
    if (coin === undefined || filled === 0n) continue;
    let sum = 0n;
    const place = fills
      .filter((fill) => fill.coin === coin)
      .findIndex((fill) => {
        if (oids.has(fill.oid)) sum += fill.size;
        return sum >= filled;
      });
    places.set(coin, Math.max(places.get(coin) ?? -1, place));
  }
  return places;
}

function auditOpen(run: OwnWritesRun, party: Party, { turn, before }: Omit<Shown, "orders">): string[] {
  const { outcome, endedAtMs } = turn;
  if (outcome?.kind !== "answer" || outcome.status !== 200 || endedAtMs === null) return [];
  const body = JSON.parse(outcome.body) as { data: { id: string; exchange_order_id: string }[] };
  const shown = new Set(body.data.map(({ id }) => id));
  const last = new Map(before.toSorted((a, b) => a.atMs - b.atMs).map((fact) => [fact.id, fact]));
  return [...last.values()].flatMap(({ id, oid, status }) => {
    const isLive = isLiveAt(run.venue, party, { oid, atMs: endedAtMs });
    if (CLOSED.includes(status) && shown.has(id) && !isLive)
      return [`at ${turn.askedAtMs} the open orders held ${id}, which was told ${status}`];
    const wasOpen = status === "open" || status === "waiting_for_trigger";
    if (wasOpen && isLive && run.areEndsTrue && !shown.has(id))
      return [`at ${turn.askedAtMs} the open orders lacked ${id}, which was told ${status} and is`];
    return [];
  });
}

function isLiveAt(
  { isLive, record }: Venue,
  { account }: Party,
  { oid, atMs }: { oid: string; atMs: number },
): boolean {
  const found = record(account.tradingAddress, Number(oid));
  return isLive(Number(oid)) || (found !== null && found.statusTimestampMs > START_MS + atMs);
}
