/** Whoever follows an account is told each change of what its keys may do, by the event and outside it, as it then is. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decimal } from "../../src/core/decimal.ts";
import { noticeOf } from "../../src/core/notice/notice.ts";
import { dayOf } from "../../src/core/rails/trip.ts";
import { blockKey } from "../../src/ops/block-key.ts";
import { clearTrip } from "../../src/ops/clear-trip.ts";
import { keepKey } from "../../src/ops/keep-key.ts";
import { narrowKey } from "../../src/ops/narrow-key.ts";
import { revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { latestEventId, listAllEventsAfter } from "../../src/store/events.ts";
import { countDayAsUsed, insertTrip } from "../../src/store/trips.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { readEvents } from "./event-reader.ts";
import { BOT, limitedRig, OTHER_BOT, register, textOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

const OF_BOT = { accountId: ACCOUNTS.main, bot: "grid-1" };

function operatorOf(rig: Rig) {
  return { ...rig.deps, network: "paper" as const };
}

function trip(rig: Rig): void {
  const nowMs = rig.clock.nowMs();
  const lost = { cause: "loss", day: dayOf(nowMs), loss: decimal("6"), limit: decimal("5") } as const;
  const id = "0190a0b0-0000-7007-8000-00000000abcd";
  inTransaction(rig.deps.store, (store) =>
    insertTrip(store, { id, ...OF_BOT, ...lost, createdAtMs: nowMs, clearedAtMs: null }, "gateway"),
  );
}

/** As a restore does it. */
function hold(rig: Rig): void {
  inTransaction(rig.deps.store, (store) => setKeyState(store, hash, "held", rig.clock.nowMs()));
}

type Change = {
  what: string;
  /** The names of its audit rows. */
  audited: readonly string[];
  before?: (rig: Rig) => void;
  make: (rig: Rig) => unknown;
  /** The type of the event, what its data hold, and the first line of the notice. */
  told: readonly [string, object, string][];
};

const hash = keyHash(BOT);
const HELD_TO = expect.objectContaining({ bot: "grid-1", max_order: "100 USD" });
const NARROWED = { object: "rail_narrowing", bot: "grid-1", rails: HELD_TO };

