/** Orders that an agent may only propose: nothing is placed before somebody who may has approved just that. */
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { Wallet } from "ethers";
import { decideByOperator } from "../../src/actions/proposals/decide-proposal.ts";
import { type PlacedProposal, placeProposal } from "../../src/actions/proposals/place-proposal.ts";
import { proposeOrder } from "../../src/actions/proposals/propose-order.ts";
import { noticeOf, wordsOf } from "../../src/core/notice/notice.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import type { Stop } from "../../src/core/stop.ts";
import { createServer } from "../../src/http/server.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { findApiKey } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { latestEventId, listAllEventsAfter } from "../../src/store/events.ts";
import { decideProposal, findProposal } from "../../src/store/proposals.ts";
import { proposals } from "../../src/store/schema-proposals.ts";
import { believe } from "../../src/store/sealed-rows.ts";
import { insertStop, resumeStops } from "../../src/store/stops.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { proposalTypedData } from "../../src/wire/grant-data.ts";
import type { Caller } from "../../src/write/caller.ts";
import { BOT, limitedRig, OTHER_BOT, OWNERS_KEY, place, register, textOf } from "./rails-rig.ts";
import { ACCOUNTS, AUDIENCE, KEYS, type Rig } from "./rig.ts";

const BUY: OrderTerms = {
  market: "BTC",
  side: "buy",
  size: "0.001",
  price: "60000",
  timeInForce: "gtc",
  reduceOnly: false,
  trigger: null,
};

function callerOf(rig: Rig, apiKey = BOT): Caller {
  const key = findApiKey(rig.deps.store, keyHash(apiKey));
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  if (key === null || account === null) throw new Error("no such key");
  return { account, key, reader: { reader: "test" }, charge: () => undefined };
}

/** A bot that may only propose, and a key that may only approve. */
async function openScene(may = "cancel,propose") {
  const rig = await limitedRig({ may, markets: "BTC", maxOrder: "100 USD" });
  const approver = textOf(rig, { may: "approve", bot: "person" }, OTHER_BOT);
  expect((await register(rig, approver)).status).toBe(201);
  const propose = async (terms: Partial<OrderTerms> = {}): Promise<string> => {
    const { proposal } = await proposeOrder(rig.deps, callerOf(rig), { terms: { ...BUY, ...terms }, isAnother: true });
    if (proposal === null) throw new Error("its market takes no such order");
    return proposal.id;
  };
  const placeIt = (id: string): Promise<PlacedProposal> => placeProposal(rig.deps, callerOf(rig), id);
  const decide = async (id: string, word: string, apiKey: string = OTHER_BOT) =>
    told(await rig.ask({ path: `/v1/proposals/${id}/${word}`, method: "POST", apiKey, body: {} }));
  const list = async () => (await told(await rig.ask({ path: "/v1/proposals", apiKey: BOT }))).data;
  return { rig, propose, placeIt, decide, list };
}

const STOP_ID = "01a21f1b-0000-7472-b94f-c406016b9da1";
const BY_OPERATOR = { actor: "operator", idempotencyKey: null } as const;

function stopOf(rig: Rig): Stop {
  return {
    id: STOP_ID,
    accountId: ACCOUNTS.main,
    scope: "account",
    keyHash: null,
    cause: "asked",
    keepsProtection: true,
    upTo: 0,
    createdAtMs: rig.clock.nowMs(),
    outsideAtMs: null,
    stoppedAtMs: null,
    resumedAtMs: null,
  };
}

/** Longer than an answer is waited for. */
async function pass({ clock }: Rig): Promise<void> {
  for (let step = 0; step < 40; step += 1) await clock.advance(250);
}

async function told(response: Response) {
  const body = JSON.parse(await response.text());
  return response.ok ? body : { status: response.status, code: body.error.code };
}

async function sign(
  rig: Rig,
  id: string,
  { order = "buy 0.001 BTC at 60000 or better (gtc)", decision = "approve" } = {},
) {
  const of = { audience: AUDIENCE, accountId: ACCOUNTS.main, proposalId: id, order };
  const data = proposalTypedData({ ...of, decision: decision === "approve" ? "approve" : "refuse" });
  const types = { ProposalDecision: [...(data.types["ProposalDecision"] ?? [])] };
  const signature = await new Wallet(OWNERS_KEY).signTypedData(data.domain, types, data.message);
  const body = { account: ACCOUNTS.main, decision, signature };
  return told(await rig.ask({ path: `/v1/proposals/${id}/decide`, body }));
}

