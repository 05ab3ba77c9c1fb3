/** The audit log at the HTTP edge, and the line of time as a file. */
import { expect, test } from "bun:test";
import { lookForAudit } from "../../src/actions/list-audit.ts";
import { type AuditEntry, appendAudit } from "../../src/store/audit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { testRequest } from "../support/request.ts";
import { BOT, fillAt, limitedRig, MARK, place } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Row = Record<string, unknown>;
type Listed = { data: Row[]; next_cursor: string | null };

async function list(rig: Rig, query = "", apiKey: string = KEYS.both): Promise<Listed> {
  const response = await rig.ask({ path: `/v1/audit${query}`, apiKey });
  expect([query, response.status]).toEqual([query, 200]);
  // The status says that it is a list.
  return (await response.json()) as Listed;
}

const HASH = keyHash(KEYS.both);

/** A second apart each, oldest first: what happened, by whom, to what, and what is told of it. */
const ROWS: [event: string, actor: string, reference: string, detail: AuditEntry["detail"]][] = [
  ["rails_narrowed", "owner", "grid-1", { account: ACCOUNTS.main }],
  ["sign_place", HASH, "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90", { nonce: 1 }],
  ["cancel_all", HASH, "c1", { market: "ETH" }],
  ["key_revoked", "owner", keyHash(KEYS.other), {}],
  ["hook_created", "operator", "h1", { account: ACCOUNTS.other }],
  ["setup_finished", "operator", "setup", {}],
  ["account_taken_up", "gateway", ACCOUNTS.main, {}],
];

function written(): Rig {
  const rig = openRig();
  for (const [nth, [event, actor, reference, detail]] of ROWS.entries())
    appendAudit(rig.deps.store, { atMs: START_MS + nth * 1_000, actor, event, reference, detail });
  return rig;
}

test("each account reads what is its own, newest first, and nobody what was signed or is the machine's", async () => {
  const rig = written();
  const events = ({ data }: Listed) => data.map(({ event }) => event).filter((event) => event !== "key_registered");
  expect(events(await list(rig))).toEqual(["account_taken_up", "cancel_all", "rails_narrowed"]);
  expect(events(await list(rig, "", KEYS.other))).toEqual(["hook_created", "key_revoked"]);
  const at = (nth: number) => new Date(START_MS + nth * 1_000).toISOString();
  for (const [query, found] of [
    ["?market=ETH", ["cancel_all"]],
    [`?key_hash=${HASH}`, ["cancel_all"]],
    [`?since=${at(2)}`, ["account_taken_up", "cancel_all"]],
    [`?since=${at(0)}&until=${at(2)}`, ["rails_narrowed"]],
    ["?limit=1", ["account_taken_up"]],
  ] as const)
    expect([query, events(await list(rig, query))]).toEqual([query, [...found]]);
  const first = await list(rig, "?limit=1");
  expect((await list(rig, `?limit=1&cursor=${first.next_cursor}`)).data).toMatchObject([
    { event: "cancel_all", actor: HASH, key_hash: HASH, facts: [{ name: "market", value: "ETH" }] },
  ]);
  const looked = { accountId: ACCOUNTS.main, after: null, limit: 50, filter: null };
  expect(lookForAudit(rig.deps.store, looked, 3).lookedTo?.atMs).toBe(START_MS + 4_000);
});

test.each(["?cursor=x", "?cursor=1-2-3", "?event=x", "?limit=0"])("%s is refused", async (query) => {
  expect((await openRig().ask({ path: `/v1/audit${query}`, apiKey: KEYS.both })).status).toBe(400);
});

async function history(rig: Rig, query = "", format = "jsonl"): Promise<string> {
  const request = testRequest({ path: `/v1/exports/history.${format}${query}`, apiKey: KEYS.both });
  const response = await rig.server.handle(request, "10.0.0.1");
  expect([query, response.status]).toEqual([query, 200]);
  let file: string | null = null;
  const read = response.text().then((text) => {
    file = text;
  });
  while (file === null) {
    await rig.clock.advance(1);
    await Promise.race([read, Bun.sleep(0)]);
  }
  return file;
}

function linesOf(text: string): Row[] {
  // Each line was written as an object.
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
}

test("the line of time is a file: merged, newest first, and just what fits kind, status, bot and text", async () => {
  const rig = await limitedRig({ bot: "grid-1" });
  fillAt(rig, MARK);
  for (let nth = 0; nth < 70; nth += 1) {
    const isBot = nth % 10 === 9;
    await place(rig, {}, { apiKey: isBot ? BOT : KEYS.both, key: `order-of-line-${nth}` });
    await rig.clock.advance(1_000);
  }
  const detail = { market: "BTC", account: ACCOUNTS.main, rail: "=max_order" };
  appendAudit(rig.deps.store, { atMs: rig.clock.nowMs(), actor: "owner", event: "told", reference: "=1+1", detail });
  const all = linesOf(await history(rig));
  const orders = all.filter(({ kind }) => kind === "order");
  expect(orders).toHaveLength(70);
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .sort()
      .toReversed(),
  );
  expect(all[0]).toMatchObject({ kind: "audit", status: "told", market: "BTC", words: "owner: =1+1, rail =max_order" });
  expect(linesOf(await history(rig, "?kind=order"))).toEqual(orders);
  expect(linesOf(await history(rig, "?kind=order&bot=grid-1"))).toEqual(orders.filter(({ bot }) => bot === "grid-1"));
  expect(linesOf(await history(rig, "?status=told&text=MAX_ORDER"))).toEqual(all.slice(0, 1));
  expect(await history(rig, "?text=nothing+has+this")).toBe("");
  const csv = (await history(rig, "?kind=order", "csv")).trimEnd().split("\r\n");
  expect(csv[0]).toBe("at,kind,market,side,size,price,status,bot,fee,realized,words,order_id,id,key_hash,account");
  expect(csv).toHaveLength(71);
});

test.each(["?kind=orders", "?text=", "?status=", `?text=${"x".repeat(101)}`])("history%s is refused", async (query) => {
  const response = await openRig().ask({ path: `/v1/exports/history.csv${query}`, apiKey: KEYS.both });
  expect(response.status).toBe(400);
});
