/** The door of the engine: it lets time pass, keeps the order of checks, and routes an action to its subject. */
import { addCash, dexNamed, noteDeposit, openAccount, spotBalance, writeLedger } from "./accounts.ts";
import type { ActionInput, ParsedAction, UserSignedAction, VenueReply } from "./action.ts";
import { principalOf } from "./agents.ts";
import { CLOCK_STEPS_MS, finish, nextMultiple, passTime } from "./clock.ts";
import type { VenueConfig } from "./config.ts";
import type { VenueEvent } from "./event.ts";
import { chargeRequest, EXPIRED_WEIGHT } from "./limits.ts";
import { buildMarkets } from "./markets.ts";
import { nonceFault, useNonce } from "./nonces.ts";
import { routeL1, routeUserSigned, weightOf } from "./routing.ts";
import type { Address, Venue, VenueAccount } from "./state.ts";
import { tokenNamed } from "./transfers.ts";
import { markChanged, marketOfCoin, newTurn } from "./turn.ts";
import { checkTwapPrices } from "./twap.ts";

/** `admitted` false: refused before the nonce was used; apart from the passage of time the state is as it was. */
export type ActionResult = { reply: VenueReply; events: VenueEvent[]; admitted: boolean };

/** A fresh venue with empty books and no accounts; `defaultConfig` in markets.ts is the usual config. */
export function createVenue(config: VenueConfig): Venue {
  const markets = buildMarkets(config);
  return {
    options: config.options,
    seed: config.seed,
    randomState: BigInt(config.seed),
    timeMs: config.startMs,
    block: 0,
    nextOid: config.firstOid,
    nextTwapId: 1,
    postOnlyUntilMs: 0,
    nextFundingMs: nextMultiple(config.startMs, CLOCK_STEPS_MS.funding),
    nextPremiumMs: nextMultiple(config.startMs, CLOCK_STEPS_MS.premium),
    nextDayMs: nextMultiple(config.startMs, CLOCK_STEPS_MS.day),
    dexes: config.dexes,
    tokens: new Map(config.tokens.map((token) => [token.index, token])),
    marginTables: new Map(config.marginTables.map((table) => [table.id, table])),
    markets: new Map(markets.map((market) => [market.asset, market])),
    assetOfCoin: new Map(markets.map((market) => [market.coin, market.asset])),
    books: new Map(markets.map((market) => [market.asset, { bids: [], asks: [] }])),
    orders: new Map(),
    accounts: new Map(),
    agents: new Map(),
    nonces: new Map(),
    twaps: new Map(),
    pools: { fees: new Map(), fundingResidue: new Map(), netDeposits: new Map() },
  };
}

/** First lets time pass up to `nowMs` (as `advance` does), then executes one action in a block of its own. */
export function applyAction(venue: Venue, input: ActionInput): ActionResult {
  const events = passTime(venue, input.nowMs);
  const nowMs = venue.timeMs;
  const principal = isUserSigned(input.action) ? ownerOf(venue, input.signer) : actorOf(venue, input, nowMs);
  if (typeof principal === "string") return refusedBefore(principal, events);
  const fault = nonceFault(venue, input.signer, input.nonce, nowMs);
  if (fault !== null) return refusedBefore(fault, events);
  const limited = admit(venue, principal, input);
  if (limited !== null) return { ...limited, events };
  const turn = newTurn(venue, nowMs);
  const reply = isUserSigned(input.action)
    ? routeUserSigned(turn, principal, input.action, input.nonce)
    : routeL1(turn, principal, input.action, input.signer);
  return { reply, events: [...events, ...finish(turn)], admitted: true };
}

function refusedBefore(text: string, events: VenueEvent[]): ActionResult {
  return { reply: { status: "err", response: text }, events, admitted: false };
}

const USER_SIGNED: ReadonlySet<ParsedAction["type"]> = new Set([
  "approveAgent",
  "approveBuilderFee",
  "userSetAbstraction",
  "usdSend",
  "withdraw3",
  "spotSend",
  "usdClassTransfer",
  "sendAsset",
]);

/** Signed by the main wallet as typed data; every other action is an L1 action, which an agent may sign. */
export function isUserSigned(action: ParsedAction): action is UserSignedAction {
  return USER_SIGNED.has(action.type);
}

/** A user-signed action is the recovered signer's own, even an agent's: and an agent has no account. */
function ownerOf(venue: Venue, signer: Address): VenueAccount | string {
  return venue.accounts.get(signer) ?? `Must deposit before performing actions. User: ${signer}`;
}