test("a key that may only propose places nothing by itself, by whatever door", async () => {
  const { rig, propose, placeIt, list } = await openScene();
  expect(await told(await place(rig, {}))).toMatchObject({ status: 403, code: "rail_refused" });
  const id = await propose();
  expect(await list()).toEqual([]);
  expect(await placeIt(id)).toEqual({ kind: "waiting_for_approval" });
  expect(await placeIt(id)).toEqual({ kind: "waiting_for_approval" });
  expect(rig.sent).toHaveLength(0);
  expect(await list()).toMatchObject([{ id, status: "waiting", in_words: "buy 0.001 BTC at 60000 or better (gtc)" }]);
});

test("that one waits is told once, and what a person said of it: as events, and as a notice with the order in words", async () => {
  const { rig, propose, placeIt, decide } = await openScene();
  const before = latestEventId(rig.deps.store);
  const id = await propose();
  expect(listAllEventsAfter(rig.deps.store, before, 10)).toEqual([]);
  await placeIt(id);
  await placeIt(id);
  await decide(id, "refuse");
  await decide(id, "refuse");
  const events = await rig.ask({ path: `/v1/events?after=${before}&follow=false`, apiKey: BOT });
  const told = (await events.text()).split("\n").filter((line) => line.startsWith("data: "));
  const proposed = told.map((line) => JSON.parse(line.slice("data: ".length))).filter(({ type }) => type !== "ready");
  expect(proposed).toMatchObject([
    { type: "proposal.created", account: ACCOUNTS.main, data: { id, status: "waiting", bot: "grid-1" } },
    {
      type: "proposal.updated",
      account: ACCOUNTS.main,
      data: { id, status: "refused", decided_by: keyHash(OTHER_BOT) },
    },
  ]);
  const notices = listAllEventsAfter(rig.deps.store, before, 10).flatMap((event) => noticeOf(event) ?? []);
  expect(notices.map(wordsOf)).toEqual([
    [
      "An order waits for your approval",
      "bot: grid-1",
      "in_words: buy 0.001 BTC at 60000 or better (gtc)",
      `expires_at: ${proposed[0].data.expires_at}`,
      `id: ${id}`,
    ].join("\n"),
  ]);
});

