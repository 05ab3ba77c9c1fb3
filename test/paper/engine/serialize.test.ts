import { describe, expect, test } from "bun:test";
import { hashOf, tradeId } from "../../../src/paper/engine/chance.ts";
import { restoreVenue, serializeVenue } from "../../../src/paper/engine/serialize.ts";
import { applyAction } from "../../../src/paper/engine/venue.ts";
import { ALICE, BOB, newDesk, START_MS } from "./support.ts";

describe("a snapshot", () => {
  test("is the state, whatever the order in which things came", () => {
    const desk = newDesk();
    for (const nonce of [START_MS + 9, START_MS + 1, START_MS + 5]) {
      const input = { action: { type: "noop" } as const, signer: ALICE, vaultAddress: null, nonce };
      applyAction(desk.venue, { ...input, expiresAfter: null, nowMs: desk.nowMs });
    }
    desk.rest(ALICE, { buy: true, price: "94000", size: "0.1" });
    desk.place(BOB, { buy: false, price: "94000", size: "0.05", tif: "Ioc" });
    const text = serializeVenue(desk.venue);
    const restored = restoreVenue(text);
    expect(restored).toEqual(desk.venue);
    expect(serializeVenue(restored)).toBe(text);
    expect([...(restored.nonces.get(ALICE)?.seen ?? [])].slice(0, 3)).toEqual([
      START_MS + 9,
      START_MS + 1,
      START_MS + 5,
    ]);
  });
});

describe("hashes and trade ids", () => {
  test("are 32 bytes and 50 bits, different for every input, the same for the same", () => {
    const hashes = Array.from({ length: 1_000 }, (_, counter) => hashOf(7, counter));
    expect(new Set(hashes).size).toBe(1_000);
    expect(hashes.every((hash) => /^0x[0-9a-f]{64}$/.test(hash))).toBe(true);
    expect(hashOf(7, 3)).toBe(hashes[3] ?? "");
    expect(hashOf(8, 3)).not.toBe(hashes[3] ?? "");
    const ids = Array.from({ length: 1_000 }, (_, oid) => tradeId(400_000_000_001 + oid, 400_000_000_000));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => Number.isSafeInteger(id) && id >= 0 && id < 2 ** 50)).toBe(true);
  });
});
