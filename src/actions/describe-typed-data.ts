import { API_NETWORK } from "../core/account.ts";
import { DEFAULT_MAX_AGE_S, DEFAULT_SAME_WITHIN_S, TRADINGVIEW_SOURCES } from "../core/hook/hook.ts";
import { PROPOSED_RAILS } from "../core/rails/wished-grant.ts";
import { isoTime } from "../core/resource.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../core/worst-price.ts";
import type { With } from "../deps.ts";
import {
  GRANT_DOMAIN,
  GRANT_TYPES,
  grantTypedData,
  HOOK_TYPES,
  hookRevocationTypedData,
  hookTypedData,
  PROPOSAL_TYPES,
  proposalTypedData,
  RESUMPTION_TYPES,
  REVOCATION_TYPES,
  resumptionTypedData,
  revocationTypedData,
} from "../wire/grant-data.ts";
import { LIMITED_GRANT_TYPES, limitedGrantTypedData } from "../wire/limited-grant-data.ts";
import type { TypedData } from "../wire/wallet-form.ts";

/** With the one type that its message has: signers refuse others beside it. */
function exampleOf({ primaryType, types, message }: TypedData) {
  return { primary_type: primaryType, types, message };
}

/** Any account and any hash: only the shape of an example matters. */
const EXAMPLE_ACCOUNT = "00000000-0000-0000-0000-000000000000";
const EXAMPLE_STOP = EXAMPLE_ACCOUNT;
const EXAMPLE_HASH = "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d";

type ToDescribe = With<"clock" | "demoOwner" | "settings">;

/** Everything that a wallet needs to sign a grant, a revocation, the end of a stop or a decision on a proposal for this gateway: public, and nobody's secret. */
export function describeTypedData(deps: ToDescribe, askingNetwork: string | null): string {
  return JSON.stringify(typedDataResource(deps, askingNetwork));
}

export function typedDataResource(deps: ToDescribe, askingNetwork: string | null) {
  const { audience } = deps.settings;
  const revocation = { audience, accountId: EXAMPLE_ACCOUNT, keyHash: EXAMPLE_HASH };
  const resumption = { audience, accountId: EXAMPLE_ACCOUNT, stopId: EXAMPLE_STOP };
  const grant = grantTypedData({
    ...revocation,
    network: API_NETWORK,
    scopes: ["trading:read", "trading:write"],
    issuedAtMs: deps.clock.nowMs(),
    expiresAtMs: null,
  });
  return {
    object: "typed_data" as const,
    audience,
    asking_network: askingNetwork,
    demo: deps.demoOwner !== undefined,
    domain: GRANT_DOMAIN,
    types: {
      ...GRANT_TYPES,
      ...LIMITED_GRANT_TYPES,
      ...REVOCATION_TYPES,
      ...RESUMPTION_TYPES,
      ...PROPOSAL_TYPES,
      ...HOOK_TYPES,
    },
    examples: [
      exampleOf(grant),
      exampleOf(limitedExample(deps)),
      exampleOf(revocationTypedData(revocation)),
      exampleOf(resumptionTypedData(resumption)),
      exampleOf(proposalTypedData({ audience, accountId: EXAMPLE_ACCOUNT, ...EXAMPLE_DECISION })),
      exampleOf(hookExample(deps)),
      exampleOf(hookRevocationTypedData({ audience, accountId: EXAMPLE_ACCOUNT, hookId: EXAMPLE_ACCOUNT })),
    ],
  };
}

const EXAMPLE_DECISION = {
  proposalId: "1795253400000-00000000000000000000000000000000",
  order: "buy 0.001 BTC at 60000 or better (gtc)",
  decision: "approve",
} as const;
const EXAMPLE_ADDRESS = `0x${"00".repeat(20)}`;
const EXAMPLE_LIFE_MS = 90 * 86_400_000;

function hookExample({ settings, clock }: With<"clock" | "settings">): TypedData {
  const hook = {
    name: "tradingview",
    keyHash: EXAMPLE_HASH,
    mode: "target",
    market: "BTC",
    maxAgeMs: DEFAULT_MAX_AGE_S * 1_000,
    sameWithinMs: DEFAULT_SAME_WITHIN_S * 1_000,
    maxSlippageBps: DEFAULT_SLIPPAGE_BPS,
    sources: TRADINGVIEW_SOURCES,
    isRehearsal: false,
  } as const;
  const { audience } = settings;
  return hookTypedData({
    audience,
    accountId: EXAMPLE_ACCOUNT,
    hook,
    secretHash: EXAMPLE_HASH,
    issuedAtMs: clock.nowMs(),
  });
}

/** What is proposed to whoever has no wishes of their own. */
function limitedExample({ settings, clock }: With<"clock" | "settings">): TypedData {
  const nowMs = clock.nowMs();
  return limitedGrantTypedData({
    audience: settings.audience,
    account: EXAMPLE_ACCOUNT,
    network: settings.network,
    owner: EXAMPLE_ADDRESS,
    tradingAddress: EXAMPLE_ADDRESS,
    keyHash: EXAMPLE_HASH,
    scopes: "trading:read,trading:write",
    ...PROPOSED_RAILS,
    bot: "grid-1",
    markets: "BTC,ETH",
    issuedAt: isoTime(nowMs),
    expiresAt: isoTime(nowMs + EXAMPLE_LIFE_MS),
  });
}