describe("what was approved is placed once", () => {
  test.each(["key", "owner", "operator"])("by the %s", async (who) => {
    const { rig, propose, placeIt, decide, list } = await openScene();
    const id = await propose();
    await placeIt(id);
    const approve = async () => {
      if (who === "key") return decide(id, "approve");
      if (who === "owner") return sign(rig, id);
      return JSON.parse(await decideByOperator(rig.deps, { proposalId: id, decision: "approve" }));
    };
    const first = await approve();
    expect(first).toMatchObject({ status: "approved", outcome: "order", order: { market: "BTC" } });
    expect((await approve()).order.id).toBe(first.order.id);
    expect(await placeIt(id)).toMatchObject({ kind: "order" });
    expect(rig.sent).toHaveLength(1);
    expect(await list()).toMatchObject([{ status: "approved", order_id: first.order.id }]);
    expect(await decide(id, "refuse")).toMatchObject({ status: 409, code: "proposal_not_open" });
  });

  test.each(["before it is placed", "while it is sent", "once it is answered"])("over a death %s", async (moment) => {
    const { rig, propose, placeIt, decide } = await openScene();
    const { store, exchange } = rig.deps;
    const { send } = exchange;
    const id = await propose();
    await placeIt(id);
    const proposal = findProposal(store, id);
    if (proposal === null) throw new Error("no such proposal");
    const asked = { decision: "approve", actor: "owner", atMs: rig.clock.nowMs() } as const;
    if (moment === "before it is placed") inTransaction(store, () => decideProposal(store, proposal, asked));
    else {
      if (moment === "while it is sent") {
        exchange.send = async (...sent) => {
          await send(...sent);
          return new Promise(() => undefined);
        };
      }
      void decide(id, "approve");
      await pass(rig);
      exchange.send = send;
    }
    // Another process over the same database: nothing of a proposal is held in memory.
    Object.assign(rig, { server: createServer(rig.deps, { trustedProxies: [] }) });
    const again = Promise.all([decide(id, "approve"), placeIt(id), placeIt(id)]);
    await pass(rig);
    await again;
    expect(await decide(id, "approve")).toMatchObject({ status: "approved", order_id: expect.any(String) });
    expect(rig.sent).toHaveLength(1);
  });

  test("and judged by the rails of then: what is beyond them is refused, nothing is sent", async () => {
    const { rig, propose, placeIt, decide } = await openScene();
    const id = await propose();
    await placeIt(id);
    const narrower = { path: "/v1/api-keys/self/narrow", apiKey: BOT, body: { max_order: "50 USD" } };
    expect((await rig.ask(narrower)).status).toBe(200);
    expect(await decide(id, "approve")).toMatchObject({ status: "approved", outcome: "rail_refused", order: null });
    expect(rig.sent).toHaveLength(0);
  });

  test.each(["a stop", "a gateway that was not ready"])(
    "by who says so, and by no agent later: after %s",
    async (what) => {
      const { rig, propose, placeIt, decide } = await openScene();
      const { store, state } = rig.deps;
      const id = await propose();
      await placeIt(id);
      if (what === "a stop") inTransaction(store, () => insertStop(store, stopOf(rig), BY_OPERATOR));
      else Object.assign(state, { phase: "starting" });
      expect(await decide(id, "approve")).toMatchObject({ order: null });
      expect(await placeIt(id)).toEqual({ kind: "not_yet_placed" });
      await rig.clock.advance(1_000);
      if (what === "a stop")
        inTransaction(store, () => resumeStops(store, [STOP_ID], { ...BY_OPERATOR, atMs: rig.clock.nowMs() }));
      else Object.assign(state, { phase: "ready" });
      // Whatever our clock says of the two.
      for (const setBackMs of [0, 5_000, 0]) {
        const { nowMs } = rig.deps.clock;
        rig.deps.clock.nowMs = () => nowMs() - setBackMs;
        expect(await placeIt(id)).toMatchObject({ kind: setBackMs === 0 ? "not_yet_placed" : "not_placed" });
        rig.deps.clock.nowMs = nowMs;
      }
      expect(rig.sent).toHaveLength(0);
      await rig.clock.advance(1);
      expect(await decide(id, "approve")).toMatchObject({ outcome: "order" });
      expect(await placeIt(id)).toMatchObject({ kind: "order" });
      expect(rig.sent).toHaveLength(1);
    },
  );

  test("not at all where trading was stopped, and resumed, while it was judged", async () => {
    const { rig, propose, placeIt, decide } = await openScene();
    const { store } = rig.deps;
    const id = await propose();
    await placeIt(id);
    const price = rig.answers.get("metaAndAssetCtxs");
    rig.answers.set("allMids", () => ({ BTC: "60000", ETH: "60000" }));
    rig.answers.set("metaAndAssetCtxs", (asked) => {
      inTransaction(store, () => {
        insertStop(store, stopOf(rig), BY_OPERATOR);
        resumeStops(store, [STOP_ID], { ...BY_OPERATOR, atMs: rig.clock.nowMs() });
      });
      return price?.(asked);
    });
    expect(await decide(id, "approve")).toMatchObject({ outcome: "trading_stopped", order: null });
    expect(rig.sent).toHaveLength(0);
  });

  test("not long after: a minute on it places nothing", async () => {
    const { rig, propose, placeIt, decide } = await openScene();
    const id = await propose();
    await placeIt(id);
    Object.assign(rig.deps.state, { phase: "starting" });
    expect(await decide(id, "approve")).toMatchObject({ outcome: "not_ready" });
    Object.assign(rig.deps.state, { phase: "ready" });
    await rig.clock.advance(60_000);
    expect(await placeIt(id)).toEqual({ kind: "not_placed" });
    expect(await decide(id, "approve")).toMatchObject({ outcome: "not_placed" });
    expect(rig.sent).toHaveLength(0);
  });
});

test("who says nothing has refused: ten minutes on nobody can approve it", async () => {
  const { rig, propose, placeIt, decide, list } = await openScene();
  const id = await propose();
  await placeIt(id);
  await rig.clock.advance(10 * 60_000);
  expect(await decide(id, "approve")).toMatchObject({ code: "proposal_not_open" });
  expect(await list()).toMatchObject([{ status: "expired" }]);
  expect(await placeIt(id)).toEqual({ kind: "not_placed" });
  expect(rig.sent).toHaveLength(0);
});

test("what was refused is never placed", async () => {
  const { rig, propose, placeIt, decide } = await openScene();
  const id = await propose();
  await placeIt(id);
  expect(await decide(id, "refuse")).toMatchObject({ status: "refused", outcome: "refused" });
  expect(await placeIt(id)).toEqual({ kind: "approval_refused" });
  expect(await decide(id, "approve")).toMatchObject({ code: "proposal_not_open" });
  expect(rig.sent).toHaveLength(0);
});

