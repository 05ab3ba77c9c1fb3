/** One Idempotency-Key is one order: joined while it runs, replayed once it is answered, free again when nothing left. */
import { expect, test } from "bun:test";
import { ApiError, type ErrorCode } from "../../src/core/errors.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { listOrders } from "../../src/store/orders.ts";
import { answerRecord } from "../../src/write/key.ts";
import { ACCOUNT, DELIVERY, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";

function storedOrders({ store }: GatewayRig): ReturnType<typeof listOrders> {
  return listOrders(store, { accountId: ACCOUNT.id, status: null, dex: null, after: null, limit: 100 });
}

async function refusalOf(asked: Promise<unknown>): Promise<ErrorCode> {
  const error: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error.code;
  throw new Error(`no refusal: ${String(error)}`);
}

test("an order that is answered 202 is settled in the background, and that is then the stored answer", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(...Array.from({ length: 4 }, () => DELIVERY.neverArrived));
  const asked = await rig.answerOf(rig.place("key-0001"));
  expect([asked.httpStatus, asked.order["status"]]).toEqual([202, "unknown"]);
  const meanwhile = await rig.answerOf(rig.place("key-0001"));
  expect(meanwhile).toMatchObject({ httpStatus: 202, isReplay: true });
  await rig.clock.advance(90_000);
  const settled = await rig.answerOf(rig.place("key-0001"));
  expect(settled).toMatchObject({ httpStatus: 201, isReplay: true });
  expect(settled.order).toMatchObject({ id: asked.order["id"], status: "rejected" });
  expect((await rig.answerOf(rig.place("key-0001"))).body).toBe(settled.body);
});

test("a replay is the first answer byte for byte, whatever became of the order since", async () => {
  const rig = openGatewayRig();
  const first = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order !== undefined) rig.venue.close(order, "canceled");
  // Two readings say that nothing of it was filled.
  for (let nth = 0; nth < 2; nth += 1) {
    await rig.clock.advance(5_000);
    await rig.deps.settling.look(String(first.order["id"]));
  }
  expect(storedOrders(rig)[0]?.status).toBe("canceled");
  const again = await rig.answerOf(rig.place("key-0001"));
  expect(again).toEqual({ ...first, isReplay: true });
  expect(rig.exchange.sent).toHaveLength(1);
});

test("a repeat that found its key not answered yet is answered with what was stored meanwhile, not with how it stands", async () => {
  const rig = openGatewayRig();
  const first = await rig.answerOf(rig.place("key-0001"));
  const record = findKeyRecord(rig.store, ACCOUNT.id, "key-0001");
  const [order] = rig.venue.orders;
  if (order === undefined || record === null) throw new Error("nothing placed");
  rig.venue.fill(order, order.size);
  await rig.deps.settling.look(String(first.order["id"]));
  expect(storedOrders(rig)[0]?.status).toBe("filled");
  const verb = {
    bucket: "orders",
    isCancel: false,
    plan: () => Promise.reject(new Error("nothing is planned")),
  } as const;
  const write = {
    ...record,
    ...verb,
    caller: rig.caller,
    asked: {},
    placedTerms: null,
    isCreating: true,
    startedElapsedMs: 0,
  };
  const again = await answerRecord(rig.deps, { ...record, answer: null }, write);
  expect(again).toMatchObject({ status: 201, body: first.body, isReplay: true });
});

test("a hundred requests under one key at once are one order and ninety-nine replays of its answer", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(300, 300));
  const asked = Array.from({ length: 100 }, () => rig.place("key-0001"));
  const answers = await Promise.all(asked.map((each) => rig.answerOf(each)));
  expect(rig.exchange.sent).toHaveLength(1);
  expect(rig.venue.orders).toHaveLength(1);
  expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  const final = answers.filter(({ httpStatus }) => httpStatus === 201);
  expect(new Set(final.map(({ body }) => body)).size).toBe(1);
  // One sends, 64 join it, and the rest is told at once how the row stands.
  expect(final).toHaveLength(65);
  expect(answers.filter(({ httpStatus }) => httpStatus === 202)).toHaveLength(35);
  for (const each of answers) expect(each.order["id"]).toBe(answers[0]?.order["id"]);
  expect((await rig.answerOf(rig.place("key-0001"))).body).toBe(final[0]?.body ?? "");
});

test("two requests of one turn under one key are one order, also while the intent's own step takes long", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(100, 100));
  const [first, second] = await Promise.all([rig.place("key-0001"), rig.place("key-0001")].map(rig.answerOf));
  expect([first?.isReplay, second?.isReplay].toSorted()).toEqual([false, true]);
  expect(first?.body).toBe(second?.body ?? "");
  expect(rig.exchange.sent).toHaveLength(1);
});

