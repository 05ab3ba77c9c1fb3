import { Type } from "@sinclair/typebox";
import { KeyLimits } from "./api-key.ts";
import {
  AnswerNetwork,
  closed,
  described,
  ExchangeWord,
  Figure,
  KeyHash,
  nullable,
  ScopeWord,
  Uuid,
  words,
} from "./common.ts";

const MARGIN = {
  equity: described(Figure, "Account value in the collateral, unrealised profit included."),
  withdrawable: described(Figure, "What could be withdrawn, in the collateral."),
  margin_used: described(Figure, "Margin held by positions, in the collateral."),
};

export const PerpetualsBalance = closed(
  {
    dex: Type.String({ description: "Perpetuals dex; empty for the native one.", examples: ["", "xyz"] }),
    ...MARGIN,
  },
  { title: "PerpetualsBalance", description: "In the collateral of that dex, which for the known ones is USDC." },
);

export const SpotBalance = closed(
  {
    token: Type.String({ description: "Name of the token.", examples: ["USDC"] }),
    token_id: nullable(Type.Integer(), "The exchange's number of the token."),
    total: described(Figure, "Balance in units of the token."),
    hold: described(Figure, "Part of it held by open orders, in units of the token."),
    available: described(Figure, "`total` less `hold`, in units of the token."),
    entry_value: described(Figure, "What was paid for it, in USDC."),
  },
  {
    title: "SpotBalance",
    description: "In units of the token; `available` is `total` less `hold`; `entry_value` in USDC.",
  },
);

/** Spec 2.6. */
export const AccountResource = closed(
  {
    object: Type.Literal("account", { description: "Always `account`." }),
    account: Uuid,
    network: AnswerNetwork,
    ...MARGIN,
    perpetuals: Type.Array(PerpetualsBalance, { description: "One entry a perpetuals dex, the native one first." }),
    spot: Type.Array(SpotBalance, { description: "One entry a token held." }),
    account_mode: words(["standard", "unified", "portfolio_margin"], {
      description: "How collateral is shared. In the last two it lies in the spot balances.",
    }),
  },
  {
    title: "Account",
    description:
      "Balances, in USDC where no token is named; the top figures are those of the native perpetuals. Collateral may be shared: do not sum the dexes and spot blindly.",
  },
);

export const WhoAmIResource = closed(
  {
    object: Type.Literal("whoami", { description: "Always `whoami`." }),
    account: Uuid,
    label: Type.String({ description: "The operator's name for the account." }),
    kind: words(["main", "subaccount", "vault", "copy"], { description: "What the account is at the exchange." }),
    owner_address: Type.String({ pattern: "^0x[0-9a-f]{40}$", description: "Who signs for the account and its keys." }),
    trading_address: Type.String({ pattern: "^0x[0-9a-f]{40}$", description: "Whose orders and positions these are." }),
    network: words(["mainnet", "testnet", "paper"], { description: "The network that this gateway really trades on." }),
    exchange: ExchangeWord,
    key_hash: KeyHash,
    scopes: Type.Array(ScopeWord, { description: "Sorted." }),
    limits: KeyLimits,
  },
  { title: "WhoAmI" },
);
