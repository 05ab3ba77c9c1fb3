import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt } from "../../src/core/attempt.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import { canBeReadAgain, isOpenStill, readPlaceReply, recordPlaceReply } from "../../src/settle/place/place.ts";
import { absenceEvent } from "../../src/settle/place/pursue-place.ts";
import { finishOrderAttempt, recordLegEvent } from "../../src/settle/record/record.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { findAttempt, updateAttempt } from "../../src/store/attempts.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { latestEventId } from "../../src/store/events.ts";
import { findKeyRecord, passKeyOn, storeAnswer } from "../../src/store/idempotency.ts";
import { insertLeg, listLegs } from "../../src/store/legs.ts";
import type { Store } from "../../src/store/open.ts";
import { findOrder, insertPlacing } from "../../src/store/orders.ts";
import { NO_LEG } from "../../src/store/placing-columns.ts";
import { markRestored } from "../../src/store/restores.ts";
import { orders } from "../../src/store/schema.ts";
import { isListedRefusal } from "../../src/wire/answer/refusal.ts";
import { classifyReply } from "../../src/wire/answer/reply.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";

const CLOID = `0x${"ab".repeat(16)}`;
const ASKED: Leg = {
  ...placingRows(1).leg,
  cloid: CLOID,
  size: decimal("1"),
  timeInForce: "gtc",
  trigger: null,
};

const IOC = { timeInForce: "ioc" } as const;

const terms = fc.record({
  timeInForce: fc.constantFrom("gtc" as const, "ioc" as const, "alo" as const),
  trigger: fc.option(fc.constant({ price: "90", kind: "stop_loss" as const, market: true })),
});

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "Insufficient margin to place order. asset=0",
    "Invalid nonce: duplicate nonce 5",
    "Action already expired",
    "<html>",
  ),
);
const entries = fc.oneof(
  fc.record({ resting: fc.record({ oid: fc.nat(), cloid: fc.option(fc.constantFrom(CLOID, "0xee")) }) }),
  fc.record({
    filled: fc.record({ oid: fc.nat(), totalSz: fc.constantFrom("0.0", "0.5", "1", "1.5"), avgPx: fc.constant("100") }),
  }),
  fc.record({ error: texts }),
  fc.constantFrom("success", "waitingForTrigger", "waitingForFill", "else"),
  fc.jsonValue(),
);
const bodies = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record({ status: fc.constant("err"), response: texts }).map((json) => JSON.stringify(json)),
  fc
    .record({
      status: fc.constant("ok"),
      response: fc.record({
        type: fc.constantFrom("order", "cancel", "default", "twapOrder"),
        data: fc.record({ statuses: fc.array(entries, { maxLength: 2 }) }),
      }),
    })
    .map((json) => JSON.stringify(json)),
);
const httpStatuses = fc.constantFrom(200, 200, 200, 201, 400, 404, 415, 422, 429, 500, 502, 503, 504);