describe("nobody else approves", () => {
  test.each([
    { what: "the bot itself", apiKey: BOT, code: "rail_refused" },
    { what: "a key without rails", apiKey: KEYS.both, code: "rail_refused" },
    { what: "a key that only reads", apiKey: KEYS.readOnly, code: "insufficient_scope" },
    { what: "a key of another account", apiKey: KEYS.other, code: "rail_refused" },
  ])("$what", async ({ apiKey, code }) => {
    const { rig, propose, placeIt, decide } = await openScene();
    const id = await propose();
    await placeIt(id);
    expect(await decide(id, "approve", apiKey)).toMatchObject({ code });
    expect(rig.sent).toHaveLength(0);
  });

  test("an owner's signature of another order or word is none of this", async () => {
    const { rig, propose, placeIt } = await openScene();
    const id = await propose();
    await placeIt(id);
    expect(await sign(rig, id, { order: "buy 0.001 BTC at 50000 or better (gtc)" })).toMatchObject({ status: 401 });
    const refusal = await sign(rig, id, { decision: "refuse" });
    expect(refusal).toMatchObject({ status: "refused" });
    expect(rig.sent).toHaveLength(0);
  });

  test("who writes into the database: what was approved here is believed, and nothing that was planted", async () => {
    const { rig, propose, placeIt } = await openScene();
    const [planted, approved] = [await propose(), await propose()];
    for (const id of [planted, approved]) await placeIt(id);
    const { store } = rig.deps;
    const told: string[] = [];
    believe(store, [], { seal: () => undefined, isGranted: () => true, tell: ({ id }) => told.push(id) });
    const row = { decision: "approve", decidedAtMs: rig.clock.nowMs(), decidedBy: "owner" } as const;
    store.update(proposals).set(row).where(eq(proposals.id, planted)).run();
    const proposal = findProposal(store, approved);
    if (proposal !== null)
      decideProposal(store, proposal, { decision: "approve", actor: "owner", atMs: row.decidedAtMs });
    expect(findProposal(store, approved)).toMatchObject({ decision: "approve" });
    expect(findProposal(store, planted)).toMatchObject({ decision: "refuse" });
    const other = JSON.stringify({ ...BUY, size: "5" });
    store.update(proposals).set({ terms: other }).where(eq(proposals.id, approved)).run();
    expect(findProposal(store, approved)).toMatchObject({ decision: "refuse" });
    expect(told).toEqual([planted, approved]);
  });
});

test("a key that may reduce by itself asks for what increases alone", async () => {
  const { rig, propose, placeIt } = await openScene("reduce,propose");
  expect(await placeIt(await propose({ side: "sell", reduceOnly: true }))).not.toEqual({
    kind: "waiting_for_approval",
  });
  expect(await placeIt(await propose())).toEqual({ kind: "waiting_for_approval" });
  expect(rig.sent.length).toBeLessThan(2);
});

test("who approves does nothing else: no grant names another verb beside it", async () => {
  const rig = await limitedRig({});
  const response = await register(rig, textOf(rig, { may: "increase,approve", bot: "both" }, OTHER_BOT));
  expect(response.status).toBe(400);
});

test.each([
  ["more than one order may be worth", { size: "0.002" }, "max_order", "0.00166"],
  ["a market that the bot has not", { market: "ETH", price: "3000" }, "markets", null],
])("nobody is asked about %s, which no approval could have placed", async (_what, terms, rail, largest) => {
  const { propose, placeIt, list } = await openScene();
  const refused = { kind: "refused", code: "rail_refused", rail: { rail, largest } };
  expect(await placeIt(await propose(terms))).toMatchObject(refused);
  expect(await list()).toEqual([]);
});

test("about what only reduces somebody is asked, whatever it is worth", async () => {
  const { propose, placeIt } = await openScene();
  const id = await propose({ side: "sell", reduceOnly: true, size: "0.002" });
  expect(await placeIt(id)).toEqual({ kind: "waiting_for_approval" });
});

test("at most twenty of a bot wait at one time", async () => {
  const { propose, placeIt } = await openScene();
  for (let count = 0; count < 20; count += 1) await placeIt(await propose({ price: `${60_000 - count}` }));
  expect(await placeIt(await propose())).toEqual({ kind: "too_many_waiting" });
});
