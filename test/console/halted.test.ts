/** Why a bot increases nothing, and why its orders are withdrawn, as the page says it: each reason in words of its own. */
import { afterEach, expect, test } from "bun:test";
import { answering, botLimits, forget, HELD_TO, look, page, signedIn } from "./stage.ts";

afterEach(forget);

const MIDNIGHT = "1970-01-02T00:00:00.000Z";
const USE = { turnover_today: "0", turnover_open: "0", loss_today: "0", actions_today: 0, open_orders: 0, nets: [] };
const NONE = { turnover_today: "0", exposure: "0", actions_today: 0, open_orders: 0, loss_today: "0", positions: [] };
const LOST = { account: "a1", cause: "loss", loss: "60", limit: "50", until: MIDNIGHT };
const RESTORED = { account: "a1", cause: "restored", loss: null, limit: null, until: MIDNIGHT };

function shown(cause: string | null, trip: object | null): string {
  answering({});
  const halt = cause === null ? null : { cause, until: trip === null ? null : MIDNIGHT };
  const limits = {
    bot: "grid-1",
    rails: HELD_TO,
    expires_at: MIDNIGHT,
    trip,
    use: { ...USE, positions: [] },
    headroom: { ...NONE, halt },
  };
  const key = { key_hash: "aa".repeat(32), scopes: ["trading:write"], state: "active", limits };
  return look(botLimits(signedIn("bots"), key))
    .text.replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ");
}

const WORDS = {
  lost: /TRIPPED until .*: it has lost 60.00 of the 50.00 USD that it may lose in a day\..*postern key untrip --bot grid-1 --account a1/,
  restored:
    /TRIPPED until .*: what it had used of its day is not known since a restore\..*postern key untrip --bot grid-1/,
  held: /HELD: a narrowing of grid-1 was deleted or changed from outside\. It increases nothing until you sign a later grant\./,
  stopped: /STOPPED: a stop of grid-1 or of the account stands\. It increases nothing until that is resumed\./,
  paused: /PAUSED: the rails of grid-1 let it increase nothing\. Sign a later grant/,
  nowhere: /Narrowings have left grid-1 no market\. It increases nothing until you sign a later grant\./,
  ended: /This key of grid-1 has ended: nothing is taken from it\./,
};

test.each<[what: string, cause: string | null, trip: object | null, said: (keyof typeof WORDS)[]]>([
  ["nothing is in the way", null, null, []],
  ["it has lost its limit of the day", "loss", LOST, ["lost"]],
  ["its day is not known since a restore", "restored", RESTORED, ["restored"]],
  ["a restore touches no rail of it", null, RESTORED, []],
  ["a narrowing was lost", "narrowing_lost", null, ["held"]],
  ["a narrowing was lost on a day that has tripped", "narrowing_lost", LOST, ["held", "lost"]],
  ["a stop stands", "stopped", null, ["stopped"]],
  ["a stop stands beside a loss", "stopped", LOST, ["stopped", "lost"]],
  ["a stop stands, and a restore touches no rail of it", "stopped", RESTORED, ["stopped"]],
  ["it is paused", "may", null, ["paused"]],
  ["narrowings have nothing in common", "markets", null, ["nowhere"]],
  ["its key has expired", "key_ended", null, ["ended"]],
])("where %s the page says so and nothing else of the kind", (_what, cause, trip, said) => {
  const text = shown(cause, trip);
  const found = Object.entries(WORDS).flatMap(([name, words]) => (words.test(text) ? [name] : []));
  expect(found.toSorted()).toEqual(said.toSorted());
});

const STOP = {
  id: "0b9ad1f2-0000-4000-8000-000000000001",
  scope: "account",
  key_hash: null,
  keep_protection: true,
  created_at: "2026-11-28T10:00:00.000Z",
  remaining: { orders: 1, order_ids: [], twaps: 0 },
  waits_for: [],
  kept: { orders: 0, order_ids: [] },
  outside: { is_done: true, canceled: [], kept: [] },
  flatten: null,
};

test.each([
  ["asked", "stopping", "STOPPING: this account."],
  ["asked", "stopped", "STOPPED: this account."],
  ["heartbeat_missed", "stopping", "because its heartbeat was missed."],
  ["key_blocked", "stopping", "because it was blocked."],
  ["key_revoked", "stopping", "because it was revoked."],
  ["loss_tripped", "stopping", "because it has lost its limit of the day."],
  ["narrowed", "stopping", "because its rails were narrowed."],
])("what is withdrawn as %s and is %s is told on every screen: %s", (cause, status, words) => {
  answering({});
  const app = signedIn("account");
  const stopped_at = status === "stopped" ? "2026-11-28T10:00:01.000Z" : null;
  const stops = { value: [{ ...STOP, cause, status, stopped_at }], readAtMs: 0, asOfMs: null, failure: null };
  const keys = { value: [], readAtMs: 0, asOfMs: null, failure: null };
  Object.assign(app.state, { stops, keys });
  const { text } = look(page(app));
  expect(text).toContain(words);
  // What is withdrawn stops nothing that comes after: there is nothing to resume.
  expect(text.includes("postern resume")).toBe(cause === "asked");
});
