import { expect, test } from "bun:test";
import { fingerprint } from "../../src/write/fingerprint.ts";

const BODY = { account: "a", market: "BTC", size: "1", trigger: { kind: "stop_loss", market: true, price: "2" } };
const BASE = { verbName: "place_order", pathId: null, body: BODY };

test("a print says by which rules it was made", () => {
  expect(fingerprint(BASE)).toMatch(/^v1:[0-9a-f]{64}$/);
});

test("the order of members does not matter, also inside", () => {
  const { account, market, size } = BODY;
  const body = { trigger: { price: "2", market: true, kind: "stop_loss" }, size, market, account };
  expect(fingerprint({ ...BASE, body })).toBe(fingerprint(BASE));
});

test("verb, path id and every member of the body matter", () => {
  const others = [
    { ...BASE, verbName: "modify_order" },
    { ...BASE, pathId: "1" },
    { ...BASE, body: { ...BODY, size: "2" } },
    { ...BASE, body: { ...BODY, trigger: { ...BODY.trigger, price: "3" } } },
    { ...BASE, body: { ...BODY, reduce_only: false } },
    { ...BASE, pathId: "null" },
  ].map(fingerprint);
  expect(new Set([...others, fingerprint(BASE)]).size).toBe(others.length + 1);
});

test("the letter case of an id in the path does not matter", () => {
  expect(fingerprint({ ...BASE, pathId: "0xAB" })).toBe(fingerprint({ ...BASE, pathId: "0xab" }));
});

test("the print of a known request never changes", () => {
  // Made by hand: printf '{"body":{},"pathId":null,"route":"r"}' | sha256sum
  expect(fingerprint({ verbName: "r", pathId: null, body: {} })).toBe(
    "v1:5bc0e51e563d325ea09b4dffd6238a12fd4c8ab60dc89c9b74f55a0b8ad9d342",
  );
});
