import type { Decimal } from "../../core/decimal.ts";
import {
  integer,
  integerOf,
  integerOrNull,
  money,
  moneyOf,
  moneyOrNull,
  oneOf,
  orNull,
  rows,
  rowsOf,
  type Source,
  source,
  sourceOf,
  sourceOrNull,
  text,
  timeMs,
  timeMsOrNull,
} from "./read.ts";
import { isWhole } from "./state-sums.ts";

export type MarginSummary = {
  accountValue: Decimal;
  /** Sum of position values. */
  totalNotional: Decimal;
  totalRawUsd: Decimal;
  totalMarginUsed: Decimal;
};

export type Leverage = {
  type: "cross" | "isolated";
  value: number;
  /** Cash of an isolated position, entry leg included; null for cross. */
  rawUsd: Decimal | null;
};

export type Position = {
  coin: string;
  /** Negative is short. */
  signedSize: Decimal;
  leverage: Leverage;
  entryPrice: Decimal | null;
  positionValue: Decimal;
  unrealizedPnl: Decimal;
  returnOnEquity: Decimal;
  liquidationPrice: Decimal | null;
  marginUsed: Decimal;
  maxLeverage: number;
  /** Positive is paid. */
  fundingSinceOpen: Decimal;
};

export type ClearinghouseState = {
  marginSummary: MarginSummary;
  crossMarginSummary: MarginSummary;
  crossMaintenanceMarginUsed: Decimal;
  withdrawable: Decimal;
  positions: Position[];
  /** Exchange time of the state, unix milliseconds. */
  timeMs: number;
};

/** Answer of `clearinghouseState`, or null when unreadable, or where its positions are not those that its sums are of. */
export function parseClearinghouseState(json: unknown): ClearinghouseState | null {
  return orNull(() => {
    const from = sourceOf(json);
    const state = {
      marginSummary: marginSummary(source(from, "marginSummary")),
      crossMarginSummary: marginSummary(source(from, "crossMarginSummary")),
      crossMaintenanceMarginUsed: money(from, "crossMaintenanceMarginUsed"),
      withdrawable: money(from, "withdrawable"),
      positions: rows(from, "assetPositions", (row) => position(source(sourceOf(row), "position"))),
      timeMs: timeMs(from, "time"),
    };
    if (!isWhole(state)) throw new Error("unreadable: assetPositions");
    return state;
  });
}

function marginSummary(from: Source): MarginSummary {
  return {
    accountValue: money(from, "accountValue"),
    totalNotional: money(from, "totalNtlPos"),
    totalRawUsd: money(from, "totalRawUsd"),
    totalMarginUsed: money(from, "totalMarginUsed"),
  };
}

function position(from: Source): Position {
  const funding = sourceOrNull(from, "cumFunding");
  return {
    coin: text(from, "coin"),
    signedSize: money(from, "szi"),
    leverage: leverage(source(from, "leverage")),
    entryPrice: moneyOrNull(from, "entryPx"),
    positionValue: money(from, "positionValue"),
    unrealizedPnl: money(from, "unrealizedPnl"),
    returnOnEquity: money(from, "returnOnEquity"),
    liquidationPrice: moneyOrNull(from, "liquidationPx"),
    marginUsed: money(from, "marginUsed"),
    maxLeverage: integer(from, "maxLeverage"),
    fundingSinceOpen: funding === null ? moneyOf("0") : money(funding, "sinceOpen"),
  };
}

function leverage(from: Source): Leverage {
  const type = oneOf(from, "type", ["cross", "isolated"]);
  return { type, value: integer(from, "value"), rawUsd: moneyOrNull(from, "rawUsd") };
}

export type SpotBalance = {
  coin: string;
  /** Null for outcome tokens. */
  token: number | null;
  total: Decimal;
  hold: Decimal;
  /** What was paid for it. */
  entryNotional: Decimal;
};

/** Balances of `spotClearinghouseState`, or null when unreadable. */
export function parseSpotState(json: unknown): SpotBalance[] | null {
  return orNull(() =>
    rows(sourceOf(json), "balances", (row) => {
      const from = sourceOf(row);
      return {
        coin: text(from, "coin"),
        token: integerOrNull(from, "token"),
        total: money(from, "total"),
        hold: money(from, "hold"),
        entryNotional: moneyOrNull(from, "entryNtl") ?? moneyOf("0"),
      };
    }),
  );
}

