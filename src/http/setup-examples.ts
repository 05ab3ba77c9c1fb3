/** Answers of the set-up as this gateway gives them, for the interface description. */
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_SIGNATURE } from "./examples.ts";

const EXAMPLE_SETUP_ADDRESS = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
const EXAMPLE_AGENT_ADDRESS = "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf";

export const EXAMPLE_OWNER = { address: EXAMPLE_SETUP_ADDRESS, label: "main" };

export const EXAMPLE_SETUP = {
  object: "setup",
  step: "agent",
  network: "mainnet",
  is_real_money: true,
  audience: "https://postern.example",
  exchange: "official",
  exchange_url: "https://api.hyperliquid.xyz",
  account: {
    id: EXAMPLE_ACCOUNT_ID,
    label: "main",
    kind: "main",
    owner_address: EXAMPLE_SETUP_ADDRESS,
    trading_address: EXAMPLE_SETUP_ADDRESS,
  },
  agent: { address: EXAMPLE_AGENT_ADDRESS, name: "postern-k7q2m-1", state: "new", valid_until: null },
  builder: null,
  api_keys: [],
  expires_at: "2026-11-21T10:00:00.000Z",
};

export const EXAMPLE_SETUP_OUTCOME = {
  object: "setup_outcome",
  status: "succeeded",
  error: null,
  what_to_do: null,
  setup: EXAMPLE_SETUP,
};

export const EXAMPLE_SIGNED_APPROVAL = {
  nonce: 1_795_253_400_000,
  chain_id: 421_614,
  valid_until: "2027-02-19T09:30:00.000Z",
  signature: EXAMPLE_SIGNATURE,
};

export const EXAMPLE_APPROVAL = {
  object: "approval",
  address: EXAMPLE_SETUP_ADDRESS,
  nonce: 1_795_253_400_000,
  chain_id: 421_614,
  valid_until: "2027-02-19T09:30:00.000Z",
  typed_data: {
    types: {
      EIP712Domain: [{ name: "name", type: "string" }],
      "HyperliquidTransaction:ApproveAgent": [{ name: "hyperliquidChain", type: "string" }],
    },
    domain: { name: "HyperliquidSignTransaction", version: "1", chainId: 421_614 },
    primaryType: "HyperliquidTransaction:ApproveAgent",
    message: { hyperliquidChain: "Mainnet", agentAddress: EXAMPLE_AGENT_ADDRESS },
  },
};

export const EXAMPLE_RENEWAL = {
  object: "agent_renewal",
  account: EXAMPLE_ACCOUNT_ID,
  is_due: true,
  signing: {
    address: "0x3c3e4f1b0a9d8c7e6f5a4b3c2d1e0f9a8b7c6d5e",
    name: "postern-1",
    valid_until: "2026-11-30T09:30:00.000Z",
  },
  waiting: { address: EXAMPLE_AGENT_ADDRESS, name: "postern-2" },
  approval: EXAMPLE_APPROVAL,
};

export const EXAMPLE_RENEWAL_OUTCOME = {
  object: "agent_renewal_outcome",
  status: "succeeded",
  error: null,
  what_to_do: null,
};

export const EXAMPLE_EXCHANGE_VIEW = {
  object: "exchange_view",
  address: EXAMPLE_SETUP_ADDRESS,
  role: "user",
  can_be_owner: true,
  problem: null,
  what_to_do: null,
  account_mode: "standard",
  equity: "1250.75",
  withdrawable: "1250.75",
  margin_used: "0",
  perpetuals: [{ dex: "", equity: "1250.75", withdrawable: "1250.75", margin_used: "0" }],
  spot: [{ token: "USDC", token_id: 0, total: "10", hold: "0", available: "10", entry_value: "0" }],
  agents: [{ name: "mobile", address: "0x1563915e194d8cfba1943570603f7606a3115508", is_own: false, valid_until: null }],
  are_agents_known: true,
  agents_notice: null,
  is_agents_notice_warning: false,
  as_of: "2026-11-21T09:30:00.000Z",
};
