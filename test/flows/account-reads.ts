import type { Store } from "../../src/store/open.ts";
import { insertProposal } from "../../src/store/proposals.ts";
import type { Party } from "../support/paper-rig.ts";

/** Members of answers that name something of an account. */
export const NAMING = [
  "id",
  "account",
  "exchange_order_id",
  "order_id",
  "transaction_hash",
  "key_hash",
  "trading_address",
  "owner_address",
];

/** Every list and every single thing that an account may read without naming anything. */
export const READS = [
  "GET /v1/orders",
  "GET /v1/orders?status=open",
  "GET /v1/orders?status=canceled",
  "GET /v1/orders?status=filled",
  "GET /v1/orders?dex=",
  "GET /v1/operations",
  "GET /v1/fills",
  "GET /v1/positions",
  "GET /v1/account",
  "GET /v1/api-keys",
  "GET /v1/api-keys?state=all",
  "GET /v1/twaps",
  "GET /v1/agent-renewal",
  "GET /v1/status",
  "GET /v1/whoami",
  "GET /v1/markets",
];

/** Lists in which an account of a minute's age may have nothing yet. */
export const BARE_READS = [
  "GET /v1/funding",
  "GET /v1/transfers",
  "GET /v1/performance?group_by=day,market,bot,key",
  "GET /v1/equity?resolution=5m",
  "GET /v1/proposals",
  "GET /v1/audit",
  ...["funding", "transfers", "equity", "performance", "audit"].flatMap((list) => [
    `GET /v1/exports/${list}.csv`,
    `GET /v1/exports/${list}.jsonl`,
  ]),
];

/** Everything by which an account's objects can be named. */
export type Belongings = {
  party: Party;
  /** Prices and sizes that only this account uses. */
  figures: Figures;
  /** Ids of orders in every form that finds them: open, filled, canceled, waiting, modified, placed elsewhere. */
  orderIds: string[];
  operationIds: string[];
  fillIds: string[];
  twapId: number;
  /** Text that stands in answers to this account and must never stand in one to the other. */
  marks: Set<string>;
};

/** Prices and sizes that only one account uses. */
export type Figures = { open: string; moved: string; outside: string; stop: string; taken: string; size: string };

// Neither account's prices are ever the other's, and nobody's orders meet.
export const FIGURES: readonly [Figures, Figures] = [
  { open: "81111", moved: "81112", outside: "81113", stop: "71111", taken: "95111", size: "0.01117" },
  { open: "82222", moved: "82223", outside: "82224", stop: "72222", taken: "95222", size: "0.02229" },
];

const PROPOSED = { market: "SOL", side: "buy", size: "1", price: "90" } as const;

/** Gives an account a proposal that waits for a person. Returns its id. */
export function addProposal(store: Store, { account, key }: Party, atMs: number): string {
  const id = `${atMs}-${"5".repeat(32)}`;
  const terms = { ...PROPOSED, timeInForce: "gtc", reduceOnly: false, trigger: null } as const;
  const by = { accountId: account.id, keyHash: key.keyHash, bot: null };
  const undecided = { decision: null, decidedAtMs: null, decidedBy: null };
  insertProposal(store, { id, ...by, terms, proposedAtMs: atMs, askedAtMs: atMs, ...undecided });
  return id;
}