export type AccountMode = "standard" | "unified" | "portfolio_margin";

const MODES = new Map<unknown, AccountMode>([
  ["default", "standard"],
  ["disabled", "standard"],
  ["dexAbstraction", "standard"],
  ["unifiedAccount", "unified"],
  ["portfolioMargin", "portfolio_margin"],
]);

/** Answer of `userAbstraction`, or null for a mode that we do not know. */
export function parseAccountMode(json: unknown): AccountMode | null {
  return MODES.get(json) ?? null;
}

export type ActiveAssetData = {
  coin: string;
  leverage: Leverage;
  /** Largest size that could be bought, sold. */
  maxTradeSizes: readonly [Decimal, Decimal];
  availableToTrade: readonly [Decimal, Decimal];
  markPrice: Decimal | null;
};

/** Answer of `activeAssetData`, or null when unreadable. */
export function parseActiveAssetData(json: unknown): ActiveAssetData | null {
  return orNull(() => {
    const from = sourceOf(json);
    return {
      coin: text(from, "coin"),
      leverage: leverage(source(from, "leverage")),
      maxTradeSizes: pair(from, "maxTradeSzs"),
      availableToTrade: pair(from, "availableToTrade"),
      markPrice: moneyOrNull(from, "markPx"),
    };
  });
}

function pair(from: Source, key: string): readonly [Decimal, Decimal] {
  const [buy, sell] = rows(from, key, moneyOf);
  return [moneyOf(buy), moneyOf(sell)];
}

/** How many actions the account has used of those it may send. */
export type RateLimit = {
  cumulativeVolume: Decimal;
  requestsUsed: number;
  requestsCap: number;
  requestsSurplus: number;
};

/** Answer of `userRateLimit`, or null when unreadable. */
export function parseRateLimit(json: unknown): RateLimit | null {
  return orNull(() => {
    const from = sourceOf(json);
    return {
      cumulativeVolume: money(from, "cumVlm"),
      requestsUsed: integer(from, "nRequestsUsed"),
      requestsCap: integer(from, "nRequestsCap"),
      requestsSurplus: integerOrNull(from, "nRequestsSurplus") ?? 0,
    };
  });
}

export type ExtraAgent = { name: string; address: string; validUntilMs: number | null };

/** Named agents of `extraAgents` (the unnamed one is not in it; expired ones may be for a while); null when unreadable. */
export function parseExtraAgents(json: unknown): ExtraAgent[] | null {
  return orNull(() =>
    rowsOf(json, (row) => {
      const from = sourceOf(row);
      const validUntilMs = timeMsOrNull(from, "validUntil");
      return { name: text(from, "name"), address: text(from, "address").toLowerCase(), validUntilMs };
    }),
  );
}

/** Answer of `subAccounts`: how many there are; null when unreadable. */
export function countSubAccounts(json: unknown): number | null {
  // An account without any is answered null.
  return json === null ? 0 : orNull(() => rowsOf(json, sourceOf).length);
}

/** Answer of `maxBuilderFee`: tenths of a basis point, 0 for none; null when unreadable. */
export function parseMaxBuilderFee(json: unknown): number | null {
  return orNull(() => integerOf(json));
}

export type UserRole =
  | { role: "missing" | "user" | "vault" }
  | { role: "agent"; user: string }
  | { role: "subAccount"; master: string };

/** Answer of `userRole`, or null when unreadable. */
export function parseUserRole(json: unknown): UserRole | null {
  return orNull((): UserRole => {
    const from = sourceOf(json);
    const role = oneOf(from, "role", ["missing", "user", "vault", "agent", "subAccount"]);
    if (role === "agent") return { role, user: text(source(from, "data"), "user").toLowerCase() };
    if (role === "subAccount") return { role, master: text(source(from, "data"), "master").toLowerCase() };
    return { role };
  });
}

/** Exchange time of `exchangeStatus`, unix milliseconds; null when unreadable. */
export function parseExchangeTime(json: unknown): number | null {
  return orNull(() => timeMs(sourceOf(json), "time"));
}
