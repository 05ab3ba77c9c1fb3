import { Type } from "@sinclair/typebox";
import { PerpetualsBalance, SpotBalance } from "./account.ts";
import {
  closed,
  described,
  ExchangeWord,
  Figure,
  KeyHash,
  nullable,
  ScopeWord,
  Signature,
  Timestamp,
  Uuid,
  words,
} from "./common.ts";

export const Address = Type.String({
  title: "Address",
  pattern: "^0x[0-9a-f]{40}$",
  description: "Address: 0x and 40 lower-case hex characters.",
  examples: ["0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"],
});
const GivenAddress = Type.String({
  pattern: "^0x[0-9a-fA-F]{40}$",
  description: "Address: 0x and 40 hex characters, in either case.",
});

/** The exchange takes 52 bits. */
const MAX_CHAIN_ID = 4_503_599_627_370_495;
const ChainId = Type.Integer({
  minimum: 1,
  maximum: MAX_CHAIN_ID,
  description:
    "EIP-155 number of the chain that the wallet is connected to: wallets in a browser sign for no other. 421614 for all others.",
  examples: [421_614],
});
const Nonce = Type.Integer({
  minimum: 1,
  maximum: 8_640_000_000_000_000,
  description: "Unix time in milliseconds, as the approval was shown.",
});

export const ChainIdParameter = Type.Integer({ ...ChainId, default: 421_614 });
export const ValidDaysParameter = Type.Integer({
  minimum: 1,
  maximum: 180,
  description: "Days until the approval ends; left out, the exchange's own 90.",
});
export const AddressParameter = GivenAddress;

export const ClaimBody = closed(
  {
    session_hash: described(
      Type.String({ pattern: "^[0-9a-f]{64}$", description: "64 lower-case hex characters." }),
      "SHA-256 of the session token that the page has made: `setup_` and 64 lower-case hex characters.",
    ),
  },
  { title: "ClaimSetup" },
);

export const OwnerBody = closed(
  {
    address: GivenAddress,
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: "^[ -~]+$",
        description: "What you call the account: 1 to 64 printable ASCII characters.",
        default: "main",
      }),
    ),
  },
  { title: "ChooseOwner" },
);

export const ApprovalBody = closed(
  {
    nonce: Nonce,
    chain_id: ChainId,
    valid_until: Type.Optional(nullable(Timestamp, "As the approval was shown; null or left out where it had none.")),
    signature: Signature,
  },
  { title: "SignedApproval" },
);

export const NoBody = closed({}, { title: "NoParameters" });

export const SetupResource = closed(
  {
    object: Type.Literal("setup", { description: "Always `setup`." }),
    step: words(["owner", "agent", "builder", "key", "finish", "done"], { description: "What comes next." }),
    network: words(["mainnet", "testnet", "paper"], { description: "The network that this gateway really trades on." }),
    is_real_money: Type.Boolean({ description: "Whether what is traded is worth anything." }),
    audience: Type.String({ description: "What grants for this gateway are signed for." }),
    exchange: ExchangeWord,
    exchange_url: Type.String({ description: "Where the exchange is." }),
    account: nullable(
      closed(
        {
          id: Uuid,
          label: Type.String({ description: "What the owner calls it." }),
          kind: words(["main", "subaccount", "vault", "copy"], { description: "What it is at the exchange." }),
          owner_address: described(Address, "Who signs."),
          trading_address: described(Address, "Whose orders these are."),
        },
        { title: "SetupAccount" },
      ),
      "Null until the owner's address is given.",
    ),
    agent: nullable(
      closed(
        {
          address: described(Address, "Address of the key that this gateway has made and signs with."),
          name: Type.String({ description: "Its name at the exchange." }),
          state: words(["new", "approved"], { description: "Whether the exchange lets it trade." }),
          valid_until: nullable(Timestamp, "When that ends; null when it is new or the end is not known."),
        },
        { title: "SetupAgent" },
      ),
      "Made with the account.",
    ),
    builder: nullable(
      closed(
        {
          address: described(Address, "Who takes the fee."),
          fee_bps: described(Figure, "Fee in basis points of what is traded."),
          max_fee_rate: Type.String({ description: "The same as the exchange writes it: `0.05%`." }),
          is_required: Type.Boolean({ description: "Whether orders carry it even where it is not approved." }),
          state: words(["undecided", "approved", "skipped"], { description: "What the owner has said." }),
        },
        { title: "SetupBuilder" },
      ),
      "Null where there is no fee to approve.",
    ),
    api_keys: Type.Array(
      closed({ key_hash: KeyHash, scopes: Type.Array(ScopeWord, { description: "Sorted." }), created_at: Timestamp }),
      { description: "Keys of the account that open something." },
    ),
    expires_at: described(Timestamp, "When this session ends if nothing more is asked."),
  },
  { title: "Setup", description: "How far the set-up has come, from what is stored." },
);

