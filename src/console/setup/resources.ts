/** What the set-up routes answer. */

import type { TypedData } from "../../wire/wallet-form.ts";
import type { AccountMode, ApiKey, DexBalance, ExchangePlace, NetworkName, SpotBalance } from "../api/resources.ts";

export type Step = "owner" | "agent" | "builder" | "key" | "finish" | "done";

export type Setup = {
  step: Step;
  network: NetworkName;
  exchange: ExchangePlace;
  is_real_money: boolean;
  audience: string;
  account: { id: string; label: string; owner_address: string; trading_address: string } | null;
  agent: { address: string; name: string; state: "new" | "approved"; valid_until: string | null } | null;
  builder: {
    address: string;
    fee_bps: string;
    max_fee_rate: string;
    is_required: boolean;
    state: "undecided" | "approved" | "skipped";
  } | null;
  api_keys: Pick<ApiKey, "key_hash" | "scopes">[];
  expires_at: string;
};

export type SetupOutcome = {
  status: "succeeded" | "rejected" | "unknown";
  error: string | null;
  what_to_do: string | null;
  setup: Setup;
};

export type ExchangeView = {
  address: string;
  role: string;
  can_be_owner: boolean;
  problem: string | null;
  what_to_do: string | null;
  account_mode: AccountMode | null;
  equity: string | null;
  withdrawable: string | null;
  margin_used: string | null;
  perpetuals: DexBalance[];
  spot: SpotBalance[];
  agents: { name: string; address: string; is_own: boolean; valid_until: string | null }[];
  are_agents_known: boolean;
  /** What the approval of this gateway's agent does to them. */
  agents_notice: string | null;
  is_agents_notice_warning: boolean;
  as_of: string;
};

export type Approval = {
  nonce: number;
  chain_id: number;
  valid_until: string | null;
  typed_data: TypedData;
};
