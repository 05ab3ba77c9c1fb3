/** TWAPs of bots: what of them may still execute, and the fills of their slices, which are no order's. */
import { and, eq } from "drizzle-orm";
import { add, compare, type Decimal, decimal, multiply, negate, subtract, ZERO } from "../core/decimal.ts";
import { isPaidInKind } from "../core/market.ts";
import type { Operation } from "../core/operation.ts";
import type { Side } from "../core/order.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { type BotTwap, findBotTwap, forgetBotTwap, listBotTwaps, putBotTwap } from "./bot-twap-rows.ts";
import { bookFeeInKind, bookTrade, botOf } from "./bots.ts";
import { noteJustFilled } from "./just-filled.ts";
import type { Store } from "./open.ts";
import { fills } from "./schema.ts";

type TwapFill = Pick<
  typeof fills.$inferSelect,
  "accountId" | "twapId" | "market" | "side" | "size" | "price" | "fee" | "feeToken" | "timeMs"
>;

type TwapAskedFor = { side: Side; size: string; duration_minutes: number; reduce_only: boolean };
type MadeOperation = Pick<Operation, "id" | "accountId" | "action" | "market" | "createdAtMs"> & {
  parameters: string;
  keyHash: string | null;
};

/** Our own text: what `create-twap` has put there. */
function askedIn({ parameters }: Pick<MadeOperation, "parameters">): TwapAskedFor {
  return JSON.parse(parameters) as TwapAskedFor;
}

/** For `operations`, with the row of what is about to be signed: from here on it may execute. */
export function expectBotTwap(store: Store, operation: MadeOperation): void {
  const bot = operation.action === "twap" ? botOf(store, operation.keyHash) : null;
  if (bot === null) return;
  const { id: operationId, accountId, market, createdAtMs } = operation;
  const { side, size, duration_minutes: durationMinutes, reduce_only: reduceOnly } = askedIn(operation);
  putBotTwap(store, {
    operationId,
    accountId,
    bot,
    market,
    side,
    size: decimal(size),
    reduceOnly,
    durationMinutes,
    createdAtMs,
    twapId: null,
    filledSize: ZERO,
  });
}

/** For `operations`: what has become known of one. Fills that were known before its native id are booked with that. */
export function heedTwapNews(
  store: Store,
  { id, status, exchangeId }: Pick<Operation, "id" | "status" | "exchangeId">,
) {
  const twap = findBotTwap(store, id);
  if (twap === null) return;
  if (twap.twapId !== exchangeId) {
    bookAll(store, twap, "back");
    bookAll(store, { ...twap, twapId: exchangeId, filledSize: ZERO }, "in");
  }
  if (status === "rejected") forgetBotTwap(store, id);
}

/** Books what is known of one whose operation stays without a native id, under that which its bot has it by; once. */
export function nameInBooks(store: Store, operationId: string, twapId: string): void {
  const twap = findBotTwap(store, operationId);
  if (twap?.twapId === null) bookAll(store, { ...twap, twapId }, "in");
}

/** For `fills`: books a fill that has just become known, where it is of a bot's TWAP. */
export function bookTwapFill(store: Store, fill: TwapFill): void {
  if (fill.twapId === null) return;
  const twap = listBotTwaps(store, fill.accountId).find(({ twapId }) => twapId === fill.twapId);
  if (twap !== undefined) book(store, { twap, fill, way: "in" });
}

/** Such a fill is noted with the bot's. */
export function isOfBotTwap(store: Store, { accountId, twapId }: Pick<TwapFill, "accountId" | "twapId">): boolean {
  return twapId !== null && listBotTwaps(store, accountId).some((twap) => twap.twapId === twapId);
}

type Way = "in" | "back";

function bookAll(store: Store, twap: BotTwap, way: Way): void {
  const { accountId, twapId } = twap;
  const isOfTwap = and(eq(fills.accountId, accountId), eq(fills.twapId, twapId ?? ""));
  const known = twapId === null ? [] : store.select().from(fills).where(isOfTwap).all();
  let booked = twap;
  for (const fill of known) booked = book(store, { twap: booked, fill, way });
  putBotTwap(store, booked);
}

function book(store: Store, { twap, fill, way }: { twap: BotTwap; fill: TwapFill; way: Way }): BotTwap {
  const signed = (amount: Decimal) => (way === "in" ? amount : negate(amount));
  const { accountId, bot, reduceOnly } = twap;
  const { market, side, timeMs: atMs } = fill;
  const size = signed(fill.size);
  const turnover = signed(multiply(fill.size, fill.price));
  noteJustFilled(store, { accountId, market }, { bot, side, reduceOnly, size, at: { clock: "exchange", atMs } });
  bookTrade(store, { accountId, bot, market }, { side, size, turnover, atMs });
  if (isPaidInKind(fill)) bookFeeInKind(store, { accountId, bot, market }, signed(fill.fee));
  const booked = { ...twap, filledSize: add(twap.filledSize, size) };
  putBotTwap(store, booked);
  return booked;
}

/** What of them may still execute. */
export function listTwapLegs(store: Store, accountId: string): readonly OpenLeg[] {
  const twaps = listBotTwaps(store, accountId);
  // As most often, and asked with each order.
  if (twaps.length === 0) return NONE;
  return twaps.flatMap(({ operationId, size, filledSize, ...terms }) =>
    compare(filledSize, size) >= 0 ? [] : [legOf(operationId, terms, subtract(size, filledSize))],
  );
}

const NONE: readonly OpenLeg[] = [];

/** What of one may execute that is in no books, because it was told as refused. */
export function twapLeg(store: Store, operation: MadeOperation): OpenLeg {
  const { side, size, reduce_only: reduceOnly } = askedIn(operation);
  const terms = { market: operation.market, side, reduceOnly, bot: botOf(store, operation.keyHash) };
  return legOf(operation.id, terms, decimal(size));
}

type TwapTerms = Pick<OpenLeg, "market" | "side" | "bot"> & { reduceOnly: boolean };

function legOf(id: string, { market, side, reduceOnly, bot }: TwapTerms, remaining: Decimal): OpenLeg {
  const leg = { market, side, canOnlyReduce: reduceOnly, bot, remaining, isUnheard: false, isInFlight: false };
  return { ...leg, mayRest: false, orderId: id, cloid: id, price: null, triggerPrice: null, triggerKind: null };
}
