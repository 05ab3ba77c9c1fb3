/** What an alarm is about: an order that bears our client order id, or an answer for an order that bears another's. */
import { expect, test } from "bun:test";
import { cloidOf } from "../../src/core/cloid.ts";
import type { Leg, LegEvent } from "../../src/core/order.ts";
import { askedTerms, differenceFrom } from "../../src/settle/evidence/difference.ts";
import { mayHaveNamesake } from "../../src/settle/evidence/namesake.ts";
import { raiseAlarm } from "../../src/settle/look/apply-sight.ts";
import { finishModify } from "../../src/settle/modify/modify.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { findLegByCloid, insertLeg, listLegs } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

const { cloid } = legRow();
const OTHER = `0x${"07".repeat(16)}`;

/** Words of the exchange, each under an id of its own: the order 7 with these terms. */
const SAME_NAME = { cloid, originalSize: "5" };
const OTHER_NAME = { cloid: OTHER, originalSize: "5" };
const NO_NAME = { cloid: null, originalSize: "5" };
/** As asked for, in another market: it may be ours gone wrong. */
const MOVED = { cloid, coin: "ETH" };

type Shown = { cloid: string | null; originalSize?: string; coin?: string };

function legOf(rig: GatewayRig): Leg {
  const leg = findLegByCloid(rig.store, cloid);
  if (leg === null) throw new Error("no leg");
  return leg;
}

function openStage(state: Leg["state"] = "sent") {
  const rig = openGatewayRig();
  const doubts: string[] = [];
  Object.assign(rig.deps.markets, { doubt: (name: string) => doubts.push(name) });
  insertOrder(rig.store, orderRow({ status: "unknown" }));
  insertLeg(rig.store, legRow({ state, isExchangesWord: state === "closing" }));
  const show = (shown: Shown): void => {
    const terms = { coin: "BTC", side: "B", originalSize: "1", limitPrice: "100", oid: "7", ...shown } as const;
    // The figures are canonical.
    const difference = differenceFrom({ ...askedTerms(orderRow()), leg: legOf(rig) }, terms as never);
    if (difference !== null) raiseAlarm(rig.deps, legOf(rig), difference);
  };
  const tell = (event: LegEvent) => recordLegEvent(rig.store, cloid, event, 2_000);
  return { rig, doubts, show, tell };
}

test.each<[string, Shown[], boolean]>([
  ["another's order under our client order id is a namesake", [SAME_NAME], true],
  ["so is one that may be ours in another market", [MOVED], true],
  ["one whose name the answer leaves out may be", [NO_NAME], true],
  ["an answer for an order of another name shows none", [OTHER_NAME], false],
  ["nor does it take back one that was shown", [SAME_NAME, OTHER_NAME], true],
  ["or hide one that is shown after it", [OTHER_NAME, SAME_NAME], true],
])("%s, and each is an alarm", (_name, shown, isNamesake) => {
  const { rig, show, doubts } = openStage();
  for (const each of shown) show(each);
  expect(legOf(rig).reason).toStartWith("ALARM");
  expect(mayHaveNamesake(rig.deps, legOf(rig))).toBe(isNamesake);
  // Of the place of our market in its list an answer for another order says nothing.
  expect(doubts.length > 0).toBe(isNamesake);
});

test("what is shown of the order itself takes the namesake back with its alarm", () => {
  const { rig, show, tell } = openStage();
  show(SAME_NAME);
  tell({ type: "rested", oid: "9" });
  expect(mayHaveNamesake(rig.deps, legOf(rig))).toBe(false);
});

test.each<[string, Shown, Leg["state"]]>([
  ["a namesake says that the cancel met that one", SAME_NAME, "absent"],
  ["an answer for another order does not", OTHER_NAME, "closing"],
])("of what a cancel by client order id has closed, and a free number says that it never ran, %s", (_name, ...row) => {
  const [shown, state] = row;
  const { rig, show, tell } = openStage("closing");
  show(shown);
  tell({ type: "proven_absent", reason: "never ran", absence: "never_ran" });
  expect(legOf(rig).state).toBe(state);
});

test("a namesake of what a modify has placed is one of the order that this becomes", () => {
  const { rig } = openStage("filled");
  const placed = "0190a0b0-0000-7007-8000-000000000002";
  const leg = legRow({ cloid: cloidOf(placed), ordinal: 1, state: "sent" });
  insertLeg(rig.store, leg);
  const words = "5 instead of 1";
  raiseAlarm(rig.deps, leg, { words, isOtherMarket: false, mayBeOurs: false, oid: "7" });
  recordLegEvent(rig.store, leg.cloid, { type: "armed", oid: null }, 2_000);
  const attempt = insertAttempt(rig.store, attemptRow({ cloid: leg.cloid, isTargetClosed: true }));
  expect(finishModify(rig.deps, attempt, false)).toEqual({ kind: "ended" });
  raiseAlarm(rig.deps, listLegs(rig.store, placed)[0] ?? leg, {
    words: `the client order id ${OTHER}`,
    isOtherMarket: false,
    mayBeOurs: false,
    isOfAnotherName: true,
    oid: "8",
  });
  const [moved] = listLegs(rig.store, placed);
  expect(moved === undefined ? null : mayHaveNamesake(rig.deps, moved)).toBe(true);
});
