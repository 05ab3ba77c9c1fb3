import { type Mutant, one } from "./mutant.ts";

const VANISHED = "src/settle/evidence/vanished.ts";
const ABSENCE = "src/settle/evidence/absence.ts";
const CLOSED_SIZE = "src/settle/evidence/closed-size.ts";
const POSITION_CHECK = "src/settle/evidence/position-check.ts";
const LOOK = "src/settle/look/look.ts";
const SHOWN_SINCE = "src/settle/cancel/shown-since.ts";
const SHOWN_AFTER_END = "src/settle/cancel/shown-after-end.ts";
const CANCELER = "src/settle/cancel-all/canceler.ts";
const CLOSER = "src/settle/close/closer.ts";
const STOPPER = "src/settle/stop/stopper.ts";
const FLATTEN_STEP = "src/settle/stop/flatten-step.ts";
const STOPS = "src/store/stops.ts";
const NARROWINGS = "src/store/narrowings.ts";
const TRIPS = "src/store/trips.ts";
const RAILS_FACTS = "src/write/rails-facts.ts";
const ONE_OUTCOME = "src/write/one-outcome.ts";
const GATE = "src/write/gate.ts";

/** Bugs of one line in what one look, one sweep, one list or one row says, each seen by a row of that step alone. */
export const SINGLE_STEPS: readonly Mutant[] = [
  one(
    "a list of another dex says that an order without a record is over",
    VANISHED,
    "const list = sweep.open.filter(({ coin }) => dexOf(coin) === dexOf(sought.market));",
    "const list = sweep.open;",
  ),
  one(
    "a record of its placing tells how an order ended",
    VANISHED,
    'return record !== null && statusMeaning(record.status) !== "open" ? {',
    "return record !== null ? {",
  ),
  one(
    "an end that newer lists contradict is told without the alarm",
    SHOWN_AFTER_END,
    "raiseAlarm(world, one.leg, { ...shown, isListedSince: true });",
    "",
  ),
  one(
    "a list that may be behind contradicts the end that was told",
    SHOWN_AFTER_END,
    "askedAtMs - sinceMs < SHOWN_WITHIN_MS",
    "askedAtMs < sinceMs",
  ),
  one(
    "a list that lacks an order leaves its end doubted",
    SHOWN_AFTER_END,
    "if (one !== undefined && askedAtMs",
    "if (one === undefined || askedAtMs",
  ),
  one(
    "the alarm of an end that newer lists contradict speaks of a leg that a modify has replaced",
    SHOWN_AFTER_END,
    "if (listLegs(store, leg.orderId).at(-1)?.cloid !== leg.cloid) return false;",
    "",
  ),
  one(
    "an order that a refusal's record has ended is shown open by newer lists without the alarm",
    "src/core/advance-leg.ts",
    "if (event.isListed !== true || ",
    "if (event.isListed === true || ",
  ),
  one(
    "what a live feed lists is held against no end",
    "src/settle/feed/cross-check.ts",
    "if (list?.isTold === true) ended.heedTold(",
    "if (list === undefined) ended.heedTold(",
  ),
  one(
    "an end is held against no list where nothing lives and no feed tells",
    "src/settle/feed/resync.ts",
    "mustList || (hasRoom && tools.ended.isDue(account));",
    "mustList || (!hasRoom && tools.ended.isDue(account));",
  ),
  one(
    "where nothing lives and no feed tells, the open orders are read for ever",
    SHOWN_AFTER_END,
    "isDoubting(account) || world.clock.elapsedMs() - newsMs < SHOWN_WITHIN_MS",
    "isDoubting(account) || world.clock.elapsedMs() >= newsMs",
  ),
  one(
    "what lists show open after its end cannot be canceled",
    "src/settle/cancel/cancel.ts",
    "if (legs.some(wasListedSince)) return true;",
    "if (legs.some(wasListedSince)) return false;",
  ),
  one(
    "a stop leaves what lists show open after its end",
    "src/actions/cancel-outside.ts",
    "cancelEnded(deps, { name: nameOfStop(stop), account, orders: going }),",
    "cancelEnded(deps, { name: nameOfStop(stop), account, orders: outside }),",
  ),
  one(
    "a cancel-all leaves what lists show open after its end",
    "src/actions/adopt-outside.ts",
    "cancelEnded(deps, { name: nameOfCancelAll(row), account, orders });",
    "cancelEnded(deps, { name: nameOfCancelAll(row), account, orders: [] });",
  ),
  one(
    "an order that newer lists show open after its end is not among the open ones",
    "src/actions/open-orders.ts",
    "if (wasListedSince(leg)) return",
    "if (wasListedSince(leg) && leg.oid === null) return",
  ),
  one(
    "a key repeats the end that newer lists have contradicted, without the alarm",
    "src/write/contradicted.ts",
    " || hasNote(store, id, LISTED_AFTER_END)",
    "",
  ),
  one(
    "a history that is cut short leaves orders of a batch out",
    ABSENCE,
    "if (isBesideThere && missed.history?.reachesBack === true)",
    "if (isBesideThere)",
  ),
  one(
    "what a cancel by name has closed was never there",
    ABSENCE,
    "leg.oid !== null || isCarriedOut(world, leg)",
    "leg.oid !== null",
  ),
  one(
    "a position that was seen to stand once tells the size of what outlived its record",
    ABSENCE,
    "unmoved >= WITNESSES_NEEDED ||",
    "unmoved >= 1 ||",
  ),
  one(
    "fills of before the index ends are lost beside those of after it",
    CLOSED_SIZE,
    "Math.min(order.timestampMs, indexedToMs)",
    "Math.max(order.timestampMs, indexedToMs)",
  ),
  one(
    "what was canceled untouched is believed without the position",
    CLOSED_SIZE,
    'isReplaced && agreement === "untouched" && world',
    'agreement === "untouched" && world',
  ),
  one("a trigger at market is filled whole", CLOSED_SIZE, " || trigger?.market === true || order.tif", " || order.tif"),
  one("what its record says executed at once is filled whole", CLOSED_SIZE, ' || order.tif === "Ioc";', ";"),
  one(
    "a position of before the close has moved",
    POSITION_CHECK,
    'state === null || state.timeMs <= sinceMs) return "unknown"',
    'state === null) return "unknown"',
  ),
  one(
    "what was filled in part is refused by a new word",
    LOOK,
    " && isOfOneMoment && !hasFilled(leg);",
    " && isOfOneMoment;",
  ),
  one(
    "a trigger that has fired waits by a new word, or by an older one of its feed",
    "src/exchange/account-picture.ts",
    "end === null && !hasFired;",
    "end === null;",
  ),
  one(
    "what ended a moment ago is told over before its fills",
    "src/settle/look/ended.ts",
    "const SHOWN_AS_BEFORE_MS = 900;",
    "const SHOWN_AS_BEFORE_MS = 0;",
  ),
  one(
    "a look that shows as it was what has ended is shared for as long as any",
    "src/settle/look/looks.ts",
    "stand(sight.asBeforeMs);",
    "stand(Number.POSITIVE_INFINITY);",
  ),
  one(
    "whether an order lives is asked of the main list alone",
    "src/settle/look/listed.ts",
    "const dex = dexOf(order.coin);",
    'const dex = "";',
  ),
  one(
    "a record that tells of more fills is passed over while a feed is live",
    LOOK,
    "if (parts.length === 0 && world.feeds.isLive(user))",
    "if (world.feeds.isLive(user))",
  ),
  one(
    "orders of other dexes make a list newer",
    SHOWN_SINCE,
    "orders.filter(({ coin }) => dexOf(coin) === dexOf(shown.coin))",
    "[...orders]",
  ),
  one(
    "in a quiet account the answer to another's cancel is believed for ever",
    SHOWN_SINCE,
    " && askedAtMs - sinceMs < BEHIND_MS",
    "",
  ),
  one(
    "a TWAP is taken under the number of another's",
    "src/settle/operation/operation.ts",
    "named !== null && isTwapOfAnother(world.store, named, attempt.resource.id)",
    "named !== null && isTwapOfAnother(world.store, named, attempt.resource.id) && named === null",
  ),
  one(
    "the number of another market in a refusal says nothing",
    "src/wire/answer/refusal-about.ts",
    'if (named !== undefined && Number(named) !== (typeof thing === "number" ? thing : thing.a)) return false;',
    'if (named !== undefined && Number(named) !== (typeof thing === "number" ? thing : thing.a)) return true;',
  ),
  one(
    "a refusal may be about any kind of action",
    "src/wire/answer/refusal-about.ts",
    "if (!mayRefuse(text, action.type)) return false;",
    "if (!mayRefuse(text, action.type)) return true;",
  ),
  one(
    "an ioc's refusal is believed of any order",
    "src/wire/answer/refusal-about.ts",
    'limit.tif !== "Gtc" && t.limit.tif !== "Alo"',
    'limit.tif !== "Alo"',
  ),
  one(
    "a late lost answer opens an operation that has ended",
    "src/settle/operation/operation.ts",
    "if (!updateAttempt(world.store, attempt, change)) return true;",
    "updateAttempt(world.store, attempt, change);",
  ),
  one(
    "what a refused modify was to place is not looked for",
    "src/settle/modify/pursue-modify.ts",
    'replacement.state === "absent" && !pursuit.isRefusedLookedFor',
    'replacement.state === "absent" && pursuit.isRefusedLookedFor',
  ),
  one(
    "an answer forgets what is known of its number",
    "src/store/orders.ts",
    "seal: sql`coalesce(",
    "seal: sql`nullif(",
  ),
  one("a list takes back cancels of other legs", SHOWN_SINCE, " || !isAimedAt(attempt, leg)) continue;", ") continue;"),
  one("a trigger that is listed again rests", SHOWN_SINCE, "isArmed: shown.isTrigger }", "isArmed: false }"),
  one(
    "a bot's cancel-all takes orders of elsewhere",
    CANCELER,
    'return cause === "asked" && touches === "all" && outsideAtMs === null;',
    'return cause === "asked" && outsideAtMs === null;',
  ),
  one(
    "a cancel-all stays done although an order of it lives",
    CANCELER,
    "  if (row.doneAtMs === null || remainingOf(world, row).length === 0) return;",
    "  if (row.doneAtMs !== null || remainingOf(world, row).length === 0) return;",
  ),
  one("a close takes away what rests at a price", CLOSER, "  if (order.trigger === null) return false;\n", ""),
  one(
    "stopped stays said although an order lives again",
    STOPPER,
    "if (stop.stoppedAtMs === null || isNothing(",
    "if (stop.stoppedAtMs !== null || isNothing(",
  ),
  one(
    "a flattening that has ended sends one more order",
    FLATTEN_STEP,
    "now.endedAtMs !== null || now.askedAtMs",
    "now.askedAtMs",
  ),
  one(
    "a flattening's order goes to the market that took the place",
    FLATTEN_STEP,
    "if (listedAssetId(world, { market: listed.name }) !== listed.assetId) return null;",
    "",
  ),
  one(
    "a stop of another account withdraws an entry",
    STOPS,
    "and(eq(stops.accountId, accountId), isBetween)",
    "isBetween",
  ),
  one(
    "a narrowing that cannot be read narrows nothing",
    NARROWINGS,
    'parsed.kind === "narrowing" ? parsed.narrowing : NOTHING',
    'parsed.kind === "narrowing" ? parsed.narrowing : {}',
  ),
  one(
    "a day that was given back cannot be counted as used again",
    TRIPS,
    'trip.cause === "restored" && trip.clearedAtMs === null',
    'trip.cause === "restored"',
  ),
  one(
    "a mark of minutes ago says that a trigger has fired",
    RAILS_FACTS,
    "return known === null || known.ageMs > LAST_PRICE_MAX_AGE_MS ? null : known.value.mark;",
    "return known === null ? null : known.value.mark;",
  ),
  one(
    "an open outcome of another account keeps a hook waiting",
    ONE_OUTCOME,
    " || whose !== accountId) return false;",
    ") return false;",
  ),
  one(
    "triggers fire on the other side",
    GATE,
    'const firesBelow = (trigger.tpsl === "sl") !== order.b;',
    'const firesBelow = (trigger.tpsl === "sl") === order.b;',
  ),
  one(
    "our wall clock is believed to have gone on evenly since an order was taken for over",
    "src/settle/record/noted-time.ts",
    "Math.max(aheadNowMs(world), ...aheadAtNumbers(world.store, id))",
    "Math.min(aheadNowMs(world), Math.max(aheadNowMs(world), ...aheadAtNumbers(world.store, id)))",
  ),
  one(
    "another's order hides for good that one which nothing has named is over",
    "src/settle/look/look.ts",
    '(seen.kind === "foreign" && oid === null && !seen.difference.mayBeOurs)',
    '(seen.kind === "foreign" && oid !== null && !seen.difference.mayBeOurs)',
  ),
  one(
    "whose an order was is forgotten with the record that told it",
    "src/settle/look/apply-sight.ts",
    "return leg.oid !== oid && hasNote",
    "return leg.oid === oid && hasNote",
  ),
  one(
    "what is filled whole is told to be open by a record of before that",
    "src/settle/look/look.ts",
    "if (compare(filled.size, sought.leg.size) >= 0)",
    "if (compare(filled.size, sought.leg.size) > 0)",
  ),
  one("an unknown order says nothing of why", "src/core/order-of-legs.ts", "(words ?? LOOKED_UP)", "words"),
  one(
    "a regular look does not ask for one that another's order stands for",
    "src/settle/look/look-beyond-record.ts",
    "!isMissedBy(sight, leg)",
    'sight.kind !== "not_found"',
  ),
  one(
    "another's order in a list keeps one alive that nothing has named",
    "src/settle/evidence/vanished.ts",
    "?.mayBeOurs !== false;",
    "!== undefined;",
  ),
  one(
    "any fill of an original says that its modify has left it open",
    "src/settle/modify/original.ts",
    "isOwn(fill) && fill.timeMs > endsAtMs(attempt)",
    "isOwn(fill)",
  ),
  one(
    "what a cancel does not find under an id that another has is a word about ours",
    "src/settle/cancel/pursue-cancel.ts",
    'const word = seen.kind === "foreign" ? null : cancelsWord(',
    "const word = cancelsWord(",
  ),
];
