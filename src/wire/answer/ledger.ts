/** What an account was paid for its positions, and what else has changed its balances. */
import { add, type Decimal, negate, ZERO } from "../../core/decimal.ts";
import {
  integerOrNull,
  money,
  moneyOrNull,
  orNull,
  rowsOf,
  type Source,
  source,
  sourceOf,
  text,
  textOrNull,
  timeMs,
} from "./read.ts";

export type FundingPayment = {
  timeMs: number;
  hash: string;
  coin: string;
  /** USD; negative where the account has paid. */
  amount: Decimal;
  /** Of the account at that time; negative is short. */
  position: Decimal;
  rate: Decimal;
  /** Hours that are told as one; null for one. */
  samples: number | null;
};

/** Answer of `userFunding`, at most 500 rows, oldest first; null when unreadable. */
export function parseFunding(json: unknown): FundingPayment[] | null {
  return orNull(() => rowsOf(json, fundingPayment));
}

function fundingPayment(value: unknown): FundingPayment {
  const from = sourceOf(value);
  const delta = source(from, "delta");
  return {
    timeMs: timeMs(from, "time"),
    hash: text(from, "hash"),
    coin: text(delta, "coin"),
    amount: money(delta, "usdc"),
    position: money(delta, "szi"),
    rate: money(delta, "fundingRate"),
    samples: integerOrNull(delta, "nSamples"),
  };
}

export type LedgerUpdate = {
  timeMs: number;
  hash: string;
  /** The exchange's own word: `deposit`, `withdraw`, `send` and so on; it may be a new one. */
  kind: string;
  token: string | null;
  /** Of the token, as the exchange tells it: without a sign. */
  amount: Decimal | null;
  fee: Decimal | null;
  /** USD by which it has changed what the account is worth; null where that is not told. */
  value: Decimal | null;
  /** The other side's address. */
  counterparty: string | null;
  /** JSON, as it was told. */
  told: string;
};

/** Answer of `userNonFundingLedgerUpdates` about this address, at most 500 rows, oldest first; null when unreadable. */
export function parseLedger(json: unknown, user: string): LedgerUpdate[] | null {
  return orNull(() => rowsOf(json, (row) => ledgerUpdate(sourceOf(row), user)));
}

function ledgerUpdate(from: Source, user: string): LedgerUpdate {
  const delta = source(from, "delta");
  const sender = textOrNull(delta, "user")?.toLowerCase() ?? null;
  const destination = textOrNull(delta, "destination")?.toLowerCase() ?? null;
  const other = sender === user ? destination : sender;
  return {
    timeMs: timeMs(from, "time"),
    hash: text(from, "hash"),
    kind: text(delta, "type"),
    token: textOrNull(delta, "token") ?? (Object.hasOwn(delta, "usdc") ? "USDC" : null),
    amount: orNull(() => moneyOrNull(delta, "usdc") ?? moneyOrNull(delta, "amount")),
    fee: orNull(() => moneyOrNull(delta, "fee")),
    // A kind that is told in another shape than it used to be is kept, without what it was worth.
    value: orNull(() => worthOf(delta, { user, sender, destination })),
    counterparty: other === user ? null : other,
    told: JSON.stringify(delta),
  };
}

type Sides = Record<"sender" | "destination", string | null> & { user: string };

function worthOf(delta: Source, sides: Sides): Decimal | null {
  switch (text(delta, "type")) {
    case "deposit":
    case "vaultDistribution":
    case "vaultLeaderCommission":
      return money(delta, "usdc");
    case "withdraw":
    case "vaultCreate":
      return negate(add(money(delta, "usdc"), feeOf(delta)));
    case "vaultDeposit":
      return negate(money(delta, "usdc"));
    case "vaultWithdraw":
      return money(delta, "netWithdrawnUsd");
    // What moves within an account changes nothing, and what a liquidation costs its fills tell.
    case "accountClassTransfer":
    case "activateDexAbstraction":
    case "liquidation":
      return ZERO;
    case "internalTransfer":
    case "subAccountTransfer":
      return movedValue(money(delta, "usdc"), feeOf(delta), sides);
    case "spotTransfer":
    case "send":
      return isValued(delta) ? movedValue(money(delta, "usdcValue"), feeOf(delta), sides) : null;
    default:
      return null;
  }
}

/** Who sends pays the fee. */
function movedValue(value: Decimal, fee: Decimal, { user, sender, destination }: Sides): Decimal | null {
  if (sender === user && destination === user) return negate(fee);
  if (sender === user) return negate(add(value, fee));
  return destination === user ? value : null;
}

/** A token without a price is worth something all the same, and a fee in a token is no number of dollars. */
function isValued(delta: Source): boolean {
  const feeToken = textOrNull(delta, "feeToken") ?? "";
  const isFeeInUsd = feeToken === "" || feeToken === "USDC" || feeOf(delta) === ZERO;
  return isFeeInUsd && (money(delta, "usdcValue") !== ZERO || money(delta, "amount") === ZERO);
}

function feeOf(delta: Source): Decimal {
  return moneyOrNull(delta, "fee") ?? ZERO;
}
