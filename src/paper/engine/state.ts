/**
 * The whole state of the paper exchange as plain data. Every bigint is a count of 10^-8 (of a dollar, a token
 * or a price unit) unless its name ends in E12. Nothing here holds a clock, a socket or a function, so that a
 * snapshot is the state and a replay of the same inputs gives the same bytes.
 */
import type { EngineOptions } from "./options.ts";
import type { Pools } from "./pools.ts";

/** Lower-case 0x address. */
export type Address = string;

export type MarginTier = { lowerBound: bigint; maxLeverage: number };
export type MarginTable = { id: number; description: string; tiers: MarginTier[] };

/** `deployerFeeScaleE12`: 1.0 is 10^12. The validator dex has index 0 and the name "". */
export type PerpDex = {
  index: number;
  name: string;
  fullName: string;
  deployer: Address;
  feeRecipient: Address;
  deployerFeeScaleE12: bigint;
  collateralToken: number;
};

export type Token = {
  index: number;
  name: string;
  szDecimals: number;
  weiDecimals: number;
  tokenId: string;
  isCanonical: boolean;
  fullName: string | null;
};

/** What the venue remembers of trading in one market; day figures restart at 00:00 UTC. */
export type MarketStats = {
  lastTradePrice: bigint | null;
  previousDayPrice: bigint;
  dayNotional: bigint;
  dayBase: bigint;
};

export type FundingRow = { fundingRateE12: bigint; premiumE12: bigint; timeMs: number };

export type PerpMarket = {
  kind: "perp";
  asset: number;
  coin: string;
  /** Index of the perp dex; 0 is the validator dex. */
  dex: number;
  szDecimals: number;
  maxLeverage: number;
  marginTableId: number;
  onlyIsolated: boolean;
  marginMode: "strictIsolated" | "noCross" | null;
  isDelisted: boolean;
  growthMode: boolean;
  markPrice: bigint;
  oraclePrice: bigint;
  /** Sum of the long sizes. */
  openInterest: bigint;
  /** In dollars at mark; null is uncapped. */
  openInterestCap: bigint | null;
  premiumSumE12: bigint;
  premiumSamples: number;
  fundingHistory: FundingRow[];
  stats: MarketStats;
};

export type SpotMarket = {
  kind: "spot";
  asset: number;
  coin: string;
  /** `spotMeta.universe[].index`, never an array position. */
  index: number;
  baseToken: number;
  quoteToken: number;
  szDecimals: number;
  isCanonical: boolean;
  markPrice: bigint;
  stats: MarketStats;
};

export type VenueMarket = PerpMarket | SpotMarket;

/** Orders of one price, oldest first. */
export type VenueLevel = { price: bigint; oids: number[] };

/** Best price first on both sides. */
export type VenueBook = { bids: VenueLevel[]; asks: VenueLevel[] };

export type Tif = "Gtc" | "Ioc" | "Alo" | "FrontendMarket" | "LiquidationMarket";
export type OrderType =
  | "Market"
  | "Limit"
  | "Stop Market"
  | "Stop Limit"
  | "Take Profit Market"
  | "Take Profit Limit"
  | "Twap Slice";

export type VenueTrigger = { isMarket: boolean; triggerPrice: bigint; tpsl: "tp" | "sl" };
export type VenueBuilder = { address: Address; feeTenthsBp: number };

/** An order as the exchange describes it at one moment; `children` are tp/sl orders that wait for its fill. */
export type OrderSnapshot = {
  oid: number;
  asset: number;
  coin: string;
  isBuy: boolean;
  limitPrice: bigint;
  /** Unfilled size at the moment of the snapshot. */
  size: bigint;
  originalSize: bigint;
  timestampMs: number;
  trigger: VenueTrigger | null;
  isTriggered: boolean;
  isPositionTpsl: boolean;
  reduceOnly: boolean;
  orderType: OrderType;
  /** Null for a trigger order. */
  tif: Tif | null;
  cloid: string | null;
  children: OrderSnapshot[];
};

/** A live order. `waitingForFill`: a child of an unfilled parent; `waitingForTrigger`: off the book until mark reaches it. */
export type VenueOrder = Omit<OrderSnapshot, "children"> & {
  user: Address;
  phase: "resting" | "waitingForTrigger" | "waitingForFill";
  parentOid: number | null;
  childOids: number[];
  /** The other leg of a tp/sl pair: filled here means cancelled there. */
  siblingOids: number[];
  builder: VenueBuilder | null;
  /** A trigger without a size of its own follows the position. */
  tracksPosition: boolean;
  /** A reduce-only trigger that was taken before there was anything to reduce: that there is nothing yet does not end it. */
  awaitsPosition: boolean;
};

