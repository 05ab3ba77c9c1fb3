/** What an account's owner signs, written once for the gateway, the commands and the page: no library is needed for it. */
import type { WantedHook } from "../core/hook/hook.ts";
import type { TypedData, TypedField } from "./wallet-form.ts";

/**
 * What an account owner signs to issue or revoke an API key. No chain id and no contract: the signature is worth
 * something to one instance only, which is the audience inside the message. An audience of a test or paper
 * directory starts with `testnet+` or `paper+`, so that nothing signed there verifies anywhere else.
 */
export const GRANT_DOMAIN = { name: "Postern", version: "1" } as const;

/** Type definitions as wallets want them. */
export const GRANT_TYPES = {
  ApiKeyGrant: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "network", type: "string" },
    { name: "keyHash", type: "bytes32" },
    { name: "scopes", type: "string" },
    { name: "issuedAt", type: "uint64" },
    { name: "expiresAt", type: "uint64" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

export const REVOCATION_TYPES = {
  ApiKeyRevocation: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "keyHash", type: "bytes32" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

export const RESUMPTION_TYPES = {
  TradingResumption: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "stop", type: "string" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

export const PROPOSAL_TYPES = {
  ProposalDecision: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "proposal", type: "string" },
    { name: "order", type: "string" },
    { name: "decision", type: "string" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

const HOOK_GRANT_MEMBERS = [
  "audience",
  "account",
  "name",
  "actsAs",
  "mode",
  "market",
  "maxAge",
  "sameWithin",
  "maxSlippage",
  "sources",
  "rehearsal",
  "secretHash",
  "issuedAt",
] as const;

/** Every member a text: a wallet shows it line by line. */
export const HOOK_TYPES = {
  HookGrant: HOOK_GRANT_MEMBERS.map((name) => ({ name, type: "string" })),
  HookRevocation: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "hook", type: "string" },
  ],
} satisfies Record<string, readonly TypedField[]>;

export type Grant = {
  audience: string;
  accountId: string;
  network: string;
  /** 64 lower-case hex digits. */
  keyHash: string;
  /** In any order; signed sorted. */
  scopes: readonly string[];
  issuedAtMs: number;
  /** Null is signed as 0: keys do not expire. */
  expiresAtMs: number | null;
};

export type Revocation = Pick<Grant, "audience" | "accountId" | "keyHash">;

/** A stop that its owner ends: this one, and no later one. */
export type Resumption = Pick<Grant, "audience" | "accountId"> & { stopId: string };

/** An address that acts as a bot, before anybody has it: the gateway is told the hash of what stands in it. */
export type HookGrant = Pick<Grant, "audience" | "accountId"> & {
  hook: WantedHook;
  /** Hex SHA-256. */
  secretHash: string;
  issuedAtMs: number;
};

export type HookRevocation = Pick<Grant, "audience" | "accountId"> & { hookId: string };

/** What an owner says of one order that was proposed, which is shown in words. */
export type ProposalDecision = Pick<Grant, "audience" | "accountId"> & {
  proposalId: string;
  order: string;
  decision: "approve" | "refuse";
};

/** Everything that a wallet needs to show and sign a grant. */
export function grantTypedData(grant: Grant): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: GRANT_TYPES,
    primaryType: "ApiKeyGrant",
    message: {
      audience: grant.audience,
      account: grant.accountId.toLowerCase(),
      network: grant.network,
      keyHash: `0x${grant.keyHash}`,
      scopes: [...grant.scopes].sort().join(","),
      issuedAt: grant.issuedAtMs,
      expiresAt: grant.expiresAtMs ?? 0,
    },
  };
}

export function revocationTypedData({ audience, accountId, keyHash }: Revocation): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: REVOCATION_TYPES,
    primaryType: "ApiKeyRevocation",
    message: { audience, account: accountId.toLowerCase(), keyHash: `0x${keyHash}` },
  };
}

export function resumptionTypedData({ audience, accountId, stopId }: Resumption): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: RESUMPTION_TYPES,
    primaryType: "TradingResumption",
    message: { audience, account: accountId.toLowerCase(), stop: stopId.toLowerCase() },
  };
}

export function proposalTypedData({ audience, accountId, proposalId, order, decision }: ProposalDecision): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: PROPOSAL_TYPES,
    primaryType: "ProposalDecision",
    message: { audience, account: accountId.toLowerCase(), proposal: proposalId, order, decision },
  };
}

export function hookTypedData({ audience, accountId, hook, secretHash, issuedAtMs }: HookGrant): TypedData {
  const { HookGrant } = HOOK_TYPES;
  return {
    domain: GRANT_DOMAIN,
    types: { HookGrant },
    primaryType: "HookGrant",
    message: {
      audience,
      account: accountId.toLowerCase(),
      name: hook.name,
      actsAs: `the bot of key ${hook.keyHash}`,
      mode: hook.mode,
      market: hook.market ?? "any",
      maxAge: `${hook.maxAgeMs / 1_000} s`,
      sameWithin: `${hook.sameWithinMs / 1_000} s`,
      maxSlippage: `${hook.maxSlippageBps} bps`,
      sources: hook.sources ?? "any",
      rehearsal: hook.isRehearsal ? "yes" : "no",
      secretHash,
      issuedAt: new Date(issuedAtMs).toISOString(),
    },
  };
}

export function hookRevocationTypedData({ audience, accountId, hookId }: HookRevocation): TypedData {
  const { HookRevocation } = HOOK_TYPES;
  const message = { audience, account: accountId.toLowerCase(), hook: hookId };
  return { domain: GRANT_DOMAIN, types: { HookRevocation }, primaryType: "HookRevocation", message };
}
