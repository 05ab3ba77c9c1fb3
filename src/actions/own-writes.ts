import type { Account } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import type { Happened } from "../core/mark.ts";
import { dexOf } from "../core/market.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Picture } from "../exchange/picture.ts";
import { listEventsAfter, newestEventIds, type StoredEvent } from "../store/events.ts";
import type { Store } from "../store/open.ts";
import { parseJson } from "../wire/json.ts";

/** What an account was told last, by the exchange's time: what is shown of it must not be older. */
export type OwnWrites = {
  /** What was told lately. @param dex null for all */
  told(account: Account, dex: string | null): Happened[];
};

/** One change that was told. */
type Change = {
  /** Null for any. */
  dex: string | null;
  happened: Exclude<Happened, { kind: "heard" }>;
  /** The order's native id, and whether it is over by then; null where its feed says nothing of it. */
  told: { oid: string; isOver: boolean } | null;
};

type Told = Pick<Picture, "toldOf" | "heardFillAt">;

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
  picture: Told;
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
    told(account, dex) {
      const memory = memoryOf(account);
      catchUp(account, memory);
      return memory.changes
        .filter((change) => dex === null || change.dex === null || change.dex === dex)
        .map((change) => asHeard(picture, account, change));
    },
  };
}

/** As the feed told it, where it did. */
function asHeard(picture: Told, { tradingAddress: user }: Account, { happened, told }: Change): Happened {
  const { timeMs } = happened;
  if (happened.kind === "dated") {
    const heard = picture.heardFillAt(user, timeMs);
    return heard === null ? happened : { kind: "heard", timeMs, heard };
  }
  const update = told === null ? null : picture.toldOf(user, told.oid);
  const isOfThis = update !== null && (told?.isOver === false || update.isOver);
  return isOfThis ? { kind: "heard", timeMs: update.timeMs, heard: update.heard } : happened;
}

const FILL_ID = /^([0-9]{1,16})-([^-]{1,60})-/;

/** Null for what moves neither positions nor balances. */
function changeOf({ type, resourceId, payload, atMs }: StoredEvent, offsetMs: number): Change | null {
  if (type === "fill.created") {
    const [, timeMs, market] = FILL_ID.exec(resourceId) ?? [];
    return timeMs === undefined || market === undefined
      ? null
      : { dex: dexOf(market), happened: { kind: "dated", timeMs: Number(timeMs) }, told: null };
  }
  const [area] = type.split(".");
  if ((area !== "order" && area !== "operation") || payload === null) return null;
  // Our own text of an order or an operation.
  const { market, status, exchange_order_id: oid } = parseJson(payload) as Record<string, unknown>;
  // What was removed was never sent; what is not known was not told.
  if (status === undefined || status === "processing" || status === "unknown") return null;
  const isOver = status === "filled" || status === "canceled" || status === "rejected";
  const told = area === "order" && typeof oid === "string" ? { oid, isOver } : null;
  // An operation does not say in which market it was.
  const dex = typeof market === "string" ? dexOf(market) : null;
  return { dex, happened: { kind: "noted", timeMs: atMs + offsetMs, atMs }, told };
}
