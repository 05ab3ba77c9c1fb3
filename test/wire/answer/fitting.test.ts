import { expect, test } from "bun:test";
import type { Action } from "../../../src/wire/action/index.ts";
import type { WireOrder } from "../../../src/wire/action/order.ts";
import { fitted } from "../../../src/wire/answer/fitting.ts";
import { classifyReply, type Reply } from "../../../src/wire/answer/reply.ts";

function ok(response: object): Reply {
  return classifyReply(200, JSON.stringify({ status: "ok", response }));
}

const ERROR = { error: "Insufficient margin to place order. asset=0" };
const ANSWERS: Record<string, Reply> = {
  default: ok({ type: "default" }),
  order: ok({ type: "order", data: { statuses: [{ resting: { oid: 1 } }] } }),
  order_error: ok({ type: "order", data: { statuses: [ERROR] } }),
  cancel: ok({ type: "cancel", data: { statuses: ["success"] } }),
  cancel_error: ok({ type: "cancel", data: { statuses: [ERROR] } }),
  cancel_resting: ok({ type: "cancel", data: { statuses: [{ resting: { oid: 1 } }] } }),
  twap: ok({ type: "twapOrder", data: { status: { running: { twapId: 7 } } } }),
  twap_error: ok({ type: "twapOrder", data: { status: ERROR } }),
  twap_success: ok({ type: "twapOrder", data: { status: "success" } }),
  twap_cancel: ok({ type: "twapCancel", data: { status: "success" } }),
  twap_cancel_error: ok({ type: "twapCancel", data: { status: ERROR } }),
  twap_cancel_running: ok({ type: "twapCancel", data: { status: { running: { twapId: 7 } } } }),
};

const LIMIT: WireOrder = { a: 0, b: true, p: "90000", s: "0.1", r: false, t: { limit: { tif: "Gtc" } } };
const CLOID = "0x0123456789abcdef0123456789abcdef";

function order(...some: Partial<WireOrder>[]): Action {
  return { type: "order", orders: some.map((each) => ({ ...LIMIT, ...each })), grouping: "na" };
}

function modify(some: Partial<WireOrder>): Action {
  return { type: "batchModify", modifies: [{ oid: 7n, order: { ...LIMIT, ...some } }] };
}

const CANCEL: Action = { type: "cancel", cancels: [{ a: 0, o: 7n }] };
const TWAP = { a: 0, b: true, s: "0.1", r: false, m: 30, t: false };

function twap(some: Partial<typeof TWAP> = {}): Action {
  return { type: "twapOrder", twap: { ...TWAP, ...some } };
}

function margin(ntli: bigint): Action {
  return { type: "updateIsolatedMargin", asset: 0, isBuy: true, ntli };
}

const LEVERAGE: Action = { type: "updateLeverage", asset: 0, isCross: true, leverage: 3 };

test.each<[Action, string[]]>([
  [order({}), ["order", "order_error"]],
  [modify({}), ["order", "order_error"]],
  [CANCEL, ["cancel"]],
  [{ type: "cancelByCloid", cancels: [{ asset: 0, cloid: CLOID }] }, ["cancel"]],
  [LEVERAGE, ["default"]],
  [margin(1n), ["default"]],
  [{ type: "noop" }, []],
  [twap(), ["twap", "twap_error"]],
  [{ type: "twapCancel", a: 0, t: 7n }, ["twap_cancel"]],
])("an answer to an action is of its kind and in its words, else it says nothing", (action, fitting) => {
  const taken = Object.keys(ANSWERS).filter((name) => {
    const reply = ANSWERS[name];
    return reply !== undefined && fitted(reply, action) === reply;
  });
  // Of an empty action `default` is its answer, that has no words.
  expect(taken).toEqual(action.type === "noop" ? ["default"] : fitting);
  for (const [name, reply] of Object.entries(ANSWERS))
    if (!taken.includes(name)) expect(fitted(reply, action).kind).toBe("ambiguous");
});

const IOC = { t: { limit: { tif: "Ioc" } } } as const;
const ALO = { t: { limit: { tif: "Alo" } } } as const;
const STOP = { t: { trigger: { isMarket: true, triggerPx: "89000", tpsl: "sl" } } } as const;
const SPOT = { a: 10_107 };

