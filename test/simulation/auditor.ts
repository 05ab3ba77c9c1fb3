/** Holds what the clients were told, and what the gateway has on disk, against what happened at the exchange. */
import type { Database } from "bun:sqlite";
import { cloidOf } from "../../src/core/cloid.ts";
import { EVERY_ATTEMPT } from "../support/every-row.ts";
import { auditAnswers, auditEnds, auditTimes, CLOSED, type Heard, heardIn } from "./answers.ts";
import { type Dialogue, fieldOf, type Turn } from "./clients.ts";
import { type Copies, isCopyNeverKnown, isCopyUnknown, isWishCopied } from "./copied.ts";
import type { HeardOrders } from "./heard-orders.ts";
import { isHidden } from "./hidden.ts";
import { auditFills, withoutForeignWaits } from "./kept-fills.ts";
import { auditLeftLive } from "./left-live.ts";
import { auditMisplaced, isElsewhere } from "./misplaced.ts";
import { auditNamedRows } from "./named-rows.ts";
import type { Sent } from "./network.ts";
import { auditNeverShown, isNeverShown } from "./never-shown.ts";
import { auditOperation } from "./operations.ts";
import { auditOwnWrites } from "./own-writes.ts";
import { isPartAlone } from "./part-alone.ts";
import { auditRefusals } from "./refusals-audit.ts";
import { auditRefused, idsTold } from "./refused.ts";
import { auditNumbers, auditSends, type Body, signedIn } from "./sends.ts";
import { auditSeparation } from "./separation.ts";
import { auditTellings, type ToldEvent } from "./tellings.ts";
import { PARTIES, type Party } from "./template.ts";
import { auditEvents } from "./told.ts";
import type { Top } from "./tops.ts";
import {
  allOrders,
  type Expected,
  expectedOf,
  isMisplaced,
  NEVER_PLACED,
  type TrueOrder,
  type Truth,
  units,
} from "./truth.ts";
import { isAnothersAlone, isKeptOpenByOthers, isOnlyAnothers, isUndecidable } from "./undecidable.ts";
import { isUnrecorded } from "./unrecorded.ts";
import { isToldWithoutItsWord } from "./unsaid-end.ts";
import type { Venue } from "./venue.ts";
import { auditWhole } from "./whole-audit.ts";
import type { Wish } from "./wishes.ts";
import type { Moves } from "./worlds/markets.ts";
import type { Wrongly } from "./worlds/wrong.ts";

export type Audited = {
  venue: Venue;
  truth: Truth;
  dialogues: readonly Dialogue[];
  sent: readonly Sent[];
  /** Who signed a body. */
  signerOf: ReadonlyMap<string, string>;
  /** Last look at each order that a client knows, made after everything had settled. */
  looks: ReadonlyMap<string, { party: string; turn: Turn }>;
  /** Last look at each trade, by the key of its wish. */
  trades: ReadonlyMap<string, Turn>;
  /** Events, as they were told. */
  told: readonly ToldEvent[];
  /** Client order ids under which the gateway was shown the order of another. */
  heardOfOthers: ReadonlySet<string>;
  /** Those under which the exchange has taken one. */
  takenByOthers: ReadonlySet<string>;
  wrongly: Wrongly;
  /** What gateways were shown of orders; null where the exchange forgets nothing. */
  heard: HeardOrders | null;
  /** TWAPs that ran until the run ended them, before the last looks. */
  runningTwaps: ReadonlySet<number>;
  /** Of every moment at which something changed, in runs that need them. */
  tops: readonly Top[];
  moves: Moves | null;
  /** Somebody stopped. */
  stop: { party: Party; keepsProtection: boolean } | null;
  faultsEndMs: number;
  copies: Copies;
  /** Others place orders under our client order ids. */
  areIdsShared: boolean;
  /** By how much a clock of the exchange may have been wrong, milliseconds; 0 = never. */
  mostWrongMs: number;
  /** Reads of the exchange's state were as good as ever. */
  areReadsSound: boolean;
  areReadsWhole: boolean;
  /** No record tells an end that is not so. */
  areEndsTrue: boolean;
  /** Lists of open orders hold all of them. */
  isEachListed: boolean;
  /** By how much positions that are shown may be behind, milliseconds. */
  positionsBehindMs: number;
  /** All that the gateway has committed. */
  database: Database;
  reads: readonly { party: { account: { id: string; tradingAddress: string } }; turn: Turn }[];
};

