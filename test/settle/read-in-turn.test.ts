/** What is read again without a feed: no account waits behind another for good, and an end that a look has met is followed up. */
import { expect, test } from "bun:test";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import type { Follower } from "../../src/settle/feed/follow.ts";
import { openSettler } from "../../src/settle/settler.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { findOrder, insertOrder } from "../../src/store/orders.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

const ROUND_MS = 30_000;

/** Accounts with an order each, and a minute's weight that is enough for one reading in each round. */
function openShort(count: number) {
  const rig = openGatewayRig();
  const accounts = Array.from({ length: count }, (_, nth) => {
    const tradingAddress = `0x${String(nth + 1).repeat(40)}`;
    const account = { ...ACCOUNT, id: `6c0d8a52-6f0e-4f3b-9c55-00000000000${nth}`, label: `sub-${nth}` };
    return nth === 0 ? ACCOUNT : { ...account, ownerAddress: tradingAddress, tradingAddress };
  });
  for (const [nth, account] of accounts.entries()) {
    if (nth > 0) insertAccount(rig.store, account);
    const [orderId, oid] = [`0190a0b0-0000-7007-8000-00000000000${nth}`, `${nth + 1}`];
    insertOrder(rig.store, orderRow({ id: orderId, accountId: account.id, status: "open", exchangeOrderId: oid }));
    insertLeg(rig.store, legRow({ cloid: `0x${String(nth).repeat(32)}`, orderId, state: "resting", oid }));
  }
  const addresses = accounts.map(({ tradingAddress }) => tradingAddress);
  let room = 0;
  const isFirst = (requests: readonly InfoRequest[]) => requests.some(({ type }) => type === "userFillsByTime");
  Object.assign(rig.exchange, {
    budgetWaitS: (_: unknown, requests: readonly InfoRequest[]) => (isFirst(requests) && room === 0 ? 60 : 0),
  });
  const read: string[] = [];
  rig.exchange.answer("userFillsByTime", ({ user }) => {
    room = 0;
    read.push(String(user));
    return [];
  });
  rig.exchange.answer("frontendOpenOrders", () => []);
  const { follower } = openFollowing(rig.deps, { ...rig.deps.settling, look: async () => "failed" });
  const round = async () => {
    room = 1;
    void follower.resync("not_live");
    await rig.clock.advance(1_000);
    room = 0;
    await rig.clock.advance(ROUND_MS - 1_000);
  };
  return { addresses, read, round, follower };
}

test("where weight is enough for one account in each round, each of three is read in its turn", async () => {
  const { addresses, read, round, follower } = openShort(3);
  for (let nth = 0; nth < 6; nth += 1) await round();
  follower.stop();
  expect(read).toEqual([...addresses, ...addresses]);
});

/** An order that somebody has canceled a second ago, of which one look does not tell the size. */
async function openCanceled(isUnderWay = false) {
  const rig = openGatewayRig();
  let follower: Pick<Follower, "onUnfinished" | "stop"> | null = null;
  const settling = openSettler(rig.deps, { onUnfinished: (id) => follower?.onUnfinished(id) });
  follower = openFollowing(rig.deps, settling).follower;
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("bug: nothing was placed");
  const id = String(told["id"]);
  if (isUnderWay) {
    const { cloid } = order;
    insertAttempt(
      rig.store,
      attemptRow({ kind: "cancel", accountId: ACCOUNT.id, resource: { kind: "order", id }, cloid, state: "ambiguous" }),
    );
  }
  rig.venue.close(order, "selfTradeCanceled");
  await rig.clock.advance(2_000);
  await settling.look(id, { reader: "a client" });
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: null });
  await rig.clock.advance(6_000);
  follower.stop();
  return findOrder(rig.store, id);
}

test("the size of an order that one read has found over is read to the end, though nobody asks again", async () => {
  expect(await openCanceled()).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("of one that something is under way for, who pursues that tells the end", async () => {
  expect(await openCanceled(true)).toMatchObject({ status: "unknown" });
});