const CHANGES: readonly Change[] = [
  {
    what: "a key that is granted",
    audited: ["limited_key_granted"],
    make: (rig) => register(rig, textOf(rig, {}, OTHER_BOT)),
    told: [["key.registered", { key_hash: keyHash(OTHER_BOT), state: "active" }, "An API key was registered"]],
  },
  {
    what: "a key that narrows itself",
    audited: ["rails_narrowed"],
    make: (rig) => rig.ask({ path: "/v1/api-keys/self/narrow", apiKey: BOT, body: { max_order: "100 USD" } }),
    told: [["key.narrowed", { ...NARROWED, narrowed_by: hash }, "A bot is held to tighter rails"]],
  },
  {
    what: "a key that the operator narrows",
    audited: ["rails_narrowed"],
    make: (rig) => narrowKey(operatorOf(rig), { keyHash: hash, rails: { maxOrder: "100 USD" }, cancelOrders: false }),
    told: [["key.narrowed", { ...NARROWED, narrowed_by: "operator" }, "A bot is held to tighter rails"]],
  },
  {
    what: "a narrowing that takes nothing away, and is none",
    audited: [],
    make: (rig) => rig.ask({ path: "/v1/api-keys/self/narrow", apiKey: BOT, body: { max_order: "any" } }),
    told: [],
  },
  {
    what: "a key that is blocked",
    audited: ["key_blocked"],
    make: (rig) => blockKey(operatorOf(rig), hash),
    told: [["key.blocked", { key_hash: hash, state: "blocked" }, "An API key was blocked"]],
  },
  {
    what: "a key that a restore holds",
    audited: ["restored"],
    make: (rig) => hold(rig),
    told: [["key.held", { key_hash: hash, state: "held" }, "An API key is on hold since a restore"]],
  },
  {
    what: "a key that is kept, whose day counts as used",
    audited: ["key_kept", "rail_tripped"],
    before: (rig) => hold(rig),
    make: (rig) => keepKey(operatorOf(rig), hash, true),
    told: [
      ["key.released", { key_hash: hash, state: "active" }, "An API key that was on hold may be used again"],
      [
        "rail.tripped",
        { bot: "grid-1", cause: "restored", cleared_at: null },
        "A bot increases nothing before the next UTC day: what it had used is not known since a restore",
      ],
    ],
  },
  {
    what: "a key that is revoked",
    audited: ["key_revoked"],
    make: (rig) =>
      inTransaction(rig.deps.store, (store) =>
        revokeApiKey(store, { accountId: ACCOUNTS.main, keyHash: hash, revokedAtMs: rig.clock.nowMs() }),
      ),
    told: [["key.revoked", { key_hash: hash, state: "revoked" }, "An API key was revoked"]],
  },
  {
    what: "a bot that has lost its limit",
    audited: ["rail_tripped"],
    make: trip,
    told: [["rail.tripped", { bot: "grid-1", cleared_at: null }, "A bot has lost its limit of the day"]],
  },
  {
    what: "a bot that the operator lets increase again",
    audited: ["trip_cleared"],
    before: trip,
    make: (rig) => clearTrip(operatorOf(rig), OF_BOT),
    told: [
      [
        "rail.tripped",
        { bot: "grid-1", cleared_at: expect.any(String) },
        "A bot that had lost its limit of the day may increase again",
      ],
    ],
  },
  {
    what: "the same after a restore",
    audited: ["trip_cleared"],
    before: (rig) => countDay(rig),
    make: (rig) => clearTrip(operatorOf(rig), OF_BOT),
    told: [
      [
        "rail.tripped",
        { bot: "grid-1", cause: "restored" },
        "A bot that had been held since a restore may increase again",
      ],
    ],
  },
];

function countDay(rig: Rig): void {
  const by = { atMs: rig.clock.nowMs(), actor: "operator" };
  inTransaction(rig.deps.store, (store) => countDayAsUsed(store, OF_BOT, by));
}

test.each(CHANGES.map((change) => [change.what, change] as const))("%s is told", async (_what, change) => {
  const rig = await limitedRig({ maxOrder: "500 USD" });
  change.before?.(rig);
  const after = latestEventId(rig.deps.store);
  await change.make(rig);
  const asked = await rig.ask({ path: `/v1/events?after=${after}&follow=false`, apiKey: KEYS.both });
  const heard = (await readEvents(asked.body).rest()).filter(({ type }) => type !== "ready");
  expect(heard.map(({ type, data }) => [type, data["data"]])).toEqual(
    change.told.map(([type, data]) => [type, expect.objectContaining(data)]),
  );
  const outside = listAllEventsAfter(rig.deps.store, after, 100).map((row) => noticeOf(row)?.title);
  expect(outside).toEqual(change.told.map(([, , title]) => title));
});

/** What is written down of hooks, orders and accounts is told, or not, by other rules. */
const OF_A_KEY = /event: "((?:limited_)?keys?_[a-z]+|rails?_[a-z]+|trip_[a-z]+)"/g;
/** A refusal changes nothing of a key. */
const NO_CHANGE = ["rail_refused"];

test("nothing is written down of a key or its rails that is not among these", () => {
  const source = join(import.meta.dir, "../../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const named = files.flatMap((file) =>
    [...readFileSync(join(source, file), "utf8").matchAll(OF_A_KEY)].map(([, name = ""]) => name),
  );
  const shown = new Set([...CHANGES.flatMap(({ audited }) => audited), ...NO_CHANGE]);
  expect(named.length).toBeGreaterThan(6);
  expect([...new Set(named)].filter((name) => !shown.has(name))).toEqual([]);
});