/** One sentence for each promise that was broken; none when all is well. */
export function audit(run: Audited): string[] {
  const accounts = PARTIES.map(({ account }) => account);
  return withoutForeignWaits(run, accounts, [
    ...run.dialogues.flatMap((dialogue) => auditDialogue(run, dialogue)),
    ...run.dialogues.flatMap((dialogue) => auditWhole(run, dialogue)),
    ...auditLooks(run),
    ...auditEnds(run),
    ...auditEveryEnd(run),
    ...auditMisplaced(run),
    ...auditOwnWrites({ ...run, events: run.told }),
    ...auditTellings({ ...run, events: run.told }),
    ...auditSends(run),
    ...auditRefusals(run),
    ...auditSeparation(run),
    ...auditDatabase(run),
  ]);
}

function auditDialogue(run: Audited, dialogue: Dialogue): string[] {
  const { wish } = dialogue;
  const heard = heardIn(dialogue);
  const accepted = heard.filter(({ status }) => status < 300);
  const made = run.truth.made.get(wish.number) ?? [];
  const name = `${wish.key} (${dialogue.ask?.kind ?? "never asked"})`;
  if (NO_ORDERS.has(wish.kind)) return [...auditTimes(name, heard), ...auditUnsent(run, dialogue, name)];
  const isCopied = isWishCopied(run, dialogue.wish);
  const conditions = { areReadsSound: run.areReadsSound, swap: run.moves?.swap ?? null, isCopied };
  const findings = [...auditAnswers(name, answersOf(dialogue, accepted), conditions), ...auditTimes(name, heard)];
  // What a modify placed too much is taken off, and each fill that its original is shown to have had since asks for it anew.
  const most = dialogue.ask?.kind === "modify" ? 2 + fillsOfTarget(run, dialogue) : 1;
  if (made.length > most) findings.push(`${name} was executed ${made.length} times`);
  if (accepted.length === 0) return [...findings, ...auditUnsent(run, dialogue, name)];
  if (isElsewhere(run, dialogue)) return findings;
  const last = accepted.at(-1);
  if (last !== undefined) findings.push(...auditEnd(run, dialogue, { name, last }));
  return findings;
}

/** Their answers are of something else than one order. */
const NO_ORDERS: ReadonlySet<Wish["kind"]> = new Set(["batch", "cancel_all", "trade", "trade_cancel", "trade_modify"]);

/** Of a batch that is not settled nothing that it says of one order is for good. */
function answersOf({ wish }: Dialogue, accepted: readonly Heard[]): readonly Heard[] {
  if (wish.part === undefined) return accepted;
  return accepted.map((heard) => (heard.status === 202 ? { ...heard, body: '{"status":"unknown"}' } : heard));
}

function auditUnsent({ truth }: Audited, { wish, turns }: Dialogue, name: string): string[] {
  const isRefused = turns.every(({ outcome }) => outcome?.kind === "answer" && outcome.status >= 300);
  const isMade = [wish, ...(wish.parts ?? [])].some(({ number }) => (truth.made.get(number) ?? []).length > 0);
  return isRefused && isMade ? [`${name} was executed, and every answer said that nothing was sent`] : [];
}

/** Fills of all that an order which was to be modified ever was at the exchange. */
function fillsOfTarget({ truth, venue }: Audited, { wish }: Dialogue): number {
  const legs = wish.target === null ? [] : (truth.orders.get(wish.target)?.legs ?? []);
  return venue.fillsOf(wish.party.account.tradingAddress).filter(({ oid }) => legs.some((leg) => leg.oid === oid))
    .length;
}