/** The account that an L1 action applies to, or why there is none. */
function actorOf(venue: Venue, input: ActionInput, nowMs: number): VenueAccount | string {
  const principal = principalOf(venue, input.signer, nowMs);
  if (principal.kind === "refused") return principal.text;
  if (input.vaultAddress === null || input.vaultAddress === principal.account.address) return principal.account;
  const sub = venue.accounts.get(input.vaultAddress);
  if (sub === undefined || sub.master !== principal.account.address) {
    return `Vault not registered: ${input.vaultAddress}`;
  }
  return sub;
}

/** Uses up the nonce, then looks at expiry and the address limit. Null: the action is executed. */
function admit(venue: Venue, account: VenueAccount, input: ActionInput): Omit<ActionResult, "events"> | null {
  const nowMs = venue.timeMs;
  const isExpired = input.expiresAfter !== null && input.expiresAfter < nowMs;
  const weight = weightOf(input.action);
  if (isExpired) weight.count *= EXPIRED_WEIGHT;
  const limited = chargeRequest(venue, account, weight, nowMs);
  const usesNonce = limited === null || venue.options.rateLimitUsesNonce;
  if (usesNonce) useNonce(venue, input.signer, input.nonce, nowMs);
  if (limited !== null) return { reply: { status: "err", response: limited }, admitted: usesNonce };
  if (isExpired) return { reply: { status: "err", response: "Action already expired" }, admitted: true };
  return null;
}

/**
 * Lets time pass: TWAP slices, hourly funding, scheduled cancels, liquidation cool-downs. In one step or in many
 * gives the same state, because everything happens at its own due time.
 */
export function advance(venue: Venue, nowMs: number): VenueEvent[] {
  return passTime(venue, nowMs);
}

/** Moves the mark price, then fires triggers and liquidations. Lets time pass first. */
export function setMarkPrice(venue: Venue, coin: string, price: bigint, nowMs: number): VenueEvent[] {
  const events = passTime(venue, nowMs);
  const market = marketOfCoin(venue, coin);
  if (market === null || price <= 0n) throw new Error(`bug: no such market or price: ${coin} ${price}`);
  if (market.markPrice === price) return events;
  market.markPrice = price;
  const turn = newTurn(venue, venue.timeMs);
  turn.armed.add(market.asset);
  for (const account of venue.accounts.values()) {
    if (account.positions.has(market.asset)) markChanged(turn, account.address, market.asset);
  }
  checkTwapPrices(turn, market.asset);
  return [...events, ...finish(turn)];
}

/** Moves the oracle price (funding, price bands). Lets time pass first. */
export function setOraclePrice(venue: Venue, coin: string, price: bigint, nowMs: number): VenueEvent[] {
  const events = passTime(venue, nowMs);
  const market = marketOfCoin(venue, coin);
  if (market === null || market.kind !== "perp" || price <= 0n) {
    throw new Error(`bug: no such market or price: ${coin} ${price}`);
  }
  market.oraclePrice = price;
  return events;
}

/** Amounts in 10^-8. `perp`: collateral on the validator dex; `dexes` and `spot` by dex and token name. */
export type Funding = { perp?: bigint; dexes?: Record<string, bigint>; spot?: Record<string, bigint> };

/** Pays money in from outside, opening the account when needed. */
export function fund(venue: Venue, user: Address, amounts: Funding): VenueEvent[] {
  const account = openAccount(venue, user);
  const turn = newTurn(venue, venue.timeMs);
  const perps = Object.entries({ ...amounts.dexes, ...(amounts.perp === undefined ? {} : { "": amounts.perp }) });
  for (const [name, amount] of perps) {
    const dex = dexNamed(venue, name);
    if (dex === null) throw new Error(`bug: no perp dex ${name}`);
    addCash(venue, account, dex.index, amount);
    noteDeposit(venue, dex.collateralToken, amount);
    writeLedger(turn, account, { type: "deposit", usdc: amount });
  }
  for (const [name, amount] of Object.entries(amounts.spot ?? {})) {
    const token = tokenNamed(venue, name);
    if (token === null) throw new Error(`bug: no token ${name}`);
    spotBalance(account, token.index).total += amount;
    noteDeposit(venue, token.index, amount);
  }
  return finish(turn);
}

/** Opens or ends the window in which only post-only orders are taken. */
export function setPostOnlyUntil(venue: Venue, untilMs: number): void {
  venue.postOnlyUntilMs = untilMs;
}

/** Removes an agent as its owner could at any moment: a fault to inject. */
export function dropAgent(venue: Venue, agent: Address, nowMs: number): void {
  const known = venue.agents.get(agent);
  if (known !== undefined && known.removedAtMs === null) known.removedAtMs = nowMs;
}
