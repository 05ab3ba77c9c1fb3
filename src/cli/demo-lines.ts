import { decimal, multiply, truncate } from "../core/decimal.ts";
import { quoted } from "./say-where.ts";

/** What `serve --paper` says about the account it made. */
export type DemoFacts = { base_url: string; exchange_url: string; account: string; api_key: string };

const MARKET = "BTC";
const SIZE = "0.001";
/** How far above the middle of the book the demo's order may pay: the book moves while a person reads. */
const HEADROOM = decimal("1.05");

export type DemoMarket = {
  /** The middle of the book. */
  mid: string;
  orderName: string;
  /** Of the gateway's own TLS; null without it. */
  certificateFile: string | null;
};

/** Lines for a person, with three commands that can be copied: read the account, place an order, read it back. */
export function demoLines(facts: DemoFacts, { mid, orderName, certificateFile }: DemoMarket): string[] {
  // A demo's certificate is seldom one that curl trusts by itself.
  const trust = certificateFile === null ? "" : `--cacert ${quoted(certificateFile)} `;
  const authorization = `${trust}-H 'Authorization: Bearer ${facts.api_key}'`;
  const order = {
    account: facts.account,
    market: MARKET,
    side: "buy",
    size: SIZE,
    // Whole numbers pass the exchange's price rule at any height.
    price: truncate(multiply(decimal(mid), HEADROOM), 0),
    time_in_force: "ioc",
  };
  return [
    "Postern is trading on paper: a simulated exchange, no real money.",
    "",
    `Gateway   ${facts.base_url}`,
    `Exchange  ${facts.exchange_url}`,
    `Account   ${facts.account}`,
    `API key   ${facts.api_key}`,
    // What stands behind the # never leaves the browser.
    `Page      ${facts.base_url}/#key=${facts.api_key}`,
    "",
    "Read the account:",
    `curl -s ${authorization} '${facts.base_url}/v1/account'`,
    "",
    "Place an order (the same Idempotency-Key again gives the same order, not a second one):",
    `curl -s ${authorization} -H 'Idempotency-Key: ${orderName}' -H 'Content-Type: application/json' -d '${JSON.stringify(order)}' '${facts.base_url}/v1/orders'`,
    "",
    "Read it back:",
    `curl -s ${authorization} '${facts.base_url}/v1/orders?limit=1'`,
    "",
  ];
}

/** The middle of the demo market's book, from the exchange's `allMids`; null when it has none. */
export function demoMid(allMids: unknown): string | null {
  if (typeof allMids !== "object" || allMids === null) return null;
  const mid = Object.entries(allMids).find(([market]) => market === MARKET)?.[1];
  return typeof mid === "string" ? mid : null;
}