function auditEnd(run: Audited, dialogue: Dialogue, { name, last }: { name: string; last: Heard }): string[] {
  const { wish } = dialogue;
  const status = fieldOf(last.body, "status") ?? "";
  if (last.status === 202 && !isKeptOpenByOthers(run, dialogue, status))
    return isUndecidable(run, dialogue) ? [] : [`${name} was never settled: ${last.body}`];
  const { kind } = wish;
  if (status === "unknown") return [`${name} was answered ${last.status} and unknown: ${last.body}`];
  if (kind === "cancel" && !CLOSED.includes(status) && fieldOf(last.body, "error") === null) {
    return isWishCopied(run, wish) ? [] : [`${name} was answered ${last.status} and left the order ${status}`];
  }
  if (kind === "place" || kind === "market" || kind === "close") {
    const order = run.truth.orders.get(wish.number);
    const isRejected = status === "rejected";
    const expected =
      order === undefined ? NEVER_PLACED : expectedOf(run.venue, wish.party.account.tradingAddress, order);
    if (isToldWithoutItsWord(last.body, expected)) return [];
    if (isRejected && isCopyNeverKnown(run.copies, order?.legs ?? [])) return [];
    // A trigger that has fired may still be refused, long after it was taken.
    if (isRejected ? expected.status !== "rejected" : order === undefined) {
      return [`${name} was answered ${status}, and at the exchange it is ${expected.status}`];
    }
    return order === undefined ? [] : auditClosed(name, { body: last.body, expected, order });
  }
  const order = wish.target === null ? undefined : run.truth.orders.get(wish.target);
  if (kind === "cancel" && order !== undefined) {
    const doubtful = [...run.truth.splits.values()].filter(({ mayBelongTo }) => mayBelongTo === order);
    const whole = { ...order, legs: [...order.legs, ...doubtful.flatMap(({ legs }) => legs)] };
    const oid = fieldOf(last.body, "exchange_order_id");
    // Without a native id it was answered before the order was named, and what a modify placed came after that.
    const shown = oid === null || order.legs.some((leg) => String(leg.oid) === oid) ? order : whole;
    const expected = expectedOf(run.venue, wish.party.account.tradingAddress, shown);
    return [
      ...auditClosed(name, { body: last.body, expected, order: shown }),
      ...(CLOSED.includes(status) ? auditLeftLive(run, dialogue, name) : []),
    ];
  }
  if (kind === "modify") return auditModify(run, dialogue, { name, last });
  return kind === "cancel" ? [] : auditOperation(run, dialogue, { name, body: last.body });
}

/** Once a client was told that an order is closed, it is. */
function auditClosed(name: string, about: { body: string; expected: Expected; order: TrueOrder }): string[] {
  const { body, expected, order } = about;
  const status = fieldOf(body, "status") ?? "";
  const oid = fieldOf(body, "exchange_order_id");
  const findings: string[] = [];
  const isOther = status !== expected.status && !isToldWithoutItsWord(body, expected);
  if (["filled", "canceled", "rejected"].includes(status) && isOther) {
    findings.push(`${name} was answered ${status}, and the order is ${expected.status}`);
  }
  if (oid !== null && !order.legs.some((leg) => String(leg.oid) === oid)) {
    findings.push(`${name} was answered with native id ${oid}, which is not its order's`);
  }
  return findings;
}

function auditModify(run: Audited, { wish }: Dialogue, { name, last }: { name: string; last: Heard }): string[] {
  const made = run.truth.made.get(wish.number) ?? [];
  const split = run.truth.splits.get(wish.number);
  const oid = fieldOf(last.body, "exchange_order_id");
  const error = fieldOf(last.body, "error");
  const status = fieldOf(last.body, "status");
  if (split !== undefined && split.mayBelongTo === null) {
    const isShown = split.legs.some((leg) => String(leg.oid) === oid);
    return isShown ? [] : [`${name} made order ${split.legs[0]?.oid}, and was answered with ${oid}`];
  }
  const order = wish.target === null ? undefined : run.truth.orders.get(wish.target);
  if (made.length === 0) {
    const isSaid = error !== null || status === "canceled" || status === "filled" || isWishCopied(run, wish);
    return isSaid ? [] : [`${name} was not carried out, and was answered ${last.body}`];
  }
  const legs = [...(order?.legs ?? []), ...(split?.legs ?? [])];
  const isShown = legs.some((leg) => String(leg.oid) === oid);
  return isShown ? [] : [`${name} was carried out, and was answered ${last.body}`];
}

/**
 * Whoever was told that an order has ended was told the truth of that moment: how it ended, and all that was filled. Not only
 * the last word counts: bots act on the first.
 */