test.each<[string, Action[], Action[]]>([
  [
    "Order could not immediately match against any resting orders. asset=0",
    [order(IOC)],
    [order({}), order(ALO), order(STOP)],
  ],
  ["No liquidity available for market order. asset=0", [order(IOC), order(STOP)], [order({}), order(ALO)]],
  [
    "Post only order would have immediately matched, bbo was 89990@90000. asset=0",
    [order(ALO), modify({}), modify(ALO)],
    [order({}), order(IOC), order(STOP), twap()],
  ],
  ["Only post-only orders allowed immediately after a network upgrade", [order({}), order(IOC)], [order(ALO)]],
  [
    "Reduce only order would increase position. asset=0",
    [order({ r: true }), modify({ r: true })],
    [order({}), twap()],
  ],
  ["Invalid TP/SL price. asset=0", [order(STOP)], [order({}), twap()]],
  [
    "Placing trigger orders is not enabled on spot trading yet.",
    [order({ ...SPOT, ...STOP })],
    [order(SPOT), order(STOP)],
  ],
  ["Reduce-only is invalid for spot trading.", [order({ ...SPOT, r: true })], [order(SPOT), order({ r: true })]],
  ["Insufficient spot balance asset=10107", [order(SPOT)], [order({}), order({ a: 10_108 })]],
  ["Price must be divisible by tick size. asset=0", [order({ p: "90000.5" })], [order({})]],
  ["Order must have minimum value of $10. asset=0", [order({ p: "90000", s: "0.0002" })], [order({})]],
  ["Order must have minimum value of 10 USDC. asset=10107", [order({ ...SPOT, p: "1", s: "9" })], [order(SPOT)]],
  [
    "Insufficient margin to place order. asset=0",
    [order({}), order(IOC), modify({}), twap()],
    [order({ a: 1 }), CANCEL, LEVERAGE],
  ],
  ["Order was never placed, already canceled, or filled. asset=0", [CANCEL], [order({}), LEVERAGE, margin(1n), twap()]],
  ["Invalid leverage value", [LEVERAGE], [margin(1n), order({})]],
  ["Position does not use isolated margin.", [margin(1n)], [LEVERAGE, twap()]],
  ["Update to isolated margin cannot be zero.", [margin(0n)], [margin(1n), margin(-1n)]],
  ["Account does not have sufficient margin available for increase.", [margin(1n)], [margin(-1n)]],
  ["Position does not have sufficient margin for reduction.", [margin(-1n)], [margin(1n)]],
  ["Reduce-only TWAP order would increase position.", [twap({ r: true })], [twap(), order({ r: true })]],
  ["Invalid TWAP duration: 1 min(s)", [twap({ m: 1 })], [twap()]],
  ["TWAP was never placed, already canceled, or filled.", [{ type: "twapCancel", a: 0, t: 7n }], [twap()]],
  ["Trading is halted.", [order({}), twap(), LEVERAGE, CANCEL], []],
  ["A word of next year. asset=0", [order({}), twap(), LEVERAGE], [order({ a: 1 }), twap({ a: 1 })]],
])("%s is said of what can be refused so, and of nothing else", (text, of, notOf) => {
  const refused: Reply = { kind: "refused", text, bug: false };
  const asEntry: Reply = { kind: "accepted", type: "order", statuses: [{ kind: "error", text }] };
  for (const action of of) expect(fitted(refused, action)).toBe(refused);
  for (const action of notOf) {
    expect(fitted(refused, action)).toEqual({ kind: "ambiguous", reason: "unlisted_text", text });
    if (action.type === "order") expect(fitted(asEntry, action)).toEqual(fitted(refused, action));
  }
});

test("of several orders each word is held against its own, and one for all against any", () => {
  const ioc = "Order could not immediately match against any resting orders. asset=0";
  const action = order({}, IOC);
  const told = (...texts: string[]) => ok({ type: "order", data: { statuses: texts.map((error) => ({ error })) } });
  const right = told("Insufficient margin to place order. asset=0", ioc);
  expect(fitted(right, action)).toBe(right);
  expect(fitted(told(ioc, "Insufficient margin to place order. asset=0"), action).kind).toBe("ambiguous");
  const one = told(ioc);
  expect(fitted(one, action)).toBe(one);
  expect(fitted(one, order({}, ALO)).kind).toBe("ambiguous");
});

test("a refusal of the whole action, and what is no answer, stay what they are", () => {
  for (const reply of [
    classifyReply(200, '{"status":"err","response":"Vault not registered: 0x12"}'),
    classifyReply(502, "<html>"),
  ])
    expect(fitted(reply, twap())).toBe(reply);
});

test.each([
  [1, false],
  [2, true],
  [3, true],
])("two words for an action of %i orders: believed is %p", (count, isTaken) => {
  const two = ok({ type: "order", data: { statuses: [ERROR, ERROR] } });
  expect(fitted(two, order(...Array.from({ length: count }, () => ({})))) === two).toBe(isTaken);
});
