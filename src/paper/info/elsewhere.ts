/**
 * Vaults, staking, lending, outcomes and referrals do not exist here. Clients ask for them at start-up all the
 * same, so they get what the exchange says about a user who has none.
 */
import { address, optional, required, u64 } from "../exchange/decode.ts";
import { usdText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

function nothingOf(answer: unknown) {
  return infoRequest({ user: required(address) }, () => answer);
}

export const userVaultEquities = nothingOf([]);
export const leadingVaults = nothingOf([]);
export const vaultSummaries = infoRequest({}, () => []);
export const vaultDetails = infoRequest({ vaultAddress: required(address), user: optional(address) }, () => null);
export const delegations = nothingOf([]);
export const delegatorHistory = nothingOf([]);
export const delegatorRewards = nothingOf([]);
export const delegatorSummary = nothingOf({
  delegated: "0.0",
  undelegated: "0.0",
  totalPendingWithdrawal: "0.0",
  nPendingWithdrawals: 0,
});
export const userToMultiSigSigners = nothingOf(null);
export const borrowLendUserState = nothingOf({ tokenToState: [], health: "healthy", healthFactor: null });
export const userBorrowLendInterest = infoRequest(
  { user: required(address), startTime: required(u64), endTime: optional(u64) },
  () => [],
);
export const allBorrowLendReserveStates = infoRequest({}, () => []);
export const outcomeTemplates = infoRequest({}, () => []);
export const settledOutcome = infoRequest({ outcome: required(u64) }, () => null);
export const validatorSummaries = infoRequest({}, () => []);
export const gossipRootIps = infoRequest({}, () => []);
export const usdcRouting = infoRequest({}, () => ({ depositRoute: "bridge", withdrawalRoute: "bridge" }));
export const outcomeMeta = infoRequest({}, () => ({ outcomes: [], questions: [] }));
export const liquidatable = infoRequest({}, () => []);

export const referral = infoRequest({ user: required(address) }, (context, { user }) => {
  const account = accountOf(context, user);
  return {
    referredBy: null,
    cumVlm: usdText(account?.volume ?? 0n),
    unclaimedRewards: "0.0",
    claimedRewards: "0.0",
    builderRewards: "0.0",
    referrerState: { stage: "needToTrade", data: { required: "10000.0" } },
    rewardHistory: [],
    tokenToState: [],
  };
});
