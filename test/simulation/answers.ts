/** What clients were told over time: nothing is taken back, nothing comes late. */
import { type Dialogue, fieldOf, type Turn } from "./clients.ts";
import type { Copies } from "./copied.ts";
import { units } from "./truth.ts";

/** A write is answered within 8 s; a little more for what begins at the very deadline. */
const ANSWER_DEADLINE_MS = 8_100;

export type Heard = { status: number; body: string; isReplay: boolean; turn: Turn };

export function heardIn({ turns }: Dialogue): Heard[] {
  return turns
    .flatMap((turn) => (turn.outcome?.kind === "answer" ? [{ ...turn.outcome, turn }] : []))
    .sort((a, b) => (a.turn.endedAtMs ?? 0) - (b.turn.endedAtMs ?? 0));
}

export type Conditions = {
  areReadsSound: boolean;
  /** Two markets that change places: what was told of an order in one of them may turn out to be of the other. */
  swap: readonly [string, string] | null;
  /** Refused at one door, it was done by a copy. */
  isCopied: boolean;
};

/** An answer changes at most once, from unknown to known; `status` and code belong together. */
export function auditAnswers(
  name: string,
  accepted: readonly Heard[],
  { areReadsSound, swap, isCopied }: Conditions,
): string[] {
  const findings: string[] = [];
  let known: Heard | null = null;
  for (const heard of accepted) {
    const status = fieldOf(heard.body, "status");
    if ((heard.status === 202) !== (status === "unknown" && heard.status === 202)) {
      findings.push(`${name} was answered 202 with status ${status}`);
    }
    // What began before the outcome was known may end after it.
    if (known === null) {
      if (heard.status !== 202) known = heard;
      continue;
    }
    const isLate = heard.turn.askedAtMs <= (known.turn.endedAtMs ?? 0);
    if (heard.status === 202 && isLate) continue;
    const isSame = heard.status === known.status && heard.body === known.body;
    if (isSame || swap?.includes(fieldOf(heard.body, "market") ?? "") === true) continue;
    if (!isReadAgain(known, heard, areReadsSound) && !isCopied) {
      findings.push(`${name} was answered ${known.status} ${known.body} and then ${heard.status} ${heard.body}`);
    }
    if (heard.status !== 202) known = heard;
  }
  return findings;
}

/**
 * A death may take an outcome that names an exchange order. It is read again, before anybody is answered where the
 * exchange can be asked at all, and may have moved on; the order is the same.
 */
function isReadAgain(known: Heard, heard: Heard, areReadsSound: boolean): boolean {
  if (heard.turn.deaths === known.turn.deaths) return false;
  const oid = fieldOf(known.body, "exchange_order_id");
  // A trigger that is met already has fired by the time of the look, which may show no more than a refusal.
  if (oid === null || fieldOf(known.body, "status") === "waiting_for_trigger") return false;
  if (heard.status === 202) return !areReadsSound;
  return fieldOf(heard.body, "exchange_order_id") === oid;
}

/** What is answered within the deadline whatever happens. */
const BOUND: ReadonlySet<string> = new Set(["place", "cancel", "market", "close", "batch", "cancel_all"]);

export function auditTimes(name: string, heard: readonly Heard[]): string[] {
  return heard.flatMap(({ turn }) => {
    const tookMs = (turn.endedAtMs ?? 0) - turn.askedAtMs;
    const isBound = BOUND.has(turn.ask.kind);
    return isBound && tookMs > ANSWER_DEADLINE_MS ? [`${name} was answered after ${tookMs} ms`] : [];
  });
}

export const CLOSED = ["filled", "canceled", "rejected"];

type Asked = { dialogues: readonly Dialogue[]; reads: readonly { turn: Turn }[]; copies: Copies };

/** Once anybody was told that an order is closed, nobody is told later that it lives, and fills never become fewer. */
export function auditEnds({ dialogues, reads, copies }: Asked): string[] {
  const turns = [...dialogues.flatMap((dialogue) => dialogue.turns), ...reads.map(({ turn }) => turn)];
  const told = turns
    .flatMap((turn) =>
      turn.outcome?.kind === "answer" && turn.outcome.status !== 202 && !turn.outcome.isReplay
        ? [{ turn, body: turn.outcome.body }]
        : [],
    )
    .filter(({ body }) => fieldOf(body, "object") === "order")
    .sort((a, b) => a.turn.askedAtMs - b.turn.askedAtMs);
  return told.flatMap(({ turn, body }, index) => {
    const before = told.slice(0, index).findLast((other) => isEarlier(other, { turn, body }));
    if (before === undefined) return [];
    const [was, is] = [fieldOf(before.body, "status") ?? "", fieldOf(body, "status") ?? ""];
    const findings: string[] = [];
    // What was refused at one door and done by a copy is told as it is from then on.
    if (copies.isOf(fieldOf(body, "id"), fieldOf(body, "exchange_order_id"))) return [];
    if (CLOSED.includes(was) && was !== is) findings.push(`an order was shown ${was}, and later ${is}: ${body}`);
    const figured = told
      .slice(0, index)
      .findLast((other) => isEarlier(other, { turn, body }) && !isSumOpen(other.body));
    const [had, has] = [fieldOf(figured?.body ?? "{}", "filled_size") ?? "0", fieldOf(body, "filled_size") ?? "0"];
    if (!isSumOpen(body) && units(has) < units(had))
      findings.push(`an order was shown with ${had} filled, and later with ${has}: ${body}`);
    return findings;
  });
}

/** Nobody knows whether what was filled is its own: that takes back no figure, and what is told next is no less than the last one. */
function isSumOpen(body: string): boolean {
  return fieldOf(body, "status") === "unknown" && fieldOf(body, "filled_size") === null;
}

type Told = { turn: Turn; body: string };

/** The answer before had ended when this one was asked for, about the same order and with no power cut in between. */
function isEarlier(before: Told, now: Told): boolean {
  return (
    fieldOf(before.body, "id") === fieldOf(now.body, "id") &&
    (before.turn.endedAtMs ?? Number.POSITIVE_INFINITY) < now.turn.askedAtMs &&
    before.turn.deaths === now.turn.deaths
  );
}
