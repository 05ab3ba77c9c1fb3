/** What a bot has lost since 00:00 UTC, at mark: realised, fees, funding and what its positions have moved. Best effort. */
import { absolute, add, compare, type Decimal, divide, isZero, multiply, subtract, ZERO } from "../decimal.ts";

/** One market on one day. */
export type DayMarket = {
  market: string;
  /** Held when the day began; negative is short. */
  openNet: Decimal;
  /** The first mark that was known on that day; null before. */
  openMark: Decimal | null;
  /** What its own fills have brought; negative where they cost. In units of the quote, as all that follows. */
  cash: Decimal;
  /** What it has paid. */
  funding: Decimal;
};

/** `net`: what it holds now. `mark`: null where it is not known. */
export type Valued = DayMarket & { net: Decimal; mark: Decimal | null };

/** Negative for a gain. Null where a mark is missing that counts. */
export function lossOfDay(markets: readonly Valued[], fees: Decimal): Decimal | null {
  let loss = fees;
  for (const each of markets) {
    const gain = gainIn(each);
    if (gain === null) return null;
    loss = subtract(loss, gain);
  }
  return loss;
}

function gainIn({ net, openNet, mark, openMark, cash, funding }: Valued): Decimal | null {
  if (isZero(net) && isZero(openNet)) return subtract(cash, funding);
  // A day whose first mark is not known yet begins with this one.
  const opened = openMark ?? mark;
  if (mark === null || opened === null) return null;
  return subtract(add(cash, subtract(multiply(net, mark), multiply(openNet, opened))), funding);
}

/** Digits behind the point of what has to be divided. */
const SHARE_DECIMALS = 8;

export type FundingLook = {
  /** Of the account's position since it was opened, at the last look; null before. */
  before: Decimal | null;
  now: Decimal;
  /** Of the account; negative is short. */
  position: Decimal;
  /** Of the bot. */
  net: Decimal;
};

/** The bot's share of what the account has paid since the last look; what belongs to another side is none of it. */
export function fundingShare({ before, now, position, net }: FundingLook): Decimal {
  const isOwnSide = !isZero(net) && !isZero(position) && net.startsWith("-") === position.startsWith("-");
  // A position that was opened anew counts from zero.
  if (before === null || !isOwnSide || isZero(now)) return ZERO;
  const paid = subtract(now, before);
  if (compare(absolute(net), absolute(position)) >= 0) return paid;
  return divide(multiply(paid, net), position, SHARE_DECIMALS);
}
