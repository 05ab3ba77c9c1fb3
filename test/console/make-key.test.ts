import { expect, test } from "bun:test";
import { hashOfKey, makeApiKey } from "../../src/console/wallet/make-key.ts";
import { keyHash } from "../../src/wire/grant.ts";

test("a key that the page makes is 32 random bytes, and the gateway knows it by the page's hash", () => {
  const random = Uint8Array.from({ length: 32 }, (_item, index) => 0xff - index);
  const apiKey = makeApiKey((length) => random.subarray(0, length));
  expect(apiKey).toBe(`api_trade_${Buffer.from(random).toString("hex")}`);
  expect(hashOfKey(apiKey)).toBe(keyHash(apiKey));
});
