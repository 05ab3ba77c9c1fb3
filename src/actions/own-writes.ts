import type { Account } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import { dexOf } from "../core/market.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Picture } from "../exchange/picture.ts";
import { listEventsAfter, newestEventIds, type StoredEvent } from "../store/events.ts";
import type { Store } from "../store/open.ts";
import { parseJson } from "../wire/json.ts";

/** What an account was told last, by the exchange's time: what is shown of it must not be older. */
export type OwnWrites = {
  /** Exchange time, unix milliseconds; 0 where nothing is known. @param dex null for all */
  notBeforeMs(account: Account, dex: string | null): number;
};

/** One change that was told. */
type Change = {
  dex: string;
  /** By our clock where the exchange's own time of it is not known. Exchange time, unix milliseconds. */
  atMs: number;
  /** The order's native id, and whether it is over by then; null where its feed says nothing of it. */
  told: { oid: string; isOver: boolean } | null;
};

type Memory = { lastId: number; changes: Change[] };

/** Changes of an account that are looked at: older ones any state shows that may be shown at all. */
const MAX_CHANGES = 128;
const PAGE = 256;

/**
 * From the log of events, read when somebody asks: every answered write and everything that was told is in it. Its time is
 * that of our clock, which is later than the change; the feed tells the exchange's own.
 */
export function openOwnWrites(of: {
  store: Store;
  clock: Clock;
  exchange: Pick<Exchange, "nowMs">;
  picture: Pick<Picture, "toldOf">;
}): OwnWrites {
  const { store, clock, exchange, picture } = of;
  const memories = new Map<string, Memory>();

  function memoryOf({ id }: Account): Memory {
    const known = memories.get(id);
    if (known !== undefined) return known;
    const fresh = { lastId: (newestEventIds(store, id, MAX_CHANGES).at(-1) ?? 1) - 1, changes: [] };
    memories.set(id, fresh);
    return fresh;
  }

  function catchUp(account: Account, memory: Memory): void {
    const offsetMs = exchange.nowMs() - clock.nowMs();
    for (;;) {
      const rows = listEventsAfter(store, { accountId: account.id, after: memory.lastId, limit: PAGE });
      memory.lastId = rows.at(-1)?.id ?? memory.lastId;
      memory.changes.push(...rows.flatMap((row) => changeOf(row, offsetMs) ?? []));
      if (rows.length < PAGE) break;
    }
    memory.changes.splice(0, memory.changes.length - MAX_CHANGES);
  }

  return {
    notBeforeMs(account, dex) {
      const memory = memoryOf(account);
      catchUp(account, memory);
      // A clock that was wrong must not ask for what nobody can show yet.
      const nowMs = exchange.nowMs();
      const times = memory.changes
        .filter((change) => dex === null || change.dex === dex)
        .map((change) => Math.min(nowMs, timeOf(picture, account, change)));
      return Math.max(0, ...times);
    },
  };
}

function timeOf(picture: Pick<Picture, "toldOf">, { tradingAddress }: Account, { atMs, told }: Change): number {
  const heard = told === null ? null : picture.toldOf(tradingAddress, told.oid);
  const isOfThis = heard !== null && (told?.isOver === false || heard.isOver);
  return isOfThis ? Math.min(atMs, heard.timeMs) : atMs;
}

const FILL_ID = /^([0-9]{1,16})-([^-]{1,60})-/;

/** Null for what moves neither positions nor balances. */
function changeOf({ type, resourceId, payload, atMs }: StoredEvent, offsetMs: number): Change | null {
  if (type === "fill.created") {
    const [, timeMs, market] = FILL_ID.exec(resourceId) ?? [];
    return timeMs === undefined || market === undefined
      ? null
      : { dex: dexOf(market), atMs: Number(timeMs), told: null };
  }
  const [area] = type.split(".");
  if ((area !== "order" && area !== "operation") || payload === null) return null;
  // Our own text of an order or an operation.
  const { market, status, exchange_order_id: oid } = parseJson(payload) as Record<string, unknown>;
  // What was removed was never sent; what is not known was not told.
  if (typeof market !== "string" || status === "processing" || status === "unknown") return null;
  const isOver = status === "filled" || status === "canceled" || status === "rejected";
  const told = area === "order" && typeof oid === "string" ? { oid, isOver } : null;
  return { dex: dexOf(market), atMs: atMs + offsetMs, told };
}
