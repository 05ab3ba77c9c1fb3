import { expect, test } from "bun:test";
import type { CanonicalValue } from "../../src/core/canonical-json.ts";
import { fingerprint } from "../../src/write/fingerprint.ts";

const BODY = { account: "a", market: "BTC", size: "1", trigger: { kind: "stop_loss", market: true, price: "2" } };
const BASE = { verbName: "place_order", pathId: null, body: BODY };

/** The print of `BASE` with some of it changed. */
function printOf(some: { verbName?: string; pathId?: string; body?: CanonicalValue } = {}): string {
  const { verbName, pathId, body } = { ...BASE, ...some };
  return fingerprint(verbName, pathId, body);
}

test("a print says by which rules it was made", () => {
  expect(printOf()).toMatch(/^v1:[0-9a-f]{64}$/);
});

test("the order of members does not matter, also inside", () => {
  const { account, market, size } = BODY;
  const body = { trigger: { price: "2", market: true, kind: "stop_loss" }, size, market, account };
  expect(printOf({ body })).toBe(printOf());
});

test("verb, path id and every member of the body matter", () => {
  const others = [
    { verbName: "modify_order" },
    { pathId: "1" },
    { body: { ...BODY, size: "2" } },
    { body: { ...BODY, trigger: { ...BODY.trigger, price: "3" } } },
    { body: { ...BODY, reduce_only: false } },
    { pathId: "null" },
  ].map(printOf);
  expect(new Set([...others, printOf()]).size).toBe(others.length + 1);
});

test("the letter case of an id in the path does not matter", () => {
  expect(printOf({ pathId: "0xAB" })).toBe(printOf({ pathId: "0xab" }));
});

test("the print of a known request never changes", () => {
  // Made by hand: printf '{"body":{},"pathId":null,"route":"r"}' | sha256sum
  expect(fingerprint("r", null, {})).toBe("v1:5bc0e51e563d325ea09b4dffd6238a12fd4c8ab60dc89c9b74f55a0b8ad9d342");
});
