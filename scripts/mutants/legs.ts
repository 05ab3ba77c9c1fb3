import { type Mutant, one } from "./mutant.ts";

const EVIDENCE = "src/core/evidence.ts";
const NAMESAKE = "src/settle/evidence/namesake.ts";
const ADVANCE_LEG = "src/core/advance-leg.ts";
const ORDER_OF_LEGS = "src/core/order-of-legs.ts";
const EXCESS = "src/core/excess.ts";
const VANISHED = "src/settle/evidence/vanished.ts";

const MARGIN_EVIDENCE = "src/core/margin-evidence.ts";

/** Bugs of one line in what facts make of legs, orders and excesses, and in what two readings prove. */
export const LEGS: readonly Mutant[] = [
  one(
    "a change of margin that may be in a reading is in none",
    MARGIN_EVIDENCE,
    "const second = hasSettled({ endsAtMs }, after) ? [amount] : [ZERO, amount];",
    "const second = hasSettled({ endsAtMs }, after) ? [amount] : [ZERO];",
  ),
  one(
    "two readings that say different things of a size are two words",
    EVIDENCE,
    "areTwo(late.filter(isAgreeing).filter(isUnmoved), QUIET",
    "areTwo(late.filter(isUnmoved), QUIET",
  ),
  one(
    "an order that was found by its fills takes no more of them",
    ADVANCE_LEG,
    'return state !== "filled" && filled !== null &&',
    "return filled !== null &&",
  ),
  one(
    "a trigger that has filled waits again by a newer list",
    ADVANCE_LEG,
    "isArmed && !hasFilled(leg) ?",
    "isArmed ?",
  ),
  one(
    "an alarm stays although the order itself is shown to rest",
    ADVANCE_LEG,
    " && leg.oid === oid && leg.reason === null;",
    " && leg.oid === oid;",
  ),
  one(
    "what has fills was never there",
    ADVANCE_LEG,
    "leg.oid === null && !hasFilled(leg) && event",
    "leg.oid === null && event",
  ),
  one("an alarm is lost with an answer", ADVANCE_LEG, "reason: alarmIn(leg.reason) ?? reason, isEx", "reason, isEx"),
  one(
    "what rested and is perhaps over is proven absent",
    ADVANCE_LEG,
    "armed: no,       resting: no,       perhaps: no,       over: notThere",
    "armed: no,       resting: no,       perhaps: absent,   over: notThere",
  ),
  one(
    "a trigger that waits in another market stays open",
    ADVANCE_LEG,
    'const isOpen = leg.state === "resting" || leg.state === "armed";\n  const now',
    'const isOpen = leg.state === "resting";\n  const now',
  ),
  one(
    "a fill takes back a name that an answer gave",
    ADVANCE_LEG,
    "return isNamedByLead(leg) && leg.oid === oid ?",
    "return leg.oid === oid ?",
  ),
  one(
    "an order that was filled whole hides what was to be placed in any case and is lost",
    ORDER_OF_LEGS,
    'if (isWhollyFilled(deciding) && replacing === "if_canceled") return null;',
    "if (isWhollyFilled(deciding)) return null;",
  ),
  one(
    "a cancel ends an order while what is placed in any case is on its way",
    ORDER_OF_LEGS,
    'const isBeingReplaced = replacing !== "no" && newest !== deciding;',
    'const isBeingReplaced = replacing === "if_canceled" && newest !== deciding;',
  ),
  one(
    "what is filled of a replacement counts twice in what it is reduced to",
    EXCESS,
    "remainder: subtract(left, leg.filledSize)",
    "remainder: left",
  ),
  one(
    "a replacement that nothing was filled of was filled too much",
    EXCESS,
    " && compare(leg.filledSize, ZERO) > 0 ?",
    " ?",
  ),
  one(
    "a replacement that was canceled was never filled too much",
    EXCESS,
    '"closing", "filled", "canceled"]',
    '"closing", "filled"]',
  ),
  one(
    "a leg is reduced no more after refusals of another",
    EXCESS,
    'each.kind === "modify" && each.targetOid === oid &&',
    'each.kind === "modify" &&',
  ),
  one(
    "an order of the very millisecond makes a list newer",
    EVIDENCE,
    "list.some(({ timestampMs }) => timestampMs > sinceMs)",
    "list.some(({ timestampMs }) => timestampMs >= sinceMs)",
  ),
  one(
    "a history that is a moment past an action has outlived it",
    EVIDENCE,
    "newestAtMs > endsAtMs + OUTLIVED_BY_MS",
    "newestAtMs > endsAtMs",
  ),
  one(
    "an action is outlived though the list of open orders is older",
    EVIDENCE,
    "listedAtMs !== null && listedAtMs > endsAtMs",
    "listedAtMs !== null",
  ),
  one(
    "cancels end an order that something has shown since",
    EVIDENCE,
    "Math.min(word.forMs, unseenForMs)",
    "Math.max(word.forMs, unseenForMs)",
  ),
  one(
    "a setting is in force while a server may still show what it has replaced",
    "src/core/setting-evidence.ts",
    "otherEndsAtMs + BEHIND_MS + 1",
    "otherEndsAtMs + 1",
  ),
  one(
    "a TWAP that is shown to run is nothing to cancel after three misses",
    EVIDENCE,
    '(shown === "nothing" && misses',
    "(misses",
  ),
  one(
    "a change of margin that was under way with the first reading is not in it",
    MARGIN_EVIDENCE,
    'signed === "after the change" ? [ZERO]',
    'signed !== "before the reading" ? [ZERO]',
  ),
  one(
    "what another change of margin did is counted the other way round",
    MARGIN_EVIDENCE,
    "subtract(has, had)",
    "subtract(had, has)",
  ),
  one(
    "cash of a position that was traded tells a change of margin",
    MARGIN_EVIDENCE,
    "  if (compare(before.signedSize, after.signedSize) !== 0) return null;\n",
    "",
  ),
  one(
    "a part is the whole as soon as the position stands, however soon after the close",
    EVIDENCE,
    "areTwo(late.filter(isAgreeing).filter(isUnmoved), QUIET",
    "areTwo(same.filter(isAgreeing).filter(isUnmoved), QUIET",
  ),
  one(
    "what a short history has outlived had no fills, whatever is known of them",
    EVIDENCE,
    "trace.outlived >= WITNESSES_NEEDED && trace.areFillsKnown",
    "trace.outlived >= WITNESSES_NEEDED",
  ),
  one(
    "a reading right after the close counts as late",
    EVIDENCE,
    "standing.filter((reading) => isLate(reading, first))",
    "standing.filter((reading) => isLate(reading, reading))",
  ),
  one(
    "an order that is over keeps a name that a fill alone has given it",
    ADVANCE_LEG,
    "isNamedByLead(leg) ? (event.oid ?? leg.oid) : (leg.oid ?? event.oid)",
    "leg.oid ?? event.oid",
  ),
  one(
    "an order that was refused keeps the name of somebody else's",
    ADVANCE_LEG,
    "event.oid ?? (isNamedByLead(leg) ? null : leg.oid)",
    "event.oid ?? leg.oid",
  ),
  one(
    "a refused trigger had waited under whatever native id",
    ADVANCE_LEG,
    " && (oid === null || oid === leg.oid) ? leg",
    " ? leg",
  ),
  one(
    "what was given up stays absent although it is shown to rest",
    ADVANCE_LEG,
    "rested:        { sent: rests,    lost: rests,    absent: rests, ",
    "rested:        { sent: rests,    lost: rests,    absent: stays, ",
  ),
  one(
    "the exchange's word for an end counts for nothing where that was supposed before",
    ADVANCE_LEG,
    "resting: over,     perhaps: over, ",
    "resting: over,     perhaps: stays, ",
  ),
  one(
    "a lost answer takes back that an order rests",
    ADVANCE_LEG,
    "lost:          { sent: lost,     lost: stays,    absent: stays,    armed: stays,    resting: stays, ",
    "lost:          { sent: lost,     lost: stays,    absent: stays,    armed: stays,    resting: lost, ",
  ),
  one("fills of what was given up are not heeded", ADVANCE_LEG, "absent: filling,", "absent: stays,"),
  one(
    "a replacement beside what was filled whole is its order",
    ORDER_OF_LEGS,
    " || own.some(({ filledSize, size }) => compare(filledSize, size) >= 0);",
    ";",
  ),
  one(
    "a modified order forgets what was filled before",
    ORDER_OF_LEGS,
    "const before = legs.slice(0, legs.indexOf(deciding));",
    "const before = legs.slice(legs.indexOf(deciding) + 1);",
  ),
  one(
    "an order that was unknown is told to be on its way",
    ORDER_OF_LEGS,
    'return order.status === "unknown" ? "unknown" : "processing";',
    'return "processing";',
  ),
  one(
    "an order is open while nobody knows whether its modify has canceled it",
    ORDER_OF_LEGS,
    "return isClosed(deciding) ? null : { words: REFUSED };",
    "return null;",
  ),
  one(
    "a replacement of just what is left is too much",
    EXCESS,
    "compare(replacement.size, left) > 0)",
    "compare(replacement.size, left) >= 0)",
  ),
  one(
    "a trigger that waits is reduced by what would stand beside it",
    EXCESS,
    'state !== "armed" && refused',
    "refused",
  ),
  one(
    "two lists of the same ten seconds are two answers",
    VANISHED,
    "nowMs - memory.lastElapsedMs < SPACING_MS",
    "nowMs < memory.lastElapsedMs",
  ),
  one(
    "a position that has moved between two readings proves a size",
    VANISHED,
    "memory.unmoved + 1 : 0;",
    "memory.unmoved + 1 : memory.unmoved;",
  ),
  one(
    "of several rows of a history the oldest tells how an order ended",
    VANISHED,
    "record.statusTimestampMs > last.statusTimestampMs",
    "record.statusTimestampMs < last.statusTimestampMs",
  ),
  one(
    "a trigger is over by cancels that find nothing though an order stands there that it may have placed",
    VANISHED,
    "isGoneByCancels(cancels, hasFired, nowMs",
    "isGoneByCancels(cancels, false, nowMs",
  ),
  one(
    "fills that are known up to our own idea of its end are all",
    VANISHED,
    "const byNowMs = world.exchange.nowMs() + CLOCK_DOUBT_MS;",
    "const byNowMs = world.exchange.nowMs();",
  ),
  one(
    "an order that stands under another number than its answer named has vanished",
    VANISHED,
    "const listed = open.find(isOurs);",
    "const listed = open.find(() => false);",
  ),
  one(
    "what was concluded of a leg stays once the exchange has reported it",
    "src/core/advance-leg.ts",
    "reason: REPORTED, absence: null,",
    "reason: REPORTED,",
  ),
  one(
    "an order that was never sent is told as refused by the exchange",
    "src/core/order.ts",
    'return absence !== null && absence !== "refused";',
    'return absence !== null && absence !== "refused" && absence !== "not_sent";',
  ),
  one(
    "a fill of before it fired is that of a stop",
    "src/settle/fills/fill-leads.ts",
    "timeMs < answer.statusTimestampMs",
    "timeMs < answer.statusTimestampMs && timeMs === 0",
  ),
  one(
    "a fill of the moment in which it fired is none of a stop's",
    "src/settle/fills/fill-leads.ts",
    "timeMs < answer.statusTimestampMs",
    "timeMs <= answer.statusTimestampMs",
  ),
  one(
    "an answer for an order of another name shows a namesake",
    "src/settle/evidence/difference.ts",
    "const isOfAnotherName = shown.oid !== asked.leg.oid &&",
    'const isOfAnotherName = shown.oid === "" &&',
  ),
  one(
    "an answer that leaves the name out is for another order",
    "src/settle/evidence/difference.ts",
    "shown.cloid !== null && shown.cloid !== asked.leg.cloid",
    "shown.cloid !== asked.leg.cloid",
  ),
  one(
    "an answer for another order takes back the namesake that was shown",
    NAMESAKE,
    "hasNote(store, orderId, DIFFERENCE, cloid)",
    "!hasNote(store, orderId, OF_ANOTHER_NAME, cloid)",
  ),
  one(
    "a namesake outlives its alarm",
    NAMESAKE,
    "alarmIn(reason) !== null && hasNote",
    "(alarmIn(reason) !== null || cloid !== null) && hasNote",
  ),
  one(
    "what a modify has placed leaves its namesake behind",
    "src/settle/modify/modify.ts",
    "what === DIFFERENCE && detail",
    'what === "" && detail',
  ),
  one(
    "any alarm keeps cancels by client order id from telling",
    "src/settle/cancel/misses.ts",
    "if (mayHaveNamesake(world, leg) ||",
    'if (leg.reason?.startsWith("ALARM") === true ||',
  ),
  one(
    "an answer for another order contradicts the list of markets",
    "src/settle/look/apply-sight.ts",
    "if (!isOfAnotherName) world",
    "world",
  ),
  one(
    "nothing that a cancel by client order id has closed is proven absent",
    "src/settle/record/record.ts",
    "mayHaveNamesake: mayHaveNamesake({ store }, leg) }",
    "mayHaveNamesake: mayHaveNamesake({ store }, leg) && false }",
  ),
  one(
    "a trigger that was filled under its own id may have placed another",
    "src/settle/evidence/difference.ts",
    "return isSuccessor(leg, shown) && !hasFilled(leg);",
    "return isSuccessor(leg, shown);",
  ),
];
