/** Refusals in words that nobody has listed: each is told once, and every one is counted. */
import { expect, test } from "bun:test";
import { NO_METRICS } from "../../src/core/metric.ts";
import type { GatewayState, LogFields } from "../../src/deps.ts";
import type { FaultFile, RequestFault } from "../../src/paper/faults.ts";
import { noteUnlisted } from "../../src/settle/send/unlisted.ts";
import { classifyReply } from "../../src/wire/answer/reply.ts";
import { FIRST, openPaperRig } from "../support/paper-rig.ts";

function told() {
  const state: GatewayState = { phase: "ready", writesStoppedBecause: null };
  const warnings: LogFields[] = [];
  const silent = () => undefined;
  const log = { debug: silent, info: silent, error: silent, warn: (fields: LogFields) => void warnings.push(fields) };
  const seen = { warnings, count: 0, hear: (_httpStatus: number, _body: string) => {} };
  const count = () => {
    seen.count += 1;
  };
  const metrics = { ...NO_METRICS, unlistedRefusal: count };
  seen.hear = (httpStatus, body) => noteUnlisted({ state, log, metrics }, classifyReply(httpStatus, body));
  return seen;
}

function whole(text: string): string {
  return JSON.stringify({ status: "err", response: text });
}

function single(...texts: string[]): string {
  const statuses = texts.map((error) => ({ error }));
  return JSON.stringify({ status: "ok", response: { type: "order", data: { statuses } } });
}

test("new words are told once, also about another market or price, and counted every time", () => {
  const seen = told();
  for (const body of [
    whole("Venue closed until 17."),
    whole("Venue closed until 18."),
    single("Venue closed until 19."),
  ])
    seen.hear(200, body);
  expect(seen.warnings).toEqual([{ reason: "Venue closed until 17." }]);
  seen.hear(200, single("No such tier. asset=3", "No such band. asset=3"));
  expect(seen.warnings.slice(1)).toEqual([{ reason: "No such tier. asset=3" }, { reason: "No such band. asset=3" }]);
  expect(seen.count).toBe(5);
});

test.each([
  ["a listed refusal", 200, single("Invalid TP/SL price. asset=0")],
  ["a listed refusal of the whole action", 200, whole("Vault not registered: 0x12")],
  ["a trigger on spot", 200, single("Placing trigger orders is not enabled on spot trading yet. asset=10000")],
  ["a number that is used", 200, whole("Invalid nonce: duplicate nonce 1")],
  ["an action that came too late", 200, whole("Action already expired")],
  [
    "an order that rests",
    200,
    JSON.stringify({ status: "ok", response: { type: "order", data: { statuses: [{ resting: { oid: 1 } }] } } }),
  ],
  ["a page of the web server", 502, "<html>"],
  ["too many requests", 429, "null"],
] as const)("%s is none of them", (_what, httpStatus, body) => {
  const seen = told();
  seen.hear(httpStatus, body);
  expect([seen.warnings, seen.count]).toEqual([[], 0]);
});

test("after five hundred others the first is told again, and what is told has no line break", () => {
  const seen = told();
  const letters = (nth: number) => [...String(nth)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  for (let nth = 0; nth <= 500; nth += 1) seen.hear(200, whole(`New words:\n${letters(nth)}`));
  seen.hear(200, whole("New words:\na"));
  expect(seen.warnings).toHaveLength(502);
  expect(seen.warnings[0]).toEqual({ reason: "New words: a" });
});

test("every answer to an action is heard, whatever the action was", async () => {
  const fault: RequestFault = { kind: "refuse", text: "Something quite new." };
  const rules: FaultFile["rules"] = [{ on: "exchange", type: "order", times: 1, fault }];
  const rig = await openPaperRig({ faults: { rules } });
  const order = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };
  await rig.answer(FIRST, { route: "POST /v1/orders", body: order });
  const warnings = rig.log.filter(({ level, message }) => level === "warn" && message.includes("not in our list"));
  expect(warnings.map(({ fields }) => fields)).toEqual([{ reason: "Something quite new." }]);
});