function auditEveryEnd(run: Audited): string[] {
  const turns = [
    ...run.dialogues.flatMap(({ wish, turns: all }) =>
      all.map((turn) => ({ user: wish.party.account.tradingAddress, turn })),
    ),
    ...run.reads.map(({ party, turn }) => ({ user: ownerOf(party.account.id), turn })),
  ];
  const orders = allOrders(run.truth);
  const byOid = new Map(orders.flatMap((order) => order.legs.map(({ oid }) => [String(oid), order] as const)));
  return turns.flatMap(({ user, turn }) => {
    if (turn.outcome?.kind !== "answer" || turn.outcome.status >= 300 || turn.outcome.status === 202) return [];
    const { body } = turn.outcome;
    if (fieldOf(body, "object") !== "order") return [];
    const order = byOid.get(fieldOf(body, "exchange_order_id") ?? "");
    const status = fieldOf(body, "status") ?? "";
    if (
      order === undefined ||
      order.mayBelongTo !== null ||
      isMisplaced(order) ||
      !["filled", "canceled"].includes(status)
    )
      return [];
    const expected = expectedOf(run.venue, user, order);
    if (String(order.legs.at(-1)?.oid) !== fieldOf(body, "exchange_order_id")) return [];
    const [told, is] = [fieldOf(body, "filled_size") ?? "0", expected.filled_size ?? "0"];
    const name = `at ${turn.endedAtMs} ${turn.ask.kind} told order ${fieldOf(body, "exchange_order_id")}`;
    if (isToldWithoutItsWord(body, expected)) return [];
    if (isCopyUnknown(run.copies, order.legs, turn.endedAtMs ?? 0)) return [];
    if (CLOSED.includes(expected.status) && status !== expected.status)
      return [`${name} as ${status}, and it is ${expected.status}`];
    return units(told) === units(is) ? [] : [`${name} as ${status} with ${told} filled, and ${is} were`];
  });
}

function ownerOf(accountId: string): string {
  const party = PARTIES.find(({ account }) => account.id === accountId);
  if (party === undefined) throw new Error("bug: an account of nobody");
  return party.account.tradingAddress;
}

const COMPARED = ["status", "exchange_order_id", "filled_size", "average_price", "size"] as const;

/** At the end every order is shown exactly as it is at the exchange. */
function auditLooks(run: Audited): string[] {
  const all = allOrders(run.truth);
  const merged = new Map<TrueOrder, TrueOrder>();
  for (const order of all) {
    const whole = order.mayBelongTo;
    if (whole === null) continue;
    const together = { ...whole, legs: [...(merged.get(whole) ?? whole).legs, ...order.legs] };
    // Shown as a part of the other, both are judged as the one order that they are shown as.
    if (isShownTogether(run, whole, order)) for (const one of [whole, order]) merged.set(one, together);
  }
  const placed = all.filter((order) => !isMisplaced(order));
  return placed.flatMap((order) => auditLook(run, merged.get(order) ?? order));
}

function isShownTogether(run: Audited, whole: TrueOrder, part: TrueOrder): boolean {
  const id = [...run.looks.values()].find(({ turn }) => shownOid(turn) === String(part.legs.at(-1)?.oid))?.turn.ask;
  return id?.kind === "get" && idsTold(run, whole.wish.number).has(id.id);
}

function shownOid({ outcome }: Turn): string | null {
  return outcome?.kind === "answer" ? fieldOf(outcome.body, "exchange_order_id") : null;
}

/** An answer to a trigger may name no id, and where another has its client order id nobody can say which of the two it is. */
function isUnnamed({ areIdsShared, looks }: Audited, { legs }: TrueOrder): boolean {
  const ids = new Set(legs.map(({ cloid }) => cloid?.slice(2)));
  return (
    areIdsShared && [...looks].some(([id, { turn }]) => ids.has(id.replaceAll("-", "")) && shownOid(turn) === null)
  );
}

function auditLook(run: Audited, order: TrueOrder): string[] {
  const expected = expectedOf(run.venue, order.wish.party.account.tradingAddress, order);
  const oids = new Set(order.legs.map(({ oid }) => String(oid)));
  const looks = [...run.looks.values()].filter(({ turn }) => oids.has(shownOid(turn) ?? ""));
  const name = `the order of ${order.wish.key}`;
  if (looks.length === 0 && isUnnamed(run, order)) return [];
  if (looks.length === 0 && expected.status === "rejected") return auditRefused(run, order, name);
  if (looks.length === 0 && isCopyNeverKnown(run.copies, order.legs)) return [];
  if (looks.length === 0 && isNeverShown(run, order)) return auditNeverShown(run, order, { name, expected });
  if (looks.length === 0 && isPartAlone(run, order)) return [];
  if (looks.length === 0) return [`${name} is ${expected.status} at the exchange (${[...oids]}) and no look shows it`];
  if (isUnrecorded(run, order)) return [];
  // A refused order has a record and an id at the exchange, which its answer does not name.
  if (expected.status === "rejected") return [];
  return looks.flatMap(({ turn }) => {
    const body = turn.outcome?.kind === "answer" ? turn.outcome.body : "{}";
    return COMPARED.flatMap((field) => {
      const shown = fieldOf(body, field);
      // A replacement that was refused when its trigger fired leaves the order canceled, under either id.
      const isEither = field !== "status" && expected.isLastRefused && oids.has(shownOid(turn) ?? "");
      const isUntold = field === "status" && shown === "waiting_for_trigger" && isFiredUnlisted(run, order);
      const isRight = isEither || isUntold || isEqual(field, shown, expected[field]);
      return isRight ? [] : [`${name}: ${field} is ${shown} here and ${expected[field]} at the exchange`];
    });
  });
}

