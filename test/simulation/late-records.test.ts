/** Records and lists of open orders that are behind what the exchange has said itself. */
import { expect, test } from "bun:test";
import { executed, limit, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

test("an order whose cancel the exchange said it carried out is not told as open, canceled again, or a reason for doubts", async () => {
  const s = await scene();
  const stores = holdStores(s);
  const placed = shown(await s.tell("carried-out", limit("buy", 94_000)));
  stores.stop("orderStatus");
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("carried-out-cancel", cancel);
  await s.pass(2_000);
  for (let second = 2; second < 30; second += 4) {
    expect(shown(await s.tell(null, { kind: "get", id: placed.id }))).toMatchObject({ status: "unknown" });
    expect((await s.tell(`beside-${second}`, limit("buy", 93_000))).status).toBe(201);
    await s.pass(4_000);
  }
  expect(executed(s, "cancel")).toHaveLength(1);
  stores.go();
  await s.pass(60_000);
  expect(shown(await s.tell("carried-out-cancel", cancel))).toMatchObject({
    http: 200,
    status: "canceled",
    filled: "0",
  });
});
