import { type Mutant, one } from "./mutant.ts";

const RAILS_FACTS = "src/write/rails-facts.ts";
const LEVERAGE_FACTS = "src/write/leverage-facts.ts";
const ONE_OUTCOME = "src/write/one-outcome.ts";
const GATE = "src/write/gate.ts";
const GIVE_BACK = "src/write/give-back.ts";
const ADOPT = "src/write/adopt.ts";
const BOT_LIMITS = "src/actions/bot-limits.ts";
const LEFT = "src/core/rails/left.ts";
const DAY_LOSS = "src/write/day-loss.ts";
const WATCH_LOSSES = "src/write/watch-losses.ts";
const TWAP_ENDS = "src/write/twap-ends.ts";
const OPEN_ORDER_RESERVE = "src/write/open-order-reserve.ts";
const OPEN_LEG_BOOK = "src/store/open-leg-book.ts";
const NONCES = "src/store/nonces.ts";
const ATTEMPTS = "src/store/attempts.ts";
const LEGS = "src/store/legs.ts";
const REFUSED_BOOK = "src/store/refused-book.ts";
const POSITION_FILLS = "src/store/position-fills.ts";
const COMMIT = "src/store/commit.ts";
const STOPS = "src/store/stops.ts";
const CHECKPOINTS = "src/store/checkpoints.ts";
const JUST_FILLED = "src/store/just-filled.ts";

