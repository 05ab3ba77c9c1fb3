import type { Account, Agent } from "../../core/account.ts";
import { fromUnits } from "../../core/decimal.ts";
import { exchangePlaceOf } from "../../core/exchange-place.ts";
import { apiKeyResource, isoTime } from "../../core/resource.ts";
import { listApiKeys, type StoredKey } from "../../store/api-keys.ts";
import { findSetupProgress } from "../../store/setup.ts";
import { feeRatePercent } from "../../wire/approval.ts";
import { type SettingUp, setupAccount, setupAgent } from "./setting-up.ts";
import type { SetupSession } from "./tokens.ts";

/** Where the set-up stands, from what is stored: a page that was reloaded goes on from here. */
export function setupState(setting: SettingUp, session: SetupSession) {
  const { store, settings, instance } = setting;
  const account = setupAccount(store);
  const agent = account === null ? null : setupAgent(store, account);
  const builder = account === null ? null : builderStep(setting, account);
  const keys = account === null ? [] : listApiKeys(store, account.id).filter(({ state }) => state === "active");
  return {
    object: "setup" as const,
    step: stepOf(setting, { account, agent, builder, keys }),
    network: instance.network,
    is_real_money: instance.network === "mainnet",
    audience: settings.audience,
    exchange: exchangePlaceOf(instance),
    exchange_url: instance.exchangeUrl,
    account: account === null ? null : accountShown(account),
    agent: agent === null ? null : agentShown(agent),
    builder,
    api_keys: keys.map((key) => {
      const { key_hash, scopes } = apiKeyResource(key);
      return { key_hash, scopes, created_at: isoTime(key.registeredAtMs) };
    }),
    expires_at: isoTime(session.expiresAtMs),
  };
}

type SetupFacts = {
  account: Account | null;
  agent: Agent | null;
  builder: ReturnType<typeof builderStep>;
  keys: readonly StoredKey[];
};

export type SetupStep = "owner" | "agent" | "builder" | "key" | "finish" | "done";

function stepOf({ store }: SettingUp, { account, agent, builder, keys }: SetupFacts): SetupStep {
  if (findSetupProgress(store).finishedAtMs !== null) return "done";
  if (account === null || agent === null) return "owner";
  if (agent.state !== "approved") return "agent";
  if (builder?.state === "undecided") return "builder";
  return keys.length === 0 ? "key" : "finish";
}

/** The builder fee that an account is asked for; null where there is none to ask for. */
export function builderStep({ settings, store, builderApproval }: SettingUp, account: Account) {
  const feeTenthsBps = builderFeeOf(settings, account);
  if (settings.builder === null || feeTenthsBps === null) return null;
  const approved = builderApproval.approvedTenthsBps(account.ownerAddress) ?? 0;
  const isSkipped = findSetupProgress(store).builderSkippedAtMs !== null;
  const state = approved >= feeTenthsBps ? "approved" : isSkipped ? "skipped" : "undecided";
  return {
    address: settings.builder.address,
    fee_bps: fromUnits(BigInt(feeTenthsBps), 1),
    max_fee_rate: feeRatePercent(feeTenthsBps),
    is_required: settings.builder.isRequired,
    state,
  } as const;
}

/** Tenths of a basis point; null where the account pays none. */
export function builderFeeOf({ builder }: SettingUp["settings"], account: Account): number | null {
  if (builder === null) return null;
  const override = builder.overrides[account.id];
  const fee = override === undefined ? builder.feeTenthsBps : override;
  return fee === 0 ? null : fee;
}

function accountShown({ id, label, kind, ownerAddress, tradingAddress }: Account) {
  return { id, label, kind, owner_address: ownerAddress, trading_address: tradingAddress };
}

function agentShown({ address, name, state, validUntilMs }: Agent) {
  const isApproved = state === "approved";
  const validUntil = isApproved && validUntilMs !== null ? isoTime(validUntilMs) : null;
  return { address, name, state: isApproved ? ("approved" as const) : ("new" as const), valid_until: validUntil };
}