export type VenueOrderStatus =
  | "open"
  | "filled"
  | "triggered"
  | "canceled"
  | "rejected"
  | "marginCanceled"
  | "openInterestCapCanceled"
  | "selfTradeCanceled"
  | "reduceOnlyCanceled"
  | "siblingFilledCanceled"
  | "delistedCanceled"
  | "liquidatedCanceled"
  | "scheduledCancel"
  | "tickRejected"
  | "minTradeNtlRejected"
  | "perpMarginRejected"
  | "reduceOnlyRejected"
  | "badAloPxRejected"
  | "iocCancelRejected"
  | "badTriggerPxRejected"
  | "marketOrderNoLiquidityRejected"
  | "positionIncreaseAtOpenInterestCapRejected"
  | "insufficientSpotBalanceRejected"
  | "oracleRejected"
  | "perpMaxPositionRejected"
  | "tooManyOpenOrdersRejected";

/** Frozen at the last status change: `order.size` does not move with later fills. */
export type VenueOrderRecord = { order: OrderSnapshot; status: VenueOrderStatus; statusTimestampMs: number };

export type FillLiquidation = { liquidatedUser: Address; markPrice: bigint; method: "market" | "backstop" };

/** `fee` includes `builderFee`; `closedPnl` excludes both. */
export type VenueFill = {
  coin: string;
  asset: number;
  price: bigint;
  size: bigint;
  isBuy: boolean;
  timeMs: number;
  startPosition: bigint;
  dir: string;
  closedPnl: bigint;
  hash: string;
  oid: number;
  crossed: boolean;
  fee: bigint;
  tid: number;
  cloid: string | null;
  feeToken: string;
  builderFee: bigint | null;
  twapId: number | null;
  liquidation: FillLiquidation | null;
};

export type CumulativeFunding = { allTime: bigint; sinceOpen: bigint; sinceChange: bigint };

/** `signedEntry` has the sign of `size`; raw USD of a position is its collateral minus this. */
export type VenuePosition = {
  asset: number;
  size: bigint;
  signedEntry: bigint;
  isCross: boolean;
  leverage: number;
  /** Collateral inside an isolated position; 0 for cross. */
  isolatedMargin: bigint;
  /** Positive: paid. */
  funding: CumulativeFunding;
};

/** `value`: sum of size times price as a count of 10^-16, which is exact. */
export type ExposureSide = { size: bigint; value: bigint };
export type VenueExposure = { buys: ExposureSide; sells: ExposureSide };

export type VenueLeverage = { isCross: boolean; leverage: number };
export type VenueSpotBalance = { total: bigint; entryNotional: bigint };

export type LedgerDelta =
  | { type: "deposit"; usdc: bigint }
  | { type: "withdraw"; usdc: bigint; nonce: number; fee: bigint }
  | { type: "accountClassTransfer"; usdc: bigint; toPerp: boolean }
  | { type: "internalTransfer"; usdc: bigint; user: Address; destination: Address; fee: bigint }
  | { type: "subAccountTransfer"; usdc: bigint; user: Address; destination: Address }
  | {
      type: "spotTransfer";
      token: string;
      amount: bigint;
      usdcValue: bigint;
      user: Address;
      destination: Address;
      fee: bigint;
    }
  | {
      type: "send";
      user: Address;
      destination: Address;
      sourceDex: string;
      destinationDex: string;
      token: string;
      amount: bigint;
      usdcValue: bigint;
      fee: bigint;
    }
  | {
      type: "liquidation";
      liquidatedNotional: bigint;
      accountValue: bigint;
      leverageType: "Cross" | "Isolated";
      liquidatedPositions: { coin: string; size: bigint }[];
    };

export type LedgerRow = { timeMs: number; hash: string; delta: LedgerDelta };

/** `usdc` negative: paid. */
export type VenueFundingPayment = {
  timeMs: number;
  hash: string;
  coin: string;
  usdc: bigint;
  size: bigint;
  fundingRateE12: bigint;
};

/** Sizes of one UTC day, in dollars. */
export type DayVolume = { dayStartMs: number; cross: bigint; add: bigint };

/** Actions counted against the address; `freeAtMs` is when an exhausted address may send its next one. */
export type RequestCount = { used: number; reserved: number; freeAtMs: number };

