/** An exchange that takes every order as resting, cancels on request, and says so when asked. */
import type { Clock } from "../../src/core/clock.ts";
import type { Exchange, InfoOutcome, InfoRequest, SendOutcome } from "../../src/exchange/exchange.ts";

type Taken = {
  oid: number;
  cloid: string;
  isBuy: boolean;
  price: string;
  size: string;
  reduceOnly: boolean;
  status: "open" | "canceled";
  closedAtMs?: number;
};

type WireOrder = { b: boolean; p: string; s: string; r: boolean; c: string };

type WireAction = {
  twap?: { b: boolean; s: string; r: boolean; m: number; t: boolean };
  type: string;
  orders?: WireOrder[];
  modifies?: { oid: number; order: WireOrder }[];
  cancels?: { o: number }[];
};

export type SmallExchange = Exchange & {
  /** Bodies sent to /exchange, oldest first. */
  sent: string[];
  /** Answers by type, before its own; what is in neither fails. */
  answers: Map<string, (request: InfoRequest) => unknown>;
  /** Texts with which the next actions are refused, in order. */
  refusals: string[];
};

/** `userOf` tells whose order a client order id is: lower-case trading address. */
export function smallExchange(clock: Clock, userOf: (cloid: string) => string | null): SmallExchange {
  const sent: string[] = [];
  const taken: Taken[] = [];
  const answers: SmallExchange["answers"] = new Map();
  const refusals: string[] = [];
  const failed: InfoOutcome = {
    kind: "failed",
    reason: "no such read in this test",
    httpStatus: null,
    isOurBudget: false,
  };

  function take({ b, p, s, r, c }: WireOrder): object {
    const oid = 1_001 + taken.length;
    taken.push({ oid, cloid: c, isBuy: b, price: p, size: s, reduceOnly: r, status: "open" });
    return { resting: { oid, cloid: c } };
  }

  function close(oid: number, atMs: number): string {
    for (const order of taken) if (order.oid === oid) Object.assign(order, { status: "canceled", closedAtMs: atMs });
    return "success";
  }

  function statusesOf(action: WireAction): { type: string; statuses: unknown[] } | null {
    if (action.orders !== undefined) return { type: "order", statuses: action.orders.map(take) };
    if (action.cancels !== undefined)
      return { type: "cancel", statuses: action.cancels.map(({ o }) => close(o, clock.nowMs())) };
    if (action.modifies === undefined) return null;
    for (const { oid } of action.modifies) close(oid, clock.nowMs());
    return { type: "order", statuses: action.modifies.map(({ order }) => take(order)) };
  }

  function statusOf({ user, oid }: InfoRequest): InfoOutcome {
    const order = taken.find((each) => each.oid === oid || each.cloid === oid);
    if (order === undefined || userOf(order.cloid) !== user) return { kind: "ok", json: { status: "unknownOid" } };
    const record = {
      order: row(order, clock.nowMs()),
      status: order.status,
      statusTimestamp: order.closedAtMs ?? clock.nowMs(),
    };
    return { kind: "ok", json: { status: "order", order: record } };
  }

  async function info(request: InfoRequest): Promise<InfoOutcome> {
    const scripted = answers.get(request.type);
    if (scripted !== undefined) return { kind: "ok", json: scripted(request) };
    if (request.type === "orderStatus") return statusOf(request);
    if (request.type === "userFillsByTime") return { kind: "ok", json: [] };
    const open = taken.filter((order) => order.status === "open" && userOf(order.cloid) === request["user"]);
    if (request.type === "frontendOpenOrders")
      return { kind: "ok", json: open.map((order) => row(order, clock.nowMs())) };
    const answer = request.type === "allMids" ? midsOf(answers) : undefined;
    return answer === undefined ? failed : { kind: "ok", json: answer(request) };
  }

  async function send(body: string): Promise<SendOutcome> {
    sent.push(body);
    const refusal = refusals.shift();
    if (refusal !== undefined) return answered({ status: "err", response: refusal });
    const { action } = JSON.parse(body) as { action: WireAction };
    if (action.twap !== undefined) answers.set("twapHistory", () => [twapRow(action.twap, clock.nowMs())]);
    if (action.type === "twapOrder")
      return accepted({ type: "twapOrder", data: { status: { running: { twapId: 7 } } } });
    if (action.type === "twapCancel") return accepted({ type: "twapCancel", data: { status: "success" } });
    const data = statusesOf(action);
    const response = data === null ? { type: "default" } : { type: data.type, data: { statuses: data.statuses } };
    return accepted(response);
  }

  function accepted(response: object): SendOutcome {
    return answered({ status: "ok", response });
  }

  return {
    sent,
    answers,
    refusals,
    send,
    info,
    async infoInTurn(requests) {
      const json: unknown[] = [];
      for (const request of requests) {
        const outcome = await info(request);
        if (outcome.kind === "failed") return outcome;
        json.push(outcome.json);
      }
      return { kind: "ok", json };
    },
    nowMs: () => clock.nowMs(),
    mayBeAheadMs: () => 0,
    sinceAnswerMs: () => 0,
    hasBudgetFor: () => true,
    budgetWaitS: () => 0,
    budgetLeft: () => null,
    isReaderWaiting: () => false,
    slowDown: () => undefined,
    slowedDown: () => null,
  };
}

function row({ oid, cloid, isBuy, price, size, reduceOnly }: Taken, nowMs: number): object {
  return {
    coin: "BTC",
    side: isBuy ? "B" : "A",
    limitPx: price,
    sz: size,
    oid,
    timestamp: nowMs,
    origSz: size,
    cloid,
    isTrigger: false,
    triggerPx: "0.0",
    triggerCondition: "N/A",
    orderType: "Limit",
    tif: "Gtc",
    reduceOnly,
    isPositionTpsl: false,
    children: [],
  };
}

/** Of the TWAP that was made last. */
function twapRow(twap: WireAction["twap"], nowMs: number): object {
  const state = { coin: "BTC", user: "", side: twap?.b === true ? "B" : "A", sz: twap?.s, minutes: twap?.m };
  const executed = { executedSz: "0.0", executedNtl: "0.0", timestamp: nowMs };
  const flags = { reduceOnly: twap?.r, randomize: twap?.t };
  return {
    time: Math.floor(nowMs / 1_000),
    state: { ...state, ...executed, ...flags },
    status: { status: "activated" },
    twapId: 7,
  };
}

function answered(json: object): SendOutcome {
  return { kind: "answered", httpStatus: 200, body: JSON.stringify(json) };
}

/** Where a test says nothing of them, middle prices are the marks. */
function midsOf(answers: SmallExchange["answers"]): ((request: InfoRequest) => unknown) | undefined {
  const marks = answers.get("metaAndAssetCtxs");
  if (marks === undefined) return undefined;
  return ({ dex = "" }) => {
    const listed = marks({ type: "metaAndAssetCtxs", dex });
    if (!Array.isArray(listed)) return null;
    // As the tests write it.
    const [{ universe }, contexts] = listed as [{ universe: { name: string }[] }, ({ markPx: string } | undefined)[]];
    return Object.fromEntries(universe.map(({ name }, at) => [name, contexts[at]?.markPx]));
  };
}