/** Its record stays `triggered`; that it rests is told by lists alone, and these are cut. */
function isFiredUnlisted({ venue, isEachListed }: Audited, order: TrueOrder): boolean {
  const record = venue.record(order.wish.party.account.tradingAddress, order.legs.at(-1)?.oid ?? 0);
  return !isEachListed && record?.status === "triggered";
}

/** Sizes are echoed as they were sent: equal is what has the same value. */
function isEqual(field: string, shown: string | null, expected: string | null): boolean {
  if (field !== "size" || shown === null || expected === null) return shown === expected;
  return units(shown) === units(expected);
}

/** Where others use our ids, or records tell false ends, the exchange does contradict itself. */
function isNeverNoted(run: Audited, { what, detail }: { what: string; detail: string }): boolean {
  const { areIdsShared, areEndsTrue, copies } = run;
  // What a feed tells of another's order may fit; that it is another's a look tells later, with the alarm.
  const isOfAnother = isAnothersAlone(run, detail);
  return (
    (what === "overruled" && !copies.isAny && !isOfAnother) ||
    (what === "contradiction" && !areIdsShared && areEndsTrue)
  );
}

/** Who was shown the order of another under an id of ours has said so. */
function auditAlarms(notes: readonly { what: string; detail: string }[], heard: ReadonlySet<string>): string[] {
  const alarms = notes.filter(({ what }) => what === "difference");
  const untold = [...heard].filter((cloid) => !alarms.some(({ detail }) => detail.startsWith(cloid)));
  return untold.map((cloid) => `another's order was shown under ${cloid}, and nobody was told`);
}

function auditDatabase(run: Audited): string[] {
  const { database, sent, venue, heardOfOthers } = run;
  const findings: string[] = [];
  const notes = database.prepare<{ what: string; detail: string }, []>("select what, detail from notes").all();
  for (const note of notes) if (isNeverNoted(run, note)) findings.push(`noted ${note.what}: ${note.detail}`);
  const open = database
    .prepare<{ kind: string; id: string }, []>(
      `select kind, resource_id id from ${EVERY_ATTEMPT} where state <> 'done'`,
    )
    .all()
    .filter(({ kind, id }) => kind !== "place" || !isOnlyAnothers(run, cloidOf(id)));
  const isAnyElsewhere = allOrders(run.truth).some(isMisplaced);
  const isAnyHidden =
    run.dialogues.some((dialogue) => isHidden(run, dialogue)) ||
    allOrders(run.truth).some((order) => isPartAlone(run, order) || isUnrecorded(run, order));
  for (const [kind, { length: n }] of Map.groupBy(open, (attempt) => attempt.kind))
    if (kind !== "isolated_margin" && !isAnyElsewhere && !isAnyHidden)
      findings.push(`${n} attempts of kind ${kind} were never settled`);
  const rows = database
    .prepare<{ event: string; detail: string }, []>("select event, detail from audit order by id")
    .all();
  const signed = new Set(
    rows.map(({ event, detail }) => `${event === "sign_noop" ? "noop" : "action"} ${signedIn(detail).nonce}`),
  );
  findings.push(...auditNumbers(run, rows));
  for (const { body, number } of sent) {
    const { action, nonce } = JSON.parse(body) as Body;
    const name = `${action.type === "noop" ? "noop" : "action"} ${nonce}`;
    if (!signed.has(name)) findings.push(`send #${number} (${name}) has no audit row`);
  }
  for (const party of PARTIES) findings.push(...auditFills(database, { venue, wrongly: run.wrongly }, party.account));
  findings.push(...auditEvents(database), ...auditNamedRows(run, database), ...auditAlarms(notes, heardOfOthers));
  return findings;
}
