import { expect, test } from "bun:test";
import { closeStore, openStore } from "../../src/store/open.ts";
import { columnsBut, prepared } from "../../src/store/prepared.ts";
import { signers } from "../../src/store/schema.ts";

test("a statement is built once a connection and belongs to that connection", () => {
  let built = 0;
  const all = prepared((store) => {
    built += 1;
    return store.select().from(signers).prepare();
  });
  const [one, other] = [openStore(":memory:"), openStore(":memory:")];
  one.insert(signers).values({ address: "0x1", lastNonce: 1 }).run();
  expect([all(one).all().length, all(one).all().length, all(other).all().length]).toEqual([1, 1, 0]);
  expect(built).toBe(2);
  closeStore(one);
  closeStore(other);
});

test("columns that are written are all but those that are named", () => {
  expect(columnsBut(signers, ["address"])).toEqual(["lastNonce"]);
});
