import { BATCHES } from "./batches.ts";
import { BOT_LIFE } from "./bot-life.ts";
import { BUDGET_BUGS } from "./budget.ts";
import { CHANGES } from "./changes.ts";
import { CLOCKS } from "./clocks.ts";
import { EVIDENCE } from "./evidence.ts";
import { FACTS } from "./facts.ts";
import { FIFTH_STRANGER } from "./fifth-stranger.ts";
import { FOLLOWING } from "./following.ts";
import { GUARDS } from "./guards.ts";
import { IDLE_REDUCTIONS } from "./idle-reductions.ts";
import { IN_FLIGHT } from "./in-flight.ts";
import { ISOLATED } from "./isolated.ts";
import { JUDGED } from "./judged.ts";
import { LAST_WORDS } from "./last-words.ts";
import { LATE_COPIES } from "./late-copies.ts";
import { LEGS } from "./legs.ts";
import { LOOKS } from "./looks.ts";
import { MARKET_LISTS } from "./market-lists.ts";
import { MODIFIES } from "./modifies.ts";
import type { Mutant } from "./mutant.ts";
import { NAMED_TWAPS } from "./named-twaps.ts";
import { NOT_FOR_US } from "./not-for-us.ts";
import { ONCE_SURVIVED } from "./once-survived.ts";
import { ORDERS } from "./orders.ts";
import { OUTSIDE } from "./outside.ts";
import { PAPER_ENGINE } from "./paper-engine.ts";
import { PICTURES } from "./pictures.ts";
import { QUIET_BUGS } from "./quiet.ts";
import { RAILS } from "./rails.ts";
import { READ_TRUE } from "./read-true.ts";
import { RESTORES } from "./restores.ts";
import { SECOND_STRANGER } from "./second-stranger.ts";
import { SHOWN } from "./shown.ts";
import { SINGLE_STEPS } from "./single-steps.ts";
import { STOPS } from "./stops.ts";
import { STORES } from "./stores.ts";
import { TOLD_LATE } from "./told-late.ts";
import { UNFOUND_BUGS } from "./unfound.ts";
import { UNSEEN } from "./unseen.ts";
import { WAYS_ROUND } from "./ways-round.ts";
import { WHOLE_TRADES } from "./whole-trades.ts";
import { WHOSE } from "./whose-end.ts";
import { WRITES } from "./writes.ts";

