/** webData2: the blob with which the exchange's own page starts. The channel `webData3` is its successor. */
import type { Venue } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { clearinghouseOf } from "./clearinghouse-state.ts";
import { metaOf, perpContexts, spotContexts } from "./markets.ts";
import { usdText } from "./number-format.ts";
import { frontendOrders } from "./orders.ts";
import { accountOf, infoRequest, type ReadContext } from "./request.ts";
import { spotStateOf } from "./spot-state.ts";
import { runningTwaps } from "./twaps.ts";

export const webData2 = infoRequest({ user: required(address) }, (context, { user }) => webData2Of(context, user));

export function webData2Of(context: ReadContext, user: string): unknown {
  const { venue, nowMs } = context;
  return {
    clearinghouseState: clearinghouseOf(venue, { user, dex: 0, nowMs }),
    leadingVaults: [],
    totalVaultEquity: "0.0",
    openOrders: frontendOrders(context, user, ""),
    ...unnamedAgent(venue, user),
    cumLedger: usdText(paidIn(context, user)),
    meta: metaOf(venue, 0),
    assetCtxs: perpContexts(venue, 0),
    serverTime: nowMs,
    isVault: false,
    user,
    twapStates: runningTwaps(venue, user, ""),
    spotState: spotStateOf(venue, accountOf(context, user)),
    spotAssetCtxs: spotContexts(venue),
  };
}

export function webData3Of(context: ReadContext, user: string): unknown {
  const { venue, nowMs } = context;
  const mode = accountOf(context, user)?.mode ?? "default";
  return {
    userState: {
      ...unnamedAgent(venue, user),
      cumLedger: usdText(paidIn(context, user)),
      serverTime: nowMs,
      isVault: false,
      user,
      ...(mode === "default" ? {} : { abstraction: mode }),
    },
    perpDexStates: venue.dexes.map(() => ({ totalVaultEquity: "0.0" })),
  };
}

function unnamedAgent(venue: Venue, user: string): { agentAddress: string | null; agentValidUntil: number | null } {
  for (const agent of venue.agents.values()) {
    if (agent.master === user && agent.name === null && agent.removedAtMs === null) {
      return { agentAddress: agent.address, agentValidUntil: agent.validUntilMs };
    }
  }
  return { agentAddress: null, agentValidUntil: null };
}

function paidIn(context: ReadContext, user: string): bigint {
  let sum = 0n;
  for (const { delta } of accountOf(context, user)?.ledger ?? []) {
    if (delta.type === "deposit") sum += delta.usdc;
    if (delta.type === "withdraw") sum -= delta.usdc;
  }
  return sum;
}
