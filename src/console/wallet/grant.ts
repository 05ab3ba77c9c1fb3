/** What the owner signs to grant or revoke an API key of this gateway or to end a stop, and what the gateway is sent then. */
import { API_NETWORK, type Scope } from "../../core/account.ts";
import {
  grantTypedData,
  type HookGrant,
  hookRevocationTypedData,
  hookTypedData,
  proposalTypedData,
  resumptionTypedData,
  revocationTypedData,
} from "../../wire/grant-data.ts";
import type { WalletData } from "../../wire/wallet-form.ts";
import { request } from "../api/request.ts";
import type { ApiProposal, TypedDataDescription } from "../api/resources.ts";

export type PlainGrant = { account: string; keyHash: string; scopes: readonly Scope[]; issuedAtMs: number };

export async function grantToSign({ account, ...grant }: PlainGrant): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) =>
    grantTypedData({ ...grant, audience, accountId: account, network: API_NETWORK, expiresAtMs: null }),
  );
}

export async function revocationToSign(account: string, keyHash: string): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) => revocationTypedData({ audience, accountId: account, keyHash }));
}

export async function resumptionToSign(account: string, stopId: string): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) => resumptionTypedData({ audience, accountId: account, stopId }));
}

/** The owner signs the order in the words in which it is shown. */
export async function decisionToSign(
  { account, id, in_words: order }: ApiProposal,
  decision: "approve" | "refuse",
): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) =>
    proposalTypedData({ audience, accountId: account, proposalId: id, order, decision }),
  );
}

type OwnHook = Omit<HookGrant, "audience" | "accountId"> & { account: string };

export async function hookToSign({ account, ...grant }: OwnHook): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) => hookTypedData({ ...grant, audience, accountId: account }));
}

export async function hookRevocationToSign(account: string, hookId: string): Promise<WalletData | { failure: string }> {
  return forThisGateway((audience) => hookRevocationTypedData({ audience, accountId: account, hookId }));
}

async function forThisGateway(write: (audience: string) => WalletData): Promise<WalletData | { failure: string }> {
  const answer = await request<TypedDataDescription>({ method: "GET", path: "/v1/api-keys/typed-data", bearer: null });
  return answer.kind === "ok" ? write(answer.body.audience) : { failure: answer.message };
}

/** Body of the registration; a repeat of the identical grant is answered with the same object. */
export function grantBody({ account, keyHash, scopes, issuedAtMs }: PlainGrant, signature: string): string {
  const consent = {
    account,
    network: API_NETWORK,
    key_hash: keyHash,
    policy: { scopes: [...scopes].sort() },
    issued_at: issuedAtMs,
    expires_at: null,
  };
  return JSON.stringify({ consent, signature });
}
