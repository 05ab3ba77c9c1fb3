import { expect, test } from "bun:test";
import { keyBlock } from "../../src/cli/key/block-and-keep.ts";
import { ordersOfEndedKey } from "../../src/cli/key/orders-of-ended-key.ts";
import { keyRevoke } from "../../src/cli/key/revoke.ts";

test("who ends a key is told what goes, what still protects a position, and where to look", () => {
  const [goes = "", look = ""] = ordersOfEndedKey("the-stop");
  expect(goes).toContain(
    "could make a position larger is being withdrawn. What only reduces stays, stops and take-profits among it.",
  );
  expect(goes).toContain("Nothing that is held is closed.");
  expect(look).toContain("GET /v1/stops/the-stop, by another key of the account");
  const [stays = ""] = ordersOfEndedKey(null);
  expect(stays).toContain(
    "Orders stay as they are, those too that could make a position larger: --cancel-orders takes those along.",
  );
  for (const { options } of [keyBlock, keyRevoke]) expect(Object.keys(options)).toContain("cancel-orders");
});
