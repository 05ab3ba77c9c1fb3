/** What an account was told, wherever it stands: in the list of its events, or in the log alone, which gives the same. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { NOTICE_TYPE } from "../../src/core/notice/notice.ts";
import {
  lacksEvents,
  listEventsAfter,
  listEventsAnew,
  listNoticesSince,
  newestEventIds,
  wasTold,
} from "../../src/store/account-events.ts";
import { appendEvent, appendNotice, markStart, pruneEvents, type StoredEvent } from "../../src/store/events.ts";
import type { Store } from "../../src/store/open.ts";
import { openMemoryStore } from "../support/memory-store.ts";

const ACCOUNTS = ["a", "b", "quiet"] as const;

const STEPS = fc.array(
  fc.oneof(
    fc.record({ what: fc.constant("tell" as const), account: fc.constantFrom("a", "a", "b", "quiet") }),
    fc.record({ what: fc.constant("notice" as const) }),
    fc.record({ what: fc.constant("start" as const) }),
    fc.record({ what: fc.constant("list" as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ what: fc.constant("prune" as const), count: fc.integer({ min: 1, max: 12 }) }),
  ),
  { minLength: 1, maxLength: 60 },
);
const QUESTION = fc.record({ after: fc.nat({ max: 70 }), limit: fc.integer({ min: 1, max: 20 }) });

test("an account is told the same of its events before and after they come into the list", () => {
  fc.assert(
    fc.property(STEPS, QUESTION, (steps, { after, limit }) => {
      const store = openMemoryStore();
      for (const [atMs, step] of steps.entries()) {
        if (step.what === "tell") tell(store, step.account, atMs);
        else if (step.what === "notice") appendNotice(store, "n", "{}", atMs);
        else if (step.what === "start") markStart(store, atMs);
        else if (step.what === "list") listEventsAnew(store, step.count);
        else if (step.what === "prune") pruneEvents(store, { maxRows: 100, beforeMs: atMs - 5 }, step.count);
        expectAsInLog(store, after, limit);
      }
      while (lacksEvents(store)) expect(listEventsAnew(store, 7)).toBeGreaterThan(0);
      expectAsInLog(store, after, limit);
      expect(idsOf(store, "listed_events")).toEqual(idsOf(store, "events"));
    }),
    { numRuns: 200 },
  );
});

function tell(store: Store, accountId: string, atMs: number): void {
  appendEvent(store, { accountId, atMs, type: "fill.created", resourceId: `${atMs % 3}`, payload: `${atMs}` });
}

function expectAsInLog(store: Store, from: number, limit: number): void {
  const log = store.$client.prepare("SELECT id, account_id, at_ms, type, resource_id, payload FROM events").values();
  const rows = log as [number, string, number, string, string, string | null][];
  const after = rows[from]?.[0] ?? 0;
  for (const account of ACCOUNTS) {
    const own = rows.filter(([, accountId]) => accountId === account);
    const ids = own.map(([id]) => id);
    expect(listEventsAfter(store, { accountId: account, after, limit }).map(idOf)).toEqual(
      ids.filter((id) => id > after).slice(0, limit),
    );
    expect(newestEventIds(store, account, limit)).toEqual(ids.toReversed().slice(0, limit));
    const [, , , type, resourceId, payload] = own[from % Math.max(own.length, 1)] ?? [];
    if (type === undefined || resourceId === undefined || payload === undefined) continue;
    const event = { accountId: account, type: "fill.created", resourceId, payload } as const;
    expect([wasTold(store, event), wasTold(store, { ...event, payload: "other" })]).toEqual([true, false]);
  }
  const notices = rows.filter(([, , atMs, type]) => type === NOTICE_TYPE && atMs >= from);
  expect(listNoticesSince(store, from).map(({ atMs }) => atMs)).toEqual(notices.map(([, , atMs]) => atMs));
}

function idOf({ id }: Pick<StoredEvent, "id">): number {
  return id;
}

function idsOf(store: Store, table: string): unknown[] {
  return store.$client.prepare(`SELECT id, account_id FROM ${table} ORDER BY id`).values();
}
