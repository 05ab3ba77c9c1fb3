/**
 * Bots: who placed what, whichever of its keys asked, and what each holds and has done. The books are written inside the
 * transaction that learns of a fill, from the orders' own rows.
 */
import { eq, sql } from "drizzle-orm";
import {
  addTo,
  type Decimal,
  decimal,
  exact,
  isZero,
  negate,
  plus,
  subtract,
  textOf,
  times,
  ZERO,
} from "../core/decimal.ts";
import type { Side } from "../core/order.ts";
import type { LimitedGrant } from "../core/rails/limited-grant.ts";
import { dayOf } from "../core/rails/trip.ts";
import { signedSize } from "../core/signed-size.ts";
import type { Stop } from "../core/stop.ts";
import { findApiKey, type KeyRow, limitedGrantOf, listKeyRows } from "./api-keys.ts";
import { type BotBook, type BotDay, bookOf, dayIn, putDay, putNet } from "./bot-books.ts";
import { bookCash } from "./day-markets.ts";
import { type FilledAt, noteJustFilled } from "./just-filled.ts";
import { momentNow } from "./leg-moments.ts";
import type { Store } from "./open.ts";
import type { StoredOrder } from "./orders.ts";
import { columnsOf, prepared } from "./prepared.ts";
import { rememberedAsSettled } from "./remembered.ts";
import { type BotName, rememberedOfBot } from "./remembered-of-bot.ts";
import { orders } from "./schema.ts";
import { findSealed, hasSealedRows, listSealed } from "./sealed-rows.ts";

/** Name of the bot that a key belongs to; null for a plain key. What became of its row does not matter. */
export function botOf(store: Store, keyHash: string | null): string | null {
  if (keyHash === null) return null;
  const known = findApiKey(store, keyHash);
  const granted = known === null ? sealedGrantOf(store, keyHash) : known.limited;
  return granted?.rails.bot ?? null;
}

function sealedGrantOf(store: Store, keyHash: string): LimitedGrant | null {
  const content = findSealed(store, "key", keyHash);
  return content === null ? null : grantIn(content);
}

/** Only `contentOfKey` makes what is sealed; plain keys have no such member there. */
function grantIn(content: string): LimitedGrant | null {
  const { limitedGrant = null, keyHash } = JSON.parse(content) as Pick<KeyRow, "keyHash"> & Partial<KeyRow>;
  return limitedGrantOf({ keyHash, limitedGrant });
}

/** Whose stop it is; null for one of the account, or of a plain key. */
export function botOfStop(store: Store, { scope, keyHash }: Pick<Stop, "keyHash" | "scope">): string | null {
  return scope === "bot" ? botOf(store, keyHash) : null;
}

/** All grants of a bot, the newest first: its rails are those of the first. */
export function listBotGrants(store: Store, accountId: string, bot: string): readonly LimitedGrant[] {
  return grantsOf.find(store, { accountId, bot }) ?? [];
}

/** Names of all bots of an account that were ever granted a key. */
export function listBots(store: Store, accountId: string): string[] {
  const own = grantsIn(store).filter((grant) => grant.accountId === accountId);
  return [...new Set(own.map(({ rails }) => rails.bot))];
}

const grantsOf = rememberedOfBot<readonly LimitedGrant[]>((store, { accountId, bot }) => {
  const own = grantsIn(store).filter((grant) => grant.accountId === accountId && grant.rails.bot === bot);
  return own.sort((a, b) => b.issuedAtMs - a.issuedAtMs);
}, rememberedAsSettled);

function grantsIn(store: Store): LimitedGrant[] {
  const grants = hasSealedRows(store)
    ? listSealed(store, "key").map(([, content]) => grantIn(content))
    : listKeyRows(store).map(limitedGrantOf);
  return grants.flatMap((grant) => grant ?? []);
}

/** What a bot holds by its own fills, by market; none that is flat. As it is at this moment: what is booked changes it. */
export function listBotNets(store: Store, accountId: string, bot: string): ReadonlyMap<string, Decimal> {
  return bookOf(store, { accountId, bot }).nets;
}

/** What a bot has done on the UTC day of this moment. */
export function findBotDay(store: Store, of: BotName, atMs: number): BotDay {
  return dayIn(store, bookOf(store, of), dayOf(atMs)).own;
}