test("whatever is answered, reading it never throws, and only a listed text says rejected", () => {
  fc.assert(
    fc.property(httpStatuses, bodies, terms, (httpStatus, body, order) => {
      const verdict = classifyReply(httpStatus, body);
      const event = readPlaceReply({ ...ASKED, ...order }, verdict);
      if (verdict.kind === "ambiguous") expect(event.type).toBe("lost");
      if (event.type !== "rejected") return;
      if (verdict.kind === "accepted") {
        const [entry] = verdict.statuses;
        expect(entry?.kind === "error" && isListedRefusal(entry.text)).toBe(true);
      } else {
        expect(verdict.kind).toBe("refused");
        expect(verdict.kind === "refused" && (verdict.bug || isListedRefusal(verdict.text))).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

test("nothing but an answer with status 200, or that our bytes could not be read, settles anything", () => {
  fc.assert(
    fc.property(httpStatuses, bodies, (httpStatus, body) => {
      fc.pre(httpStatus !== 200);
      expect(isOpenStill(readPlaceReply(ASKED, classifyReply(httpStatus, body)))).toBe(true);
    }),
  );
});

type Row = [name: string, entry: unknown, terms: Partial<Leg>, reads: string];

const ROWS: Row[] = [
  ["rests, and says nothing of our id", { resting: { oid: 7 } }, {}, "look"],
  ["rests with our id", { resting: { oid: 7, cloid: CLOID } }, {}, "rested"],
  ["rests with another's id", { resting: { oid: 7, cloid: `0x${"ee".repeat(16)}` } }, {}, "look"],
  [
    "is filled with another's id",
    { filled: { oid: 7, totalSz: "1", avgPx: "9", cloid: `0x${"ee".repeat(16)}` } },
    {},
    "look",
  ],
  ["is filled whole", { filled: { oid: 7, totalSz: "1.0", avgPx: "9", cloid: CLOID } }, {}, "filled"],
  ["is filled beyond", { filled: { oid: 7, totalSz: "1.5", avgPx: "9", cloid: CLOID } }, {}, "look"],
  ["is filled, by nothing", { filled: { oid: 7, totalSz: "0.0", avgPx: "0.0", cloid: CLOID } }, IOC, "look"],
  ["rests, an ioc", { resting: { oid: 7, cloid: CLOID } }, IOC, "look"],
  ["is filled short, gtc", { filled: { oid: 7, totalSz: "0.9", avgPx: "9", cloid: CLOID } }, {}, "look"],
  [
    "is filled short, alo",
    { filled: { oid: 7, totalSz: "0.9", avgPx: "9", cloid: CLOID } },
    { timeInForce: "alo" },
    "look",
  ],
  [
    "is filled short, ioc",
    { filled: { oid: 7, totalSz: "0.9", avgPx: "9", cloid: CLOID } },
    { timeInForce: "ioc" },
    "canceled",
  ],
  ["waits", "waitingForTrigger", { trigger: { price: "9", kind: "stop_loss", market: true } }, "armed"],
  ["waits, though it has no trigger", "waitingForTrigger", {}, "look"],
  ["waits for a fill, though it has no trigger", "waitingForFill", {}, "look"],
  [
    "rests as a trigger",
    { resting: { oid: 7, cloid: CLOID } },
    { trigger: { price: "9", kind: "stop_loss", market: true } },
    "armed",
  ],
  ["is a success", "success", {}, "look"],
  ["is refused", { error: "Price must be divisible by tick size. asset=0" }, {}, "rejected"],
  ["is refused in new words", { error: "The moon is full." }, {}, "look"],
];

test.each(ROWS)("an answer that the order %s", (_name, entry, some, reads) => {
  const body = JSON.stringify({ status: "ok", response: { type: "order", data: { statuses: [entry] } } });
  const event = readPlaceReply({ ...ASKED, ...some }, classifyReply(200, body));
  expect(isOpenStill(event) ? "look" : event.type).toBe(reads);
});

test("only what one look at the exchange gives back may be kept without waiting for the disk", () => {
  const reading = (entry: unknown, timeInForce: "gtc" | "ioc" = "ioc") => {
    const body = JSON.stringify({ status: "ok", response: { type: "order", data: { statuses: [entry] } } });
    return readPlaceReply({ ...ASKED, timeInForce }, classifyReply(200, body));
  };
  const filled = (totalSz: string) => ({ filled: { oid: 7, totalSz, avgPx: "100", cloid: CLOID } });
  expect(canBeReadAgain(reading({ resting: { oid: 7, cloid: CLOID } }, "gtc"))).toBe(true);
  expect(canBeReadAgain(reading(filled("1")))).toBe(true);
  expect(reading(filled("0.5")).type).toBe("canceled");
  expect(canBeReadAgain(reading(filled("0.5")))).toBe(false);
  expect(canBeReadAgain(reading({ error: "Price must be divisible by tick size." }))).toBe(false);
  expect(canBeReadAgain({ type: "turned_away", reason: "refused", isNumberUsed: true })).toBe(false);
  expect(canBeReadAgain({ type: "armed", oid: "7" })).toBe(false);
});

const { order: ORDER, keyRecord: KEY, leg: LEG, attempt: ATTEMPT } = placingRows(1);

test.each([
  ["never_ran", null, null, "empty action has taken its number."],
  ["never_ran", "Action already expired", null, "The exchange had answered: Action already expired"],
  ["left_nothing", null, "not used", "or never arrived."],
  ["refused", "kept", "Not to our taste.", "The exchange had answered: Not to our taste."],
] as const)("an absence (%s) is told with what the exchange had answered", (absence, answerText, refusal, end) => {
  const event = absenceEvent({ ...ATTEMPT, id: 1, answerText }, absence, refusal);
  expect(event.type).toBe("proven_absent");
  expect("reason" in event ? event.reason : "").toEndWith(end);
});

/** A placing is one row; told apart over several tables it is settled step by step, as where something has moved on. */
const PLACES: Record<string, (store: Store) => Attempt> = {
  "in one row": (store) => insertPlacing(store, placingRows(1)),
  "but for its leg in one row": insertWithLegApart,
  "but for its leg and its key in one row": (store) => {
    const attempt = insertWithLegApart(store);
    passKeyOn(store, { accountId: ORDER.accountId, idempotencyKey: KEY.idempotencyKey }, ORDER.id);
    return attempt;
  },
};

function insertWithLegApart(store: Store): Attempt {
  const attempt = insertPlacing(store, placingRows(1));
  store.update(orders).set(NO_LEG).run();
  insertLeg(store, LEG);
  return attempt;
}

/** A placing that is stored, and its world. */
function openPlaced(insert: (store: Store) => Attempt) {
  const store = openMemoryStore();
  const attempt = insert(store);
  const clock = stillClock(5_000);
  const commits = openCommitQueue(store, (run) => void setImmediate(run), clock);
  const answer = () => findKeyRecord(store, ORDER.accountId, KEY.idempotencyKey)?.answer ?? null;
  return { store, placing: { order: ORDER, keyRecord: KEY, leg: LEG, attempt }, world: { clock, commits }, answer };
}

for (const [place, insert] of Object.entries(PLACES)) {
  const open = () => openPlaced(insert);

  test(`${place}: an answer is written over what this process has stored, and is what the key answers`, async () => {
    const { store, placing, world, answer } = open();
    const outcome = await recordPlaceReply(world, placing, resting(7));
    expect<unknown>(outcome).toEqual(answer());
    expect(JSON.parse(answer()?.body ?? "")).toMatchObject({ status: "open", exchange_order_id: "7" });
    expect(findOrder(store, placing.order.id)).toMatchObject({ status: "open", version: 1, seenAtMs: 5_000 });
    expect(listLegs(store, placing.order.id)).toMatchObject([{ state: "resting", oid: "7" }]);
  });

  test(`${place}: an answer to an order that has moved on is applied to it as it stands`, async () => {
    const { store, placing, world, answer } = open();
    const filled = { size: decimal("1"), notional: decimal("100") };
    recordLegEvent(store, placing.leg.cloid, { type: "filled", oid: "7", filled }, 4_000);
    const outcome = await recordPlaceReply(world, placing, resting(7));
    expect<unknown>(outcome).toEqual(answer());
    expect(JSON.parse(answer()?.body ?? "")).toMatchObject({ status: "filled", filled_size: "1" });
    expect(findOrder(store, placing.order.id)).toMatchObject({ status: "filled", filledSize: "1" });
  });

  test(`${place}: an answer to a placing that was settled before fixes nothing, and none is made up`, async () => {
    const { store, placing, world, answer } = open();
    recordLegEvent(store, placing.leg.cloid, { type: "rested", oid: "7" }, 4_000);
    finishOrderAttempt(store, placing.attempt, { nowMs: 4_000 });
    const fixed = answer();
    recordLegEvent(store, placing.leg.cloid, { type: "canceled", oid: "7", reason: null, filled: null }, 4_500);
    expect(await recordPlaceReply(world, placing, resting(7))).toBe("settled");
    expect(answer()).toEqual(fixed);
  });

  test(`${place}: an outcome ends the attempt, is told once, and changes no other order`, async () => {
    const { store, placing, world } = open();
    const other = insertPlacing(store, placingRows(2));
    const told = latestEventId(store);
    await recordPlaceReply(world, placing, resting(7));
    expect(findAttempt(store, placing.attempt.id)).toEqual({
      ...placing.attempt,
      state: "done",
      sentAtMs: placing.attempt.createdAtMs,
      settledAtMs: 5_000,
    });
    const events = listEventsAfter(store, { accountId: ORDER.accountId, after: told, limit: 9 });
    expect(events).toMatchObject([{ type: "order.updated", resourceId: ORDER.id, atMs: 5_000 }]);
    expect(JSON.parse(events[0]?.payload ?? "")).toMatchObject({ status: "open", exchange_order_id: "7" });
    expect(findAttempt(store, other.id)).toEqual(other);
    expect(findOrder(store, other.resource.id)).toEqual(placingRows(2).order);
  });

  test(`${place}: an answer never changes the one that is fixed, nor that of a key that has been passed on`, async () => {
    const fixed = { status: 200, body: "{}" } as const;
    const answered = open();
    storeAnswer(answered.store, { accountId: ORDER.accountId, idempotencyKey: KEY.idempotencyKey }, fixed);
    expect(await recordPlaceReply(answered.world, answered.placing, resting(7))).toBe("settled");
    expect(answered.answer()).toEqual(fixed);
    const passed = open();
    markRestored(passed.store, 1);
    passKeyOn(passed.store, { accountId: ORDER.accountId, idempotencyKey: KEY.idempotencyKey }, "another");
    expect(await recordPlaceReply(passed.world, passed.placing, resting(7))).toBe("settled");
    expect(passed.answer()).toBeNull();
    const ended = open();
    updateAttempt(ended.store, ended.placing.attempt, { state: "done", settledAtMs: 4_000 });
    expect(await recordPlaceReply(ended.world, ended.placing, resting(7))).toBe("settled");
    expect(findAttempt(ended.store, ended.placing.attempt.id)?.settledAtMs).toBe(4_000);
    expect(ended.answer()).toBeNull();
    for (const { store } of [answered, passed, ended]) expect(findOrder(store, ORDER.id)?.status).toBe("open");
  });
}

function resting(oid: number) {
  const statuses = [{ resting: { oid, cloid: LEG.cloid } }];
  return classifyReply(200, JSON.stringify({ status: "ok", response: { type: "order", data: { statuses } } }));
}
