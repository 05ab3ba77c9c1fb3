import { describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { cloidOf, uuidOfCloid } from "../../src/core/cloid.ts";
import {
  botBitsOf,
  botBitsOfCloid,
  carriesTag,
  decodeOutsideOrderId,
  keyBits,
  keyBitsOf,
  mintOrderId,
  outsideOrderId,
} from "../../src/wire/order-id.ts";

/** Spec 2.1: versions 1 to 8 with variant 8, 9, a or b. */
const SPEC_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const input = fc.record({
  nowMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  instanceTag: fc.integer({ min: 0, max: 0xfff }),
  secret: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  accountId: fc.uuid(),
  idempotencyKey: fc.string({ minLength: 8, maxLength: 128 }),
  bot: fc.option(fc.stringMatching(/^[a-z0-9-]{1,40}$/), { nil: null }),
});

describe("an order's id", () => {
  test("is a UUIDv7 of its time, its instance and its key, and its client order id is the same 128 bits", () => {
    fc.assert(
      fc.property(input, (order) => {
        const id = mintOrderId(order);
        expect(id).toMatch(SPEC_UUID);
        expect(id[14]).toBe("7");
        expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(order.nowMs);
        expect(carriesTag(id, order.instanceTag)).toBe(true);
        expect(carriesTag(id, order.instanceTag ^ 1)).toBe(false);
        expect(keyBits(id)).toBe(keyBitsOf(order.secret, order));
        expect(cloidOf(id)).toMatch(/^0x[0-9a-f]{32}$/);
        expect(uuidOfCloid(cloidOf(id))).toBe(id);
      }),
    );
  });

  test("ends in the last 48 of the first 62 bits of HMAC-SHA256(secret, account, 0, key)", () => {
    fc.assert(
      fc.property(input, (order) => {
        const mac = createHmac("sha256", order.secret);
        const digest = mac.update(order.accountId).update(Uint8Array.of(0)).update(order.idempotencyKey).digest();
        expect(keyBits(mintOrderId(order))).toBe((digest.readBigUInt64BE(0) >> 2n) % 2n ** 48n);
      }),
    );
  });

  test("carries the first 14 bits of HMAC-SHA256(secret, account, 0, 0, bot) before that", () => {
    fc.assert(
      fc.property(input, (order) => {
        const mac = createHmac("sha256", order.secret).update(order.accountId).update(Uint8Array.of(0, 0));
        const digest = mac.update(order.bot ?? "").digest();
        const bits = botBitsOfCloid(cloidOf(mintOrderId(order)));
        expect(bits).toBe(BigInt(digest.readUInt16BE(0) >> 2));
        expect(bits).toBe(botBitsOf(order.secret, order));
      }),
    );
    expect(() => botBitsOfCloid("0x12")).toThrow("bug:");
  });

  test("has the same last bits for the same key at another time, and others for another key or account", () => {
    const order = {
      nowMs: 1,
      instanceTag: 7,
      secret: new Uint8Array(32),
      accountId: "a",
      idempotencyKey: "bc",
      bot: null,
    };
    const bits = keyBits(mintOrderId(order));
    expect(keyBits(mintOrderId({ ...order, nowMs: 2 }))).toBe(bits);
    expect(keyBits(mintOrderId({ ...order, bot: "grid-1" }))).toBe(bits);
    expect(keyBits(mintOrderId({ ...order, idempotencyKey: "bd" }))).not.toBe(bits);
    expect(keyBits(mintOrderId({ ...order, accountId: "ab", idempotencyKey: "c" }))).not.toBe(bits);
    expect(keyBits(mintOrderId({ ...order, secret: new Uint8Array(32).fill(1) }))).not.toBe(bits);
  });

  test("of an impossible time or tag is a bug", () => {
    const order = {
      nowMs: 1,
      instanceTag: 7,
      secret: new Uint8Array(32),
      accountId: "a",
      idempotencyKey: "b",
      bot: null,
    };
    for (const nowMs of [-1, 2 ** 48, 0.5]) expect(() => mintOrderId({ ...order, nowMs })).toThrow("bug:");
    for (const instanceTag of [-1, 4096, 0.5]) expect(() => mintOrderId({ ...order, instanceTag })).toThrow("bug:");
  });
});

test("texts that are no id carry no bits, no tag and no uuid", () => {
  for (const text of ["", "1", "0x12", "01a1fbc7-0000-7000-8000-00000000000", `0x${"g".repeat(32)}`]) {
    expect(keyBits(text)).toBeNull();
    expect(carriesTag(text, 0)).toBe(false);
    expect(uuidOfCloid(text)).toBeNull();
    expect(decodeOutsideOrderId(text, "paper", `0x${"0".repeat(40)}`)).toBeNull();
    expect(() => cloidOf(text)).toThrow("bug:");
  }
});

test("a stranger's UUIDv4 with our twelve bits in place does not carry our tag", () => {
  expect(carriesTag("01a1fbc7-0000-7abc-8000-000000000000", 0xabc)).toBe(true);
  expect(carriesTag("01a1fbc7-0000-4abc-8000-000000000000", 0xabc)).toBe(false);
  expect(carriesTag("01a1fbc7-0000-7abc-0000-000000000000", 0xabc)).toBe(false);
});

describe("the id of an order placed outside the API", () => {
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((raw) => `0x${Buffer.from(raw).toString("hex")}`);
  const oid = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 40n }));

  test("is a UUIDv8 that gives the native id back, for its own account and network only", () => {
    fc.assert(
      fc.property(oid, address, address, (native, own, other) => {
        const id = outsideOrderId("mainnet", own, native.toString());
        expect(id).toMatch(SPEC_UUID);
        expect(id[14]).toBe("8");
        expect(decodeOutsideOrderId(id, "mainnet", own)).toBe(native.toString());
        expect(decodeOutsideOrderId(id.toUpperCase(), "mainnet", own)).toBe(native.toString());
        expect(decodeOutsideOrderId(id, "paper", own)).toBeNull();
        if (own !== other) expect(decodeOutsideOrderId(id, "mainnet", other)).toBeNull();
      }),
    );
  });

  test("changes with every bit of the native id, and any bit flipped outside it makes the id unknown", () => {
    const own = `0x${"ab".repeat(20)}`;
    const id = outsideOrderId("paper", own, "556657630865").replaceAll("-", "");
    const flipped = Array.from({ length: 128 }, (_item, bit) => {
      const bits = BigInt(`0x${id}`) ^ (1n << BigInt(bit));
      return uuidOfCloid(`0x${bits.toString(16).padStart(32, "0")}`) ?? "";
    });
    const decoded = flipped.map((uuid) => decodeOutsideOrderId(uuid, "paper", own));
    expect(decoded.filter((native) => native !== null)).toHaveLength(64);
    expect(decoded).not.toContain("556657630865");
  });

  test("is not what an order of our own looks like", () => {
    const own = `0x${"ab".repeat(20)}`;
    const order = {
      nowMs: 1,
      instanceTag: 7,
      secret: new Uint8Array(32),
      accountId: "a",
      idempotencyKey: "b",
      bot: null,
    };
    expect(decodeOutsideOrderId(mintOrderId(order), "paper", own)).toBeNull();
    expect(carriesTag(outsideOrderId("paper", own, "1"), 7)).toBe(false);
  });

  test("ends in 58 bits of SHA-256(network, 0, address)", () => {
    const own = `0x${"ab".repeat(20)}`;
    const hash = createHash("sha256")
      .update("paper\0")
      .update(Buffer.from(own.slice(2), "hex"))
      .digest();
    const bits = BigInt(cloidOf(outsideOrderId("paper", own, "0")));
    expect(bits & (2n ** 58n - 1n)).toBe(hash.readBigUInt64BE(0) >> 6n);
  });

  test("of a native id beyond 64 bits is a bug", () => {
    expect(() => outsideOrderId("paper", `0x${"0".repeat(40)}`, (2n ** 64n).toString())).toThrow("bug:");
  });
});