/** Bugs on the way of one order, from its intent to what is told. */
const GATEWAY: readonly Mutant[] = [
  {
    name: "the intent is not written",
    changes: [
      {
        file: "src/store/orders.ts",
        find: "    ...attemptColumns(attempt),\n    ...legColumns(leg),",
        put: "    ...NO_ATTEMPT,\n    ...legColumns(leg),",
      },
    ],
  },
  {
    name: "commits do not wait for the disk, and the power fails",
    changes: [{ file: "src/settle/send/send.ts", find: "  await onDisk;\n", put: "" }],
  },
  {
    name: "a commit that came too late for one wait does not wait for the next",
    changes: [
      {
        file: "src/store/disk.ts",
        find: "      if (running === null) return start();",
        put: "      if (running !== null) return running;\n      if (next === null) return start();",
      },
      {
        file: "src/store/disk.ts",
        find: "    const begunAt = commits;\n    try {\n      await",
        put: "    const begunAt = Number.MAX_SAFE_INTEGER;\n    try {\n      await",
      },
    ],
  },
  {
    name: "what is said without sending is told before it is on the disk",
    changes: [{ file: "src/write/run.ts", find: "    await onDisk;\n    if (stored", put: "    if (stored" }],
  },
  {
    name: "empty actions leave before their cancel is on the disk",
    changes: [{ file: "src/write/run.ts", find: "    await onDisk;\n    return send();", put: "    return send();" }],
  },
  {
    name: "a refusal is committed without waiting for the disk",
    changes: [
      {
        file: "src/settle/place/place.ts",
        find: "  }, canBeReadAgain(event));",
        put: '  }, canBeReadAgain(event) || event.type === "turned_away");',
      },
    ],
  },
  {
    name: "that a trigger was taken is committed without waiting for the disk",
    changes: [
      {
        file: "src/settle/place/place.ts",
        find: 'return type === "rested" || type === "filled";',
        put: 'return type === "rested" || type === "filled" || type === "armed";',
      },
    ],
  },
  {
    name: "signed again with a new number after a timeout",
    changes: [
      {
        file: "src/settle/send/send.ts",
        find: "  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}",
        put:
          '  const said = { ...signed, action, purpose, count: attempts.length };\n  const first = await post(world, attempt, said, mayLeave);\n  if (first.kind !== "ambiguous" || first.reason !== "no_answer") return first;\n' +
          "  const again = sign(world, { ...attempt, nonce: attempt.nonce + 1 }, action);\n" +
          "  return again === null ? first : post(world, attempt, { ...said, ...again }, mayLeave);\n}",
      },
    ],
  },
  {
    name: "the same bytes are sent again after a timeout, minutes later too",
    changes: [
      {
        file: "src/settle/start-up.ts",
        find: "  return inTransaction(world.store, (store) => {\n    markStart",
        put:
          '  for (const attempt of listOpenAttempts(world.store)) void sendAttempt(world, { ...attempt, nonce: attempt.nonce + 7, expiresAtMs: world.exchange.nowMs() + 12_000 }, "order");\n' +
          "  return inTransaction(world.store, (store) => {\n    markStart",
      },
      {
        file: "src/settle/start-up.ts",
        find: 'import { listOpenAttempts, markPreparedAmbiguous } from "../store/attempts.ts";',
        put: 'import { listOpenAttempts, markPreparedAmbiguous } from "../store/attempts.ts";\nimport { sendAttempt } from "./send/send.ts";',
      },
    ],
  },
  {
    name: "a duplicate number is taken for a refusal",
    changes: [
      {
        file: "src/wire/answer/reply.ts",
        find: 'return ambiguous("nonce", kept);',
        put: "return refused(response, false);",
      },
    ],
  },
  {
    name: "a server's error page is taken for a refusal",
    changes: [
      {
        file: "src/wire/answer/reply.ts",
        find: '  if (httpStatus === 429) return ambiguous("rate_limited", kept);',
        put: '  if (httpStatus >= 429) return refused("server error", false);',
      },
    ],
  },
  {
    name: "a broken connection is taken for not sent",
    changes: [
      {
        file: "src/exchange/network-error.ts",
        find: '  "ECONNREFUSED",\n',
        put: '  "ECONNREFUSED",\n  "ECONNRESET",\n',
      },
    ],
  },
  {
    name: "cancels are not taken up after a start",
    changes: [
      {
        file: "src/settle/settler.ts",
        find: "await Promise.all(listOpenAttempts(world.store).map((attempt) => pursuits.begin(attempt.id).firstLook));",
        put: 'await Promise.all(listOpenAttempts(world.store).filter(({ kind }) => kind !== "cancel").map((attempt) => pursuits.begin(attempt.id).firstLook));',
      },
    ],
  },
  {
    name: "a cancel ends with its answer, and is not armed",
    changes: [
      {
        file: "src/settle/cancel/pursue-cancel.ts",
        find: "  await cancelAgain(tools, attempt, { pursuit, live, isShown });\n  return false;",
        put: "  if (pursuit.looks < 0) await cancelAgain(tools, attempt, { pursuit, live, isShown });\n  finishCancel(world, attempt);\n  return true;",
      },
    ],
  },
  {
    name: "a cancel closes its order while a placing is still out",
    changes: [
      {
        file: "src/settle/cancel/cancel.ts",
        find: "  if (unsettledPlacings(world, orderId).length > 0) return false;",
        put: "  if (listAttemptsOf(world.store, orderId).length === 0) return false;",
      },
      {
        file: "src/settle/cancel/cancel.ts",
        find: "return listLegs(world.store, orderId).every(isClosed);",
        put: 'return listLegs(world.store, orderId).every((leg) => isClosed(leg) || leg.state === "sent" || leg.state === "lost");',
      },
    ],
  },
  {
    name: "a modify looks for the leg before its replacement",
    changes: [
      {
        file: "src/settle/modify/modify.ts",
        find: "const replaced = listLegs(world.store, attempt.resource.id).find((leg) => leg.oid === attempt.targetOid);",
        put: "const replaced = listLegs(world.store, attempt.resource.id).find((leg) => leg.ordinal === (replacement?.ordinal ?? 0) - 1);",
      },
    ],
  },
  {
    name: "a modify goes to a leg that another modify has replaced meanwhile",
    changes: [
      {
        file: "src/actions/modify-order.ts",
        find: "|| !isStillSo(deps, target, replacement)) throw queued();",
        put: '|| (target.id === "" && !isStillSo(deps, target, replacement))) throw queued();',
      },
    ],
  },
  {
    name: "actions are signed before the exchange's clock is known",
    changes: [
      {
        file: "src/settle/start-up.ts",
        find: "while (!isStopped() && !(await exchange.measureClock())) await",
        put: "while (isStopped() && !(await exchange.measureClock())) await",
      },
    ],
  },
  {
    name: "the old leg's cancel ends a modified order",
    changes: [
      {
        file: "src/core/order-of-legs.ts",
        find: 'return isBeingReplaced ? "unknown" : "canceled";',
        put: 'return isBeingReplaced ? "canceled" : "canceled";',
      },
    ],
  },
  {
    name: "a modified order keeps the status of its first leg",
    changes: [
      {
        file: "src/core/order-of-legs.ts",
        find: '  const deciding = confirmed.findLast((leg) => leg.state !== "rejected")',
        put: '  const deciding = confirmed.find((leg) => leg.state !== "rejected")',
      },
    ],
  },
  {
    name: "a key is looked up only before the intent's transaction",
    changes: [
      {
        file: "src/write/commit.ts",
        find: '      if (earlier !== null) return { kind: "earlier", record: earlier };',
        put: '      if (earlier !== null && earlier.answer === null && createdTwice(earlier)) return { kind: "earlier", record: earlier };',
      },
      {
        file: "src/write/commit.ts",
        find: "function requireActiveKey(",
        put: 'function createdTwice(record: KeyRecord): boolean {\n  return record.idempotencyKey === "";\n}\n\nfunction requireActiveKey(',
      },
    ],
  },
  {
    name: "an answer after the first is not the stored one",
    changes: [
      {
        file: "src/write/key.ts",
        find: "?? { ...storedAnswer(record), isReplay: true };",
        put: "?? { ...storedAnswer(record), body: asItStands(deps.store, record.resource).body, isReplay: true };",
      },
    ],
  },
  {
    name: "unknown is told before what was in flight has been looked at",
    changes: [
      {
        file: "src/write/key.ts",
        find: '  const isLooking = phase === "trial" || phase === "opening" || phase === "starting";',
        put: '  const isLooking = phase === "draining";',
      },
    ],
  },
  {
    name: "what was in flight is not marked at a start",
    changes: [
      {
        file: "src/store/attempts.ts",
        find: ".where(notInArray(everyOpenAttempt.resourceId, released))",
        put: '.where(and(eq(everyOpenAttempt.state, "ambiguous"), notInArray(everyOpenAttempt.resourceId, released)))',
      },
      {
        file: "src/settle/start-up.ts",
        find: "attempts: markPreparedAmbiguous(store),",
        put: "attempts: markPreparedAmbiguous.length,",
      },
    ],
  },
  {
    name: "an interrupted placing is called rejected at a start",
    changes: [
      {
        file: "src/store/attempts.ts",
        find: 'writeChange(store, attempt, { state: "ambiguous" }, "open")',
        put: 'writeChange(store, attempt, { state: "ambiguous", seal: "noop" }, "open")',
      },
    ],
  },
  {
    name: "the first `duplicate` after a doubled noop counts as ours",
    changes: [
      {
        file: "src/core/attempt.ts",
        find: '  if (answer === "ok") return { seal: "noop", hasLanded: false };',
        put: '  if (answer === "ok" || attempt.noops > 1) return { seal: "noop", hasLanded: false };',
      },
    ],
  },
  {
    name: "fills of an answer with a rounded price are final",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "const isExacter = growth === 0 &&",
        put: "const isExacter = growth > 1 &&",
      },
    ],
  },
  {
    name: "a partly filled immediate order is called filled",
    changes: [
      {
        file: "src/settle/place/place.ts",
        find: '    return { type: "canceled", oid, reason, filled };',
        put: '    return reason === "" ? { type: "canceled", oid, reason, filled } : { type: "filled", oid, filled };',
      },
    ],
  },
  {
    name: "reads show every account's orders",
    changes: [
      {
        file: "src/actions/find-order.ts",
        find: "  return order !== null && order.accountId === caller.account.id ? order : null;",
        put: "  return order !== null && order.accountId !== caller.account.label ? order : null;",
      },
    ],
  },
];