test("another request under a used key is refused, and nothing of it is sent or stored", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  expect(await refusalOf(rig.place("key-0001", { size: "2" }))).toBe("idempotency_key_reused");
  expect(rig.exchange.sent).toHaveLength(1);
  expect(storedOrders(rig)).toHaveLength(1);
  expect((await rig.answerOf(rig.place("key-0001", { size: "1" }))).isReplay).toBe(true);
});

test.each([[true], [false]])(
  "a placing and a cancel of one turn under one key: one of them is refused (placing first: %p)",
  async (isPlacingFirst) => {
    const rig = openGatewayRig();
    const placed = await rig.answerOf(rig.place("key-0001"));
    const place = () => rig.place("key-0002");
    const cancel = () => rig.cancel("key-0002", String(placed.order["id"]));
    const [first, second] = (isPlacingFirst ? [place, cancel] : [cancel, place]).map((ask) => ask());
    if (first === undefined || second === undefined) throw new Error("two were asked");
    const [answer, refusal] = await Promise.all([rig.answerOf(first), refusalOf(second)]);
    expect(answer.httpStatus).toBe(isPlacingFirst ? 201 : 200);
    expect(refusal).toBe("idempotency_key_reused");
    expect(storedOrders(rig)).toHaveLength(isPlacingFirst ? 2 : 1);
    expect(rig.exchange.sent).toHaveLength(2);
  },
);

test("the refusal names what differs from the first request, and only that", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001", { size: "1.0" }));
  const said = await rig
    .place("key-0001", { size: "1", price: "99", side: "sell" })
    .then(() => "accepted")
    .catch((error: unknown) => String(error));
  expect(said).toContain("with another side, price.");
});

test("an order of which no byte left is gone, its key is free, and the next try is a first one", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.notSent);
  expect(await refusalOf(rig.answerOf(rig.place("key-0001")))).toBe("exchange_unreachable");
  expect(storedOrders(rig)).toEqual([]);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "key-0001")).toBeNull();
  expect(listOpenAttempts(rig.store)).toEqual([]);
  const again = await rig.answerOf(rig.place("key-0001"));
  expect(again).toMatchObject({ httpStatus: 201, isReplay: false });
});

test("an order for which our own weight has no room when it is sent is gone too, and it is told whose limit that was", async () => {
  const rig = openGatewayRig();
  const outcome = { kind: "not_sent", reason: "our weight towards the exchange is used up", waitS: 7 } as const;
  rig.deliveries.push(() => outcome);
  const refused = await rig.answerOf(rig.place("key-0001")).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "exchange_rate_limited", retryAfterS: 7 });
  expect(String(refused)).toContain("Nothing was sent: our weight towards the exchange is used up.");
  expect(storedOrders(rig)).toEqual([]);
  expect(await rig.answerOf(rig.place("key-0001"))).toMatchObject({ httpStatus: 201, isReplay: false });
});

test("all who joined an order that was not sent are told the same", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(200, 0, DELIVERY.notSent));
  const asked = [rig.place("key-0001"), rig.place("key-0001"), rig.place("key-0001")];
  const refusals = await Promise.all(asked.map((each) => refusalOf(rig.answerOf(each))));
  expect(refusals).toEqual(["exchange_unreachable", "exchange_unreachable", "exchange_unreachable"]);
  expect(storedOrders(rig)).toEqual([]);
});

test("an order that was answered 202 does not vanish when it turns out that no byte left: it was never sent", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(9_000, 0, DELIVERY.notSent));
  const first = await rig.answerOf(rig.place("key-0001"));
  expect(first.httpStatus).toBe(202);
  await rig.clock.advance(2_000);
  const later = await rig.answerOf(rig.place("key-0001"));
  expect(later).toMatchObject({ httpStatus: 201, isReplay: true });
  expect(later.order).toMatchObject({
    id: first.order["id"],
    status: "rejected",
    error: "The order was never sent: connection refused.",
  });
});

test("nor does it vanish when only the 65th joiner was told of it", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(500, 0, DELIVERY.notSent));
  const asked = Array.from({ length: 66 }, () => rig.place("key-0001"));
  const answers = await Promise.all(asked.map((each) => rig.answerOf(each)));
  expect(answers.filter(({ httpStatus }) => httpStatus === 202)).toHaveLength(1);
  expect(answers.filter(({ httpStatus }) => httpStatus === 201)).toHaveLength(65);
  expect(storedOrders(rig).map(({ status }) => status)).toEqual(["rejected"]);
});