export const SetupOutcomeResource = closed(
  {
    object: Type.Literal("setup_outcome", { description: "Always `setup_outcome`." }),
    status: words(["succeeded", "rejected", "unknown"], {
      description: "`rejected`: nothing has changed. `unknown`: `GET /v1/setup` will tell.",
    }),
    error: nullable(Type.String(), "Why not, in words."),
    what_to_do: nullable(Type.String(), "The one thing to do about it."),
    setup: SetupResource,
  },
  { title: "SetupOutcome" },
);

function open(description: string) {
  return Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, description }));
}

export const ApprovalResource = closed(
  {
    object: Type.Literal("approval", { description: "Always `approval`." }),
    address: described(Address, "Who has to sign."),
    nonce: Nonce,
    chain_id: ChainId,
    valid_until: nullable(Timestamp, "When the approval ends; null = as the exchange likes, or never."),
    typed_data: closed(
      {
        types: open("Types, `EIP712Domain` among them."),
        domain: open("The signing domain of the exchange."),
        primaryType: Type.String({ description: "Which of the types the message has." }),
        message: open("What is signed."),
      },
      { description: "As `eth_signTypedData_v4` takes it." },
    ),
  },
  { title: "Approval", description: "What the owner's wallet signs for the exchange." },
);

export const ExchangeViewResource = closed(
  {
    object: Type.Literal("exchange_view", { description: "Always `exchange_view`." }),
    address: Address,
    role: words(["user", "missing", "agent", "subaccount", "vault", "unknown"], {
      description: "What the exchange knows the address as.",
    }),
    can_be_owner: Type.Boolean({ description: "Whether it can sign for an account." }),
    problem: nullable(Type.String(), "What stands in the way, in words."),
    what_to_do: nullable(Type.String(), "The one thing to do about it."),
    account_mode: words(["standard", "unified", "portfolio_margin"], { description: "How collateral is shared." }),
    equity: described(Figure, "Account value of the native perpetuals, in USDC."),
    withdrawable: described(Figure, "What could be withdrawn of it, in USDC."),
    margin_used: described(Figure, "Margin held by positions, in USDC."),
    perpetuals: Type.Array(PerpetualsBalance, { description: "One entry a perpetuals dex, the native one first." }),
    spot: Type.Array(SpotBalance, { description: "One entry a token held." }),
    agents: Type.Array(
      closed({
        name: Type.String({ description: "Its name." }),
        address: Address,
        is_own: Type.Boolean({ description: "Whether it is, or was, a key of this gateway." }),
        valid_until: nullable(Timestamp, "When its approval ends."),
      }),
      { description: "Agents with a name that may trade for it." },
    ),
    are_agents_known: Type.Boolean({ description: "Whether the exchange could be asked for them." }),
    agents_notice: nullable(
      Type.String(),
      "What the approval of this gateway's agent does to them, or why the exchange would refuse it; null when nothing.",
    ),
    is_agents_notice_warning: Type.Boolean({
      description: "Whether something that trades now may stop, the exchange would refuse, or it could not be asked.",
    }),
    as_of: Timestamp,
  },
  { title: "ExchangeView", description: "What the exchange shows of an address." },
);