/** Notes the fees of a bot's day; there may be no row of it yet. */
export function noteFees(store: Store, { day, ...of }: BotName & { day: number }, fees: Decimal): void {
  const book = bookOf(store, of);
  putDay(store, book, day, { ...dayIn(store, book, day).own, fees });
}

type DayTotals = Pick<BotDay, "turnover" | "actions">;

/** Adds to that. */
export function addToBotDay(store: Store, of: BotName, done: DayTotals & { atMs: number }): void {
  addToDay(store, bookOf(store, of), dayOf(done.atMs), done);
}

function addToDay(store: Store, book: BotBook, day: number, { turnover, actions }: DayTotals): void {
  const before = dayIn(store, book, day).own;
  const sum = { turnover: addTo(before.turnover, turnover), actions: before.actions + actions, fees: before.fees };
  putDay(store, book, day, sum);
}

/** What of an order is filled, as its row has it. */
export type FilledPart = Pick<StoredOrder, "filledSize" | "averagePrice">;

const filledOf = prepared((store) =>
  store
    .select(columnsOf(orders, ["filledSize", "averagePrice"]))
    .from(orders)
    .where(eq(orders.id, sql.placeholder("id")))
    .prepare(),
);

/** For `orders`: what a bot's row says before it is changed; null for an order of no bot, of which there are no books. */
export function filledBefore(store: Store, { id, keyHash }: Pick<StoredOrder, "id" | "keyHash">): FilledPart | null {
  return botOf(store, keyHash) === null ? null : (filledOf(store).get({ id }) ?? null);
}

/** For `orders`: notes what has been filled of an order since its row said `before`, and books it where it is a bot's. */
export function bookFills(store: Store, order: StoredOrder, before: FilledPart): void {
  const bot = botOf(store, order.keyHash);
  const { accountId, market, side, reduceOnly, seenAtMs, createdAtMs } = order;
  const size = subtract(order.filledSize ?? ZERO, before.filledSize ?? ZERO);
  const atMs = seenAtMs ?? createdAtMs;
  noteJustFilled(store, { accountId, market }, { bot, side, reduceOnly, size, at: heardAt(store, atMs) });
  if (bot === null) return;
  const turnover = subtract(notionalOf(order), notionalOf(before));
  bookTrade(store, { accountId, bot, market }, { side, size, turnover, atMs });
}

/** Of this moment: where somebody counts moments, by a clock that nobody sets. */
function heardAt(store: Store, wallMs: number): FilledAt {
  const elapsedMs = momentNow(store);
  return elapsedMs === null ? { clock: "wall", atMs: wallMs } : { clock: "monotonic", atMs: elapsedMs };
}

/** What a bot has traded; `size` and `turnover` below zero for what is taken back, because it is another's. */
export type Booked = { side: Side; size: Decimal; turnover: Decimal; atMs: number };

/** Every fill of a bot moves its net, what only reduces as well: the nets of all bots, and what is nobody's, make up the account's position. */
export function bookTrade(store: Store, of: BotName & { market: string }, booked: Booked): void {
  const { side, size, turnover, atMs } = booked;
  const book = bookOf(store, of);
  const day = dayOf(atMs);
  if (!isZero(turnover)) addToDay(store, book, day, { turnover, actions: 0 });
  if (isZero(size)) return;
  const { market } = of;
  const held = book.nets.get(market) ?? ZERO;
  putNet(store, book, market, addTo(held, signedSize(side, size)));
  bookCash(store, book, { market, openNet: held, cash: negate(signedSize(side, turnover)), day });
}

/** What a purchase on spot cost was paid in what was bought: of that a bot holds so much less. */
export function bookFeeInKind(
  store: Store,
  { accountId, bot, market }: BotName & { market: string },
  fee: Decimal,
): void {
  const book = bookOf(store, { accountId, bot });
  putNet(store, book, market, subtract(book.nets.get(market) ?? ZERO, fee));
}

/** The average price is cut to 8 decimals: what is booked is never less than what was traded. */
const CUT = exact(decimal("0.00000001"));

function notionalOf({ filledSize, averagePrice }: FilledPart): Decimal {
  if (filledSize === null || averagePrice === null || isZero(filledSize)) return ZERO;
  return textOf(times(exact(filledSize), plus(exact(averagePrice), CUT)));
}