export type VenueAccount = {
  address: Address;
  role: "user" | "subAccount";
  master: Address | null;
  /** Name of a sub-account. */
  name: string;
  mode: "default" | "disabled" | "unifiedAccount" | "portfolioMargin";
  /** Perp cash by dex index, without entry legs: deposits, realised pnl, fees, funding. */
  cash: Map<number, bigint>;
  /** By token index. */
  spot: Map<number, VenueSpotBalance>;
  positions: Map<number, VenuePosition>;
  leverages: Map<number, VenueLeverage>;
  /** Funding ever paid by asset; outlives the position. */
  fundingPaid: Map<number, bigint>;
  /** Live orders, oldest first. */
  openOids: Set<number>;
  /** Sums over the resting orders that are not reduce-only, by asset. */
  resting: Map<number, VenueExposure>;
  /** The latest order of each cloid. */
  cloids: Map<string, number>;
  /** By oid, oldest first; at most about MAX_ORDER_RECORDS that are not live. */
  records: Map<number, VenueOrderRecord>;
  /** One row a status change, oldest first. */
  history: VenueOrderRecord[];
  fills: VenueFill[];
  fundings: VenueFundingPayment[];
  ledger: LedgerRow[];
  twapHistory: TwapHistoryRow[];
  /** Highest approved fee by builder, in tenths of a basis point. */
  builderApprovals: Map<Address, number>;
  referrer: string | null;
  /** Dollars traded since inception, growth-mode volume at a tenth. */
  volume: bigint;
  volumes: DayVolume[];
  requests: RequestCount;
  scheduledCancelMs: number | null;
  scheduledCancels: { dayStartMs: number; fired: number };
  subAccounts: Address[];
  /** Until then approvals answer `User has pending agent removal`. */
  agentRemovalUntilMs: number;
  /** Last liquidation slice, for the cool-down; by asset. */
  liquidationAfterMs: Map<number, number>;
};

/** `name` null: the one unnamed agent. */
export type VenueAgent = {
  address: Address;
  master: Address;
  name: string | null;
  validUntilMs: number;
  approvedAtMs: number;
  /** Set when replaced or removed; kept so that the address can never be approved again. */
  removedAtMs: number | null;
};

/** `seen` also holds nonces below the floor of the highest 100, until they leave the window. */
export type NonceSet = { highest: number[]; seen: Set<number> };

export type TwapStatus =
  | { status: "activated" | "finished" | "terminated" | "waitingForTrigger" | "stopped" }
  | { status: "error"; description: string };

export type VenueTwapState = {
  twapId: number;
  user: Address;
  asset: number;
  coin: string;
  isBuy: boolean;
  size: bigint;
  executedSize: bigint;
  executedNotional: bigint;
  minutes: number;
  reduceOnly: boolean;
  randomize: boolean;
  trigger: { price: bigint; isAbove: boolean } | null;
  stopPrice: bigint | null;
  timestampMs: number;
};

export type VenueTwap = VenueTwapState & {
  phase: "waitingForTrigger" | "running";
  sliceCount: number;
  slicesDone: number;
  intervalMs: number;
  nextSliceMs: number;
  startedMs: number;
};

export type TwapHistoryRow = { timeMs: number; state: VenueTwapState; status: TwapStatus };

export type Venue = {
  options: EngineOptions;
  seed: number;
  /** xorshift state of the venue's own randomness (TWAP slices). */
  randomState: bigint;
  /** Time of the last block. */
  timeMs: number;
  /** Counts actions and engine steps; hashes are derived from it. */
  block: number;
  nextOid: number;
  nextTwapId: number;
  /** Until then only post-only orders are taken, as after a network upgrade. */
  postOnlyUntilMs: number;
  nextFundingMs: number;
  nextPremiumMs: number;
  nextDayMs: number;
  dexes: PerpDex[];
  tokens: Map<number, Token>;
  marginTables: Map<number, MarginTable>;
  /** By asset id, perps first, in listing order. */
  markets: Map<number, VenueMarket>;
  assetOfCoin: Map<string, number>;
  books: Map<number, VenueBook>;
  orders: Map<number, VenueOrder>;
  accounts: Map<Address, VenueAccount>;
  /** By agent address, removed ones included. */
  agents: Map<Address, VenueAgent>;
  nonces: Map<Address, NonceSet>;
  /** Running and waiting ones. */
  twaps: Map<number, VenueTwap>;
  pools: Pools;
};
