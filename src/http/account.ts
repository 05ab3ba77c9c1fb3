import { getAccount } from "../actions/get-account.ts";
import { whoAmI } from "../actions/who-am-i.ts";
import { EXAMPLE_ACCOUNT, EXAMPLE_ACCOUNT_ID, EXAMPLE_KEY_HASH } from "./examples.ts";
import { type Route, readRoute } from "./route.ts";
import { AccountResource, WhoAmIResource } from "./schema/account.ts";

const TAG = "Account";

const balances = readRoute(
  {
    name: "get_account",
    method: "GET",
    path: "/v1/account",
    tag: TAG,
    summary: "Balances of the key's account",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "Balances, none of before a fill that was told.",
        schema: AccountResource,
        example: EXAMPLE_ACCOUNT,
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller) => getAccount(deps, caller),
);

const whoami = readRoute(
  {
    name: "who_am_i",
    method: "GET",
    path: "/v1/whoami",
    tag: TAG,
    summary: "Account, scopes and true network of the key",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "What the key is good for.",
        schema: WhoAmIResource,
        example: {
          object: "whoami",
          account: EXAMPLE_ACCOUNT_ID,
          label: "main",
          kind: "main",
          owner_address: "0x8d2a0f1f6a4b6f3f2f3b6c1d4e5f60718293a4b5",
          trading_address: "0x8d2a0f1f6a4b6f3f2f3b6c1d4e5f60718293a4b5",
          network: "mainnet",
          exchange: "official",
          key_hash: EXAMPLE_KEY_HASH,
          scopes: ["trading:read", "trading:write"],
          limits: null,
        },
      },
    ],
    errors: [],
  },
  whoAmI,
);

export function accountRoutes(): Route[] {
  return [balances, whoami];
}
