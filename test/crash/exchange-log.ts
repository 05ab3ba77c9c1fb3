/** What the exchange knows: the journal of every action that it took, its orders and its fills. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ActionInput } from "../../src/paper/engine/action.ts";
import { parseState } from "../../src/paper/state-text.ts";
import type { JournalEntry } from "../../src/paper/world.ts";
import type { Scene } from "./scene.ts";

export type ExchangeOrder = { oid: number; cloid: string | null; status: string };

export type ExchangeTwap = { size: string; status: string };

export type ExchangeLog = {
  actions: ActionInput[];
  /** By native id. */
  orders: ReadonlyMap<number, ExchangeOrder>;
  /** Filled size by native id, 10^-8. */
  filled: ReadonlyMap<number, bigint>;
  /** By native id, as they stand. */
  twaps: ReadonlyMap<string, ExchangeTwap>;
};

/** Entries that one answer of the exchange holds at most: with as many, older ones may be missing. */
const MAX_LISTED = 2_000;

export async function readExchange({ exchangeDirectory, exchangeUrl, owner }: Scene): Promise<ExchangeLog> {
  const history = await info(exchangeUrl, { type: "historicalOrders", user: owner });
  const fills = await info(exchangeUrl, { type: "userFills", user: owner });
  if (Math.max(history.length, fills.length) >= MAX_LISTED)
    throw new Error("too much for one look: fewer kills a scene");
  const newest = history.sort(
    (a: { statusTimestamp: number }, b: { statusTimestamp: number }) => a.statusTimestamp - b.statusTimestamp,
  );
  const orders = new Map<number, ExchangeOrder>();
  for (const { order, status } of newest) orders.set(order.oid, { oid: order.oid, cloid: order.cloid, status });
  const open = await info(exchangeUrl, { type: "frontendOpenOrders", user: owner });
  for (const { oid, cloid } of open) orders.set(oid, { oid, cloid, status: "open" });
  const filled = new Map<number, bigint>();
  for (const { oid, sz } of fills) filled.set(oid, (filled.get(oid) ?? 0n) + units(sz));
  const twaps = await readTwaps(exchangeUrl, owner);
  return { actions: readJournal(exchangeDirectory), orders, filled, twaps };
}

/** The history has a row for each change; what has ended has ended, wherever in the list. */
async function readTwaps(url: string, owner: string): Promise<Map<string, ExchangeTwap>> {
  const twaps = new Map<string, ExchangeTwap>();
  for (const { twapId, state, status } of await info(url, { type: "twapHistory", user: owner })) {
    const known = twaps.get(String(twapId));
    if (known !== undefined && known.status !== "activated") continue;
    twaps.set(String(twapId), { size: state.sz, status: status.status });
  }
  return twaps;
}

function readJournal(directory: string): ActionInput[] {
  const names = readdirSync(directory).filter((name) => name.startsWith("journal-"));
  if (names.length !== 1 || names[0] !== "journal-1.jsonl") throw new Error("the journal is not whole");
  const lines = readFileSync(join(directory, "journal-1.jsonl"), "utf8").split("\n");
  // A last line without its end is still being written.
  return lines.slice(0, -1).flatMap((line) => {
    const entry = parseState(line) as JournalEntry;
    return entry.kind === "action" ? [entry.input] : [];
  });
}

async function info(url: string, request: object) {
  const response = await fetch(`${url}/info`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  if (response.status !== 200) return info(url, request);
  return JSON.parse(await response.text());
}

/** Decimal text in 10^-8. */
export function units(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole) * 10n ** 8n + BigInt(fraction.padEnd(8, "0").slice(0, 8));
}