/** Bugs of one line in what a write is judged by, in its last word, and in rows that are kept. */
export const FACTS: readonly Mutant[] = [
  one(
    "prices of what a bot holds elsewhere are asked for only where every sum is granted",
    RAILS_FACTS,
    "const isAlone = isReduction || sums.every((rail) => rail === null);",
    "const isAlone = isReduction || sums.some((rail) => rail === null);",
  ),
  one(
    "a position is asked for in the exchange's own dex",
    RAILS_FACTS,
    "const dex = dexOf(market);\n  const read = await deps.reads.clearinghouse(",
    'const dex = "";\n  const read = await deps.reads.clearinghouse(',
  ),
  one(
    "a position that was shown long ago is the account's",
    RAILS_FACTS,
    "return ageMs <= settings.timings.maxReadAgeMs ? known.value : null;",
    "return ageMs <= 100 * settings.timings.maxReadAgeMs ? known.value : null;",
  ),
  one(
    "what another was just filled is held only once the position shows it",
    RAILS_FACTS,
    "return filledMs >= sinceMs && Math",
    "return filledMs < sinceMs && Math",
  ),
  one(
    "what another was filled before our clock was set back is just filled for as long",
    RAILS_FACTS,
    "filledMs >= sinceMs && Math.abs(nowMs - filledMs) <= KEPT_MS;",
    "filledMs >= sinceMs;",
  ),
  one(
    "what only reduces and was just filled opens a position",
    JUST_FILLED,
    "const isMoved = bot === of.bot || !reduceOnly;",
    "const isMoved = true;",
  ),
  one(
    "what a bot itself was just filled is in an older position as well",
    JUST_FILLED,
    "const isMoved = bot === of.bot || !reduceOnly;",
    "const isMoved = bot !== of.bot && !reduceOnly;",
  ),
  one(
    "what others have closed since a position was told is not asked for",
    RAILS_FACTS,
    "const { buys, sells } = movedOf(deps, of);",
    'const { buys, sells } = justFilledOf(deps, { ...of, bot: "" });',
  ),
  one(
    "what others have closed since does not move a position",
    JUST_FILLED,
    "({ at }) => isAsked(at));",
    "({ at, reduceOnly }) => !reduceOnly && isAsked(at));",
  ),
  one(
    "a batch that a position of before refuses is not judged by one of after",
    GATE,
    "isToRead ||= error.isToRead;",
    "isToRead = false;",
  ),
  one(
    "what was just filled is kept for good",
    JUST_FILLED,
    "Math.abs(one.atMs - other.atMs) <= KEPT_MS;",
    "one.atMs <= other.atMs;",
  ),
  one(
    "a leverage that was read once is known for ever",
    LEVERAGE_FACTS,
    "const read = last !== null && nowMs - last.timeMs <= SETTING_STANDS_MS ? last : null;",
    "const read = last;",
  ),
  one(
    "a leverage that was shown with a position of before is known",
    LEVERAGE_FACTS,
    "const held = isFresh && position !== undefined ?",
    "const held = state !== null && position !== undefined ?",
  ),
  one(
    "changes of leverage are found by a clock that may be another than the exchange's",
    "src/store/operations.ts",
    "storedSinceMs: sinceMs - CLOCK_OFF_MS",
    "storedSinceMs: sinceMs",
  ),
  one(
    "the last change of a margin is the one that our clock dates last",
    "src/settle/operation/margin.ts",
    "\n    .sort((one, other) => newestOf(other) - newestOf(one));",
    ";",
  ),
  one(
    "what names no time is dated by a head in whatever unit",
    "src/wire/answer/account-frame.ts",
    'timeMs(from, "serverTime")',
    'Number(from["serverTime"])',
  ),
  one(
    "a history of TWAPs in milliseconds is read as one in seconds",
    "src/wire/answer/twap.ts",
    'timeS: timeS(from, "time")',
    'timeS: Number(from["time"])',
  ),
  one(
    "what the operator has given up holds a bot on",
    ONE_OUTCOME,
    " && order.releasedAtMs === null && isOwn(order)",
    " && isOwn(order)",
  ),
  one(
    "a key that has expired since it was let in places an order",
    GATE,
    "if (clock.nowMs() >= expiresAtMs)",
    "if (clock.nowMs() > expiresAtMs + 60_000)",
  ),
  one(
    "a write vanishes though somebody was told of it",
    GIVE_BACK,
    "  if (deps.running.isTold(attempt.accountId, attempt.idempotencyKey)) return false;\n",
    "",
  ),
  one(
    "an order vanishes though a cancel acts on it",
    GIVE_BACK,
    "return listAttemptsOf(deps.store, attempt.resource.id).every((each) => each.id === attempt.id);",
    "return true;",
  ),
  one(
    "an account that waits after a restore takes orders",
    ADOPT,
    "const isWaiting = awaitsTakeUp(store, keyRecord.accountId) && keyRecord.route !== CANCEL;",
    "const isWaiting = false;",
  ),
  one(
    "what is held without a price loses nothing",
    DAY_LOSS,
    "const valued = [...known, ...fresh].map(",
    "const valued = known.concat(fresh.slice(fresh.length)).map(",
  ),
  one(
    "a loss has the fees of another day",
    DAY_LOSS,
    "findBotDay(store, of, nowMs).fees",
    "findBotDay(store, of, 0).fees",
  ),
  one(
    "funding is that of the exchange's own dex",
    WATCH_LOSSES,
    "picture.state(account.tradingAddress, dexOf(row.market))",
    'picture.state(account.tradingAddress, "")',
  ),
  one(
    "a TWAP is over by its history while fills of its time may be missing",
    TWAP_ENDS,
    "findWholeTo(store, account.id, createdAtMs - CLOCK_DOUBT_MS);",
    "deps.exchange.nowMs();",
  ),
  one(
    "a batch adds one open order",
    OPEN_ORDER_RESERVE,
    "if (live + elsewhere + count <= most) return;",
    "if (live + elsewhere + Math.min(count, 1) <= most) return;",
  ),
  one(
    "orders that were placed elsewhere in another dex do not count",
    OPEN_ORDER_RESERVE,
    'const lists = ["", ...settings.dexes].map(',
    'const lists = [""].map(',
  ),
  one(
    "a trigger that has fired is valued at its trigger",
    OPEN_LEG_BOOK,
    'leg.state === "resting" ? null : leg.trigger',
    "leg.trigger",
  ),
  one(
    "an agent that has signed nothing yet goes on below what a restore says",
    NONCES,
    "[...used, ...kept, ...ours]",
    "[...used, ...kept]",
  ),
  one(
    "beside a number that is out of reach one that was taken back is given out again",
    NONCES,
    "nonces = [newest, kept].filter((nonce) => nonce > 0 && nonce <= most)",
    "nonces = [newest].filter((nonce) => nonce > 0 && nonce <= most)",
  ),
  one(
    "what is known of an unused number is said again, and otherwise",
    ATTEMPTS,
    "  if (attempt.seal === null) writeChange(",
    "  writeChange(",
  ),
  one(
    "what may come by a copy is not read again when an attempt ends",
    ATTEMPTS,
    '  noteRefused(store);\n  if (attempt.kind === "modify")',
    '  if (attempt.kind === "modify")',
  ),
  one("what may come by a copy is not read again when a leg is told absent", LEGS, "  noteRefused(store);\n", ""),
  one(
    "a clock that was set back is told of what was read for a later moment",
    REFUSED_BOOK,
    "known !== undefined && known.expiresAfterMs <= expiresAfterMs",
    "known !== undefined",
  ),
  one(
    "fills that are older than is looked through say that nothing is held",
    POSITION_FILLS,
    "  if (inMarket.length === 0 && newest.length === MAX_LOOKED_THROUGH) return null;\n",
    "",
  ),
  one(
    "writing goes on after what was carried over could not be brought to the disk",
    CHECKPOINTS,
    'if (told.kind !== "not_on_disk") return null;',
    "if (told.kind !== null) return null;",
  ),
  one("the thread of checkpoints is asked again before it has answered", CHECKPOINTS, " || isCarrying", ""),
  one(
    "an intent is announced before it is on the disk",
    COMMIT,
    "  const { result, commit } = transact(store, work);\n  return { result, onDisk",
    "  const { result, commit } = transact(store, work);\n  announceEvents(store);\n  return { result, onDisk",
  ),
  one(
    "the end of one key withdraws what its bot's other keys have placed",
    STOPS,
    " || placedBy === null || endsOneKey(cause)) return false;",
    " || placedBy === null) return false;",
  ),
  one(
    "what is left is told by the books alone while nothing may increase",
    BOT_LIMITS,
    "headroomOf(rails, use, shownHalt(deps, key, rails))",
    "headroomOf(rails, use, shownHalt(deps, key, rails) === null ? null : null)",
  ),
  one("a bot that may not increase is told that it has room", BOT_LIMITS, "    haltByWords(rails),\n", ""),
  one(
    "a bot that is stopped is told that it has room",
    BOT_LIMITS,
    'findStopOf(store, key.accountId, key.keyHash) === null ? null : { cause: "stopped"',
    'findStopOf(store, key.accountId, key.keyHash) !== null ? null : { cause: "stopped"',
  ),
  one(
    "a key that has ended is told that it has room",
    BOT_LIMITS,
    'isEnded ? { cause: "key_ended", untilMs: null } : null,',
    "null,",
  ),
  one(
    "of two reasons the one that ends first is told",
    BOT_LIMITS,
    "known.find(({ untilMs }) => untilMs === null) ?? known[0] ?? null",
    "known[0] ?? null",
  ),
  one(
    "what may be a bot's is no part of what it has used",
    RAILS_FACTS,
    "held: heldIn(),\n",
    "held: heldIn(),\n    unprovenOf: () => null,\n",
  ),
  one(
    "what only reduces is no part of what a bot is told that it may come to",
    LEFT,
    "const size = worstIn(rails, books, own, market);",
    'const size = worstIn({ touches: "own" }, books, own, market);',
  ),
  one(
    "what is left of all positions is told at the dearest price of any order",
    LEFT,
    "(size === ZERO ? ZERO : judged)",
    "(size === ZERO ? ZERO : (positions.find((each) => each.size === size)?.most ?? judged))",
  ),
  one(
    "an order that is modified counts twice in how many are left",
    LEFT,
    "new Set(own.legs.map(({ orderId }) => orderId)).size",
    "own.legs.length",
  ),
  one(
    "every first leg is written into its order's row",
    LEGS,
    "if (isOwn && hasFirstLeg(store, leg.orderId))",
    "if (isOwn)",
  ),
  one(
    "a key that was passed on is still its order's",
    "src/store/placing-row.ts",
    "  isNotNull(orders.fingerprint),\n",
    "",
  ),
  one(
    "the answer of a placing's key is kept nowhere",
    "src/store/idempotency.ts",
    "isKeyOfPlacing(store, values) ? fixPlacingAnswer : fixAnswer",
    "isKeyOfPlacing(store, values) && answer.status === 200 ? fixPlacingAnswer : fixAnswer",
  ),
  one(
    "of all markets in which a bot holds something one is asked for its mark",
    WATCH_LOSSES,
    "const listed = markets.flatMap(",
    "const listed = markets.slice(0, 1).flatMap(",
  ),
];