/** By the name that `--list` takes. */
export const LISTS = {
  batches: BATCHES,
  "bot-life": BOT_LIFE,
  budget: BUDGET_BUGS,
  clocks: CLOCKS,
  gateway: GATEWAY,
  evidence: EVIDENCE,
  second_stranger: SECOND_STRANGER,
  facts: FACTS,
  following: FOLLOWING,
  guards: GUARDS,
  "in-flight": IN_FLIGHT,
  "last-words": LAST_WORDS,
  "market-lists": MARKET_LISTS,
  modifies: MODIFIES,
  "whose-end": WHOSE,
  "named-twaps": NAMED_TWAPS,
  "not-for-us": NOT_FOR_US,
  "once-survived": ONCE_SURVIVED,
  orders: ORDERS,
  changes: CHANGES,
  outside: OUTSIDE,
  "paper-engine": PAPER_ENGINE,
  pictures: PICTURES,
  quiet: QUIET_BUGS,
  rails: RAILS,
  isolated: ISOLATED,
  "read-true": READ_TRUE,
  restores: RESTORES,
  shown: SHOWN,
  judged: JUDGED,
  legs: LEGS,
  looks: LOOKS,
  idle_triggers: IDLE_REDUCTIONS,
  late_copies: LATE_COPIES,
  "single-steps": SINGLE_STEPS,
  stops: STOPS,
  unfound: UNFOUND_BUGS,
  stores: STORES,
  "told-late": TOLD_LATE,
  unseen: UNSEEN,
  "fifth-stranger": FIFTH_STRANGER,
  "ways-round": WAYS_ROUND,
  "whole-trades": WHOLE_TRADES,
  writes: WRITES,
} as const satisfies Record<string, readonly Mutant[]>;

export const MUTANTS: readonly Mutant[] = Object.values(LISTS).flat();
