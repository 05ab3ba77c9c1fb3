/** Whose end an original had: its own, or that of the modify which was to replace it. No store is believed alone. */
import type { Attempt } from "../../core/attempt.ts";
import { type GoneBefore, judgeGone, type RecordedEnd } from "../../core/modify-evidence.ts";
import { isWhollyFilled, type Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { appendNote, listNotes } from "../../store/notes.ts";
import { type FrontendOrder, type OrderStatusAnswer, parseOrderStatus } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { differenceFrom } from "../evidence/difference.ts";
import { endAbout } from "../evidence/end-lists.ts";
import { type Sought, statusRequest, toldEnd } from "../look/look.ts";
import type { Tools } from "../pursuit.ts";
import { isAlwaysPlace } from "../send/intent.ts";

export type ToldEnd = Pick<RecordedEnd, "kind" | "endedAtMs">;

type RecordedOrderAnswer = Extract<OrderStatusAnswer, { kind: "order" }>;

/** An end of an original as one store tells it. */
export type SaidEnd = { from: "record" | "feed" | "history"; shown: RecordedOrderAnswer };

/** `goneBy`: what an end, as it is told, says of whose it was. */
export type EndQuestion = { attempt: Attempt; sought: Sought; goneBy(end: ToldEnd | null): GoneBefore };

/**
 * Whether the original had an end of its own, where one store says so: `core/modify-evidence` has the rule. What that store alone has told
 * is written down, because it may be kept no longer by the next look.
 */
export async function weighOwnEnd(tools: Tools, question: EndQuestion, said: SaidEnd): Promise<GoneBefore> {
  const { attempt, sought, goneBy } = question;
  // Its fills are its own end, whatever else is told.
  if (isWhollyFilled(sought.leg)) return "yes";
  const words: GoneBefore[] = ["yes"];
  let sinceSignedMs = tools.world.exchange.nowMs() - attempt.nonce;
  for (const other of OTHERS[said.from]) {
    const shown = await SHOWN_BY[other](tools, sought, said);
    // What cannot be read is not silent.
    if (shown === "unread") sinceSignedMs = 0;
    const end = shown === null || shown === "unread" ? null : recordedEnd(sought.leg, shown);
    if (end !== null) words.push(goneBy(end));
    const gone = judgeGone(words, 0);
    if (gone !== "unclear") return gone;
  }
  const gone = judgeGone(words, sinceSignedMs);
  if (gone === "unclear") keepWord(tools.world, question, said);
  return gone;
}

/** The others that are asked what bears it out, in the order of their weight. The history is asked where there is no record. */
const OTHERS: Record<SaidEnd["from"], readonly SaidEnd["from"][]> = {
  record: ["feed", "history"],
  feed: ["record", "history"],
  history: ["feed"],
};

type AskStore = (tools: Tools, sought: Sought, said: SaidEnd) => Promise<RecordedOrderAnswer | null | "unread">;

const SHOWN_BY: Record<SaidEnd["from"], AskStore> = {
  async record({ world }, sought) {
    const outcome = await world.exchange.info(statusRequest(sought), { purpose: "settle" });
    return outcome.kind === "failed" ? "unread" : ownOrder(sought, parseOrderStatus(outcome.json));
  },
  async feed({ world }, sought) {
    const told = toldEnd(world, sought);
    return told === null ? null : ownOrder(sought, told);
  },
  async history({ world, evidence }, sought, { shown }) {
    const row = await evidence.lists.past(world, endAbout(sought.user, shown), { purpose: "settle" });
    return row === null || row === "unread" ? row : ownOrder(sought, { kind: "order", ...row });
  },
};

/** Another's under its id tells nothing of it. */
function ownOrder(sought: Sought, answer: OrderStatusAnswer): RecordedOrderAnswer | null {
  return answer.kind === "order" && differenceFrom(sought, answer.order) === null ? answer : null;
}

/** The same where one store had told it by itself, and tells it no longer; null where none had. */
export function weighKeptWord(
  { world }: Pick<Tools, "world">,
  { attempt, sought, goneBy }: EndQuestion,
): GoneBefore | null {
  if (!isWordKept(world, attempt)) return null;
  const told = toldEnd(world, sought);
  const end = told === null ? null : recordedEnd(sought.leg, told);
  return judgeGone(end === null ? ["yes"] : ["yes", goneBy(end)], world.exchange.nowMs() - attempt.nonce);
}

/** What the story calls it. */
const OWN_END_ALONE = "end of its own in doubt";

function isWordKept({ store }: With<"store">, { id, resource }: Attempt): boolean {
  return listNotes(store, resource.id).some(({ what, attemptId }) => what === OWN_END_ALONE && attemptId === id);
}

/** Once for each modify. */
function keepWord(world: With<"clock" | "store">, { attempt, sought }: EndQuestion, { from, shown }: SaidEnd): void {
  if (isWordKept(world, attempt)) return;
  const detail = `${sought.leg.oid} is ${shown.status} ${WHERE[from]}, and no other store says that its modify had no part in it`;
  const { id: attemptId, resource } = attempt;
  const note = { resourceId: resource.id, attemptId, atMs: world.clock.nowMs(), what: OWN_END_ALONE, detail };
  inTransaction(world.store, () => appendNote(world.store, note));
}

const WHERE: Record<SaidEnd["from"], string> = {
  record: "by its record",
  feed: "by its feed",
  history: "in the history",
};

/** What the story calls it; its detail is the exchange's time, unix milliseconds. */
const PLACED_IN_ANY_CASE = "placed by a modify in any case";

/**
 * When a modify placed what it was to place in any case, by the exchange's time; null where nothing has told. The record of it may be forgotten
 * before that of the original is shown, and only both times say whose end that one had.
 */
export function placedMs(
  { store, clock }: With<"clock" | "store">,
  attempt: Attempt,
  { placed, end }: { placed: FrontendOrder | null; end: ToldEnd | null },
): number | null {
  const { id: attemptId, resource } = attempt;
  if (placed === null && (end === null || !isAlwaysPlace(attempt))) return null;
  const note = listNotes(store, resource.id).find(
    (each) => each.what === PLACED_IN_ANY_CASE && each.attemptId === attemptId,
  );
  if (placed === null) return note === undefined ? null : Number(note.detail);
  if (note === undefined && isAlwaysPlace(attempt) && end?.endedAtMs == null) {
    const detail = String(placed.timestampMs);
    const kept = { resourceId: resource.id, attemptId, atMs: clock.nowMs(), what: PLACED_IN_ANY_CASE, detail };
    inTransaction(store, () => appendNote(store, kept));
  }
  return placed.timestampMs;
}

/** How and when an original ended by its record; null where none shows that it did. */
export function recordedEnd(replaced: Leg, answer: OrderStatusAnswer): ToldEnd | null {
  // Its own fills tell it as well, where no record is kept.
  if (answer.kind === "not_found" && replaced.state === "filled") return { kind: "own", endedAtMs: 0 };
  if (answer.kind !== "order") return null;
  const { status, statusTimestampMs: endedAtMs } = answer;
  const meaning = statusMeaning(status);
  // An order that may not rest ends as filled with a part as well: what was left of it was gone before any modify.
  if (meaning === "filled") return { kind: "own", endedAtMs };
  if (meaning !== "canceled") return null;
  return { kind: status === PLAIN_CANCEL ? "any" : "own", endedAtMs };
}

const PLAIN_CANCEL = "canceled";
