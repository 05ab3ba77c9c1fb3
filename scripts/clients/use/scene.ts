/** Where each client is tried, and how its findings are told. Copied beside the generated clients before it runs. */

declare const process: { env: Record<string, string | undefined> };

const { POSTERN = "", ACCOUNT = "", API_KEY = "" } = process.env;

export const BASE_URL = POSTERN;
export const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };

/** Nothing but what has to be there; far below the market, so that it rests. */
export const ORDER = { account: ACCOUNT, market: "BTC", side: "buy", size: "0.001", price: "60000" } as const;

export function check(what: string, holds: boolean): void {
  if (!holds) throw new Error(`it does not hold that ${what}`);
  console.log(`ok      ${what}`);
}

/** The events of a stream that has ended, each as the type of the client that reads them. */
export function eventsIn<Event>(text: string): Event[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Event);
}
