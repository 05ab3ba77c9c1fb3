/** What stands behind a position that an entry would open: as the exchange shows it now. */
import type { Account } from "../core/account.ts";
import { type Decimal, decimal, divide, isNegative, multiply, negate, subtract, sum, ZERO } from "../core/decimal.ts";
import type { Backing, Entering } from "../core/liquidation.ts";
import type { Market } from "../core/market.ts";
import type { LeverageSetting } from "../core/rails/wish.ts";
import type { With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { exchangeTimeOf, type Read } from "../exchange/reads.ts";
import { balancesDoubt } from "../settle/evidence/balances-before-writes.ts";
import { takeOrAskFills } from "../settle/evidence/positions-before.ts";
import type { AccountMode, ClearinghouseState, Position, SpotBalance } from "../wire/answer/account.ts";
import { readSetting, settingsOf } from "../write/leverage-facts.ts";

export type ToKnowBacking = With<
  "clock" | "exchange" | "fillIndex" | "markets" | "picture" | "reads" | "settings" | "store"
>;

type BackingRequest = { account: Account; market: Market; purpose: Purpose };

export type BackingFacts = {
  state: ClearinghouseState;
  mode: AccountMode;
  /** Spot balance of the collateral where the modes share it; null where they do not. */
  shared: Decimal | null;
  /** All that may be in force. */
  settings: readonly LeverageSetting[];
};

type Failed = Extract<Read<never>, { kind: "failed" }>;

/**
 * Everything is asked at once; one that is not answered leaves nothing to judge by, nor do positions of before a fill that was told, nor a balance
 * of before what has moved it.
 */
export async function readBacking(deps: ToKnowBacking, asked: BackingRequest): Promise<BackingFacts | Failed> {
  const { account, market, purpose } = asked;
  const user = account.tradingAddress;
  const [state, mode] = await Promise.all([
    readState(deps, asked),
    readMode(deps, user, purpose),
    readSetting(deps, { account, market: market.name }),
  ]);
  if (state.kind === "failed") return state;
  const { value } = state;
  if (mode.kind === "failed") return mode;
  const shared = mode.value === "unified" ? await readShared(deps, asked) : null;
  if (shared?.kind === "failed") return shared;
  const held = value.positions.find(({ coin }) => coin === market.name);
  const settings = held === undefined ? settingsOf(deps, { account, market: market.name }, "") : [settingOf(held)];
  if (settings === null) return { kind: "failed", reason: "its leverage could not be read", isOurBudget: false };
  const total = shared?.value.find(({ token }) => token === USDC)?.total ?? ZERO;
  return { state: value, mode: mode.value, shared: shared === null ? null : total, settings };
}

/**
 * Positions that hold every fill that was told: by older ones a stop would be refused, or taken, that the position of now does not bear out.
 */
function readState(
  deps: ToKnowBacking,
  { account, market: { dex }, purpose }: BackingRequest,
): Promise<Read<ClearinghouseState>> {
  return readOfNow(deps, {
    purpose,
    what: "positions",
    ask: () => deps.reads.clearinghouse(account.tradingAddress, dex, purpose),
    isOfNow: (read) => takeOrAskFills(deps, { account, dex }, read) === "now",
  });
}

/** A balance that holds all that was told to have moved it. What is held back of it stands behind a position all the same. */
function readShared(deps: ToKnowBacking, { account, purpose }: BackingRequest): Promise<Read<readonly SpotBalance[]>> {
  return readOfNow(deps, {
    purpose,
    what: "balances",
    ask: () => deps.reads.spot(account.tradingAddress, purpose),
    isOfNow: ({ value: balances, askedAtMs }) => {
      const shown = { mode: "unified" as const, balances, timeMs: exchangeTimeOf(deps, askedAtMs), heard: null };
      const doubt = balancesDoubt(deps, account, shown)?.kind;
      if (doubt === "fills") deps.fillIndex.readSoon(account);
      return doubt !== "before" && doubt !== "fills";
    },
  });
}

/** A server that is behind is asked again for so long, and that often, milliseconds. */
const AGAIN_WITHIN_MS = 2_000;
const AGAIN_AFTER_MS = 250;

type WantedOfNow<Value> = {
  purpose: Purpose;
  /** For words: "its … are of before". */
  what: string;
  ask(): Promise<Read<Value>>;
  isOfNow(read: Extract<Read<Value>, { kind: "ok" }>): boolean;
};

/** Who moves a stop waits for none. */
async function readOfNow<Value>({ clock }: With<"clock">, wanted: WantedOfNow<Value>): Promise<Read<Value>> {
  const startedMs = clock.elapsedMs();
  for (;;) {
    const read = await wanted.ask();
    if (read.kind === "failed" || wanted.isOfNow(read)) return read;
    if (wanted.purpose === "reduce" || clock.elapsedMs() - startedMs >= AGAIN_WITHIN_MS)
      return { kind: "failed", reason: `its ${wanted.what} are of before a fill that was told`, isOurBudget: false };
    await clock.sleep(AGAIN_AFTER_MS);
  }
}

/** Token that is the collateral of the exchange's own dex. */
const USDC = 0;

async function readMode(
  { picture, reads }: ToKnowBacking,
  user: string,
  purpose: Purpose,
): Promise<Failed | { kind: "ok"; value: AccountMode }> {
  const known = picture.mode(user);
  return known === null ? reads.mode(user, purpose) : { kind: "ok", value: known.value };
}

function settingOf({ leverage }: Position): LeverageSetting {
  return { leverage: leverage.value, isCross: leverage.type === "cross" };
}

/** One for each leverage that may be in force. None where what stands behind it is not all shown. */
export function backingsOf(facts: BackingFacts, market: Market, entering: Entering): Backing[] {
  return facts.settings.flatMap((setting) => {
    const backing = setting.isCross
      ? crossBacking(facts, market)
      : isolatedBacking(facts, market, { ...entering, setting });
    return backing === null ? [] : [backing];
  });
}

/**
 * Other dexes may be given collateral by the exchange as they need it, and portfolio margin counts what is lent: neither is shown
 * whole.
 */
function crossBacking({ state, mode, shared }: BackingFacts, market: Market): Backing | null {
  if (market.dex !== "" || mode === "portfolio_margin") return null;
  const held = heldIn(state, market);
  const own = held.position === null ? ZERO : maintenanceOf(held.position);
  const others = subtract(state.crossMaintenanceMarginUsed, own);
  return {
    held: held.size,
    heldValue: held.value,
    equity: shared === null ? state.crossMarginSummary.accountValue : add(shared, state),
    otherMaintenance: isNegative(others) ? ZERO : others,
    margin: "cross",
  };
}

/** A shared balance is cash: what its cross positions have won or lost comes on top. */
function add(cash: Decimal, { positions }: ClearinghouseState): Decimal {
  const cross = positions.filter(({ leverage }) => leverage.type === "cross");
  return sum([cash, ...cross.map(({ unrealizedPnl }) => unrealizedPnl)]);
}

function isolatedBacking(
  { state }: BackingFacts,
  market: Market,
  { size, price, setting }: Entering & { setting: LeverageSetting },
): Backing {
  const held = heldIn(state, market);
  const brought = divide(multiply(size, price), decimal(String(setting.leverage)), USD_DECIMALS);
  return {
    held: held.size,
    heldValue: held.value,
    equity: sum([held.position?.marginUsed ?? ZERO, brought]),
    otherMaintenance: ZERO,
    margin: `isolated at ${setting.leverage}x`,
  };
}

const USD_DECIMALS = 6;

type HeldPosition = { position: Position | null; size: Decimal; value: Decimal };

function heldIn({ positions }: ClearinghouseState, { name }: Market): HeldPosition {
  const position = positions.find(({ coin }) => coin === name) ?? null;
  if (position === null) return { position, size: ZERO, value: ZERO };
  const { signedSize, positionValue } = position;
  return { position, size: signedSize, value: isNegative(signedSize) ? negate(positionValue) : positionValue };
}

function maintenanceOf({ positionValue, maxLeverage }: Position): Decimal {
  return divide(positionValue, decimal(String(2 * maxLeverage)), USD_DECIMALS);
}
