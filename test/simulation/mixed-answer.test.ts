/** A cancel that was answered with the answer to another: what is open is canceled all the same. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../src/paper/answers.ts";
import { executed, limit, liveOrders, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

test("an order that every store shows open ten minutes after a cancel of it was answered is canceled again", async () => {
  const s = await scene();
  const placed = shown(await s.tell("mixed", limit("buy", 94_000)));
  const execute = s.venue.execute.bind(s.venue);
  let isMixed = false;
  s.venue.execute = (body) => {
    if (isMixed || !body.includes('"type":"cancel"')) return execute(body);
    isMixed = true;
    // The answer to another's cancel; this one is lost on the way.
    return jsonAnswer({ status: "ok", response: { type: "cancel", data: { statuses: ["success"] } } });
  };
  const cancel = { kind: "cancel" as const, id: placed.id };
  s.ask("mixed-cancel", cancel);
  for (let nth = 0; nth < 20; nth += 1) {
    await s.pass(30_000);
    await s.tell(`beside-${nth}`, limit("buy", 93_000));
  }
  expect(isMixed).toBe(true);
  expect(liveOrders(s).map(String)).not.toContain(placed.oid ?? "");
  expect(shown(await s.tell("mixed-cancel", cancel))).toMatchObject({ http: 200, status: "canceled" });
});

test("a list from before a cancel does not open its order again, however long it stands still", async () => {
  const s = await scene();
  const placed = shown(await s.tell("stale", limit("buy", 94_000)));
  const stores = holdStores(s);
  for (const type of ["frontendOpenOrders", "orderStatus", "historicalOrders"]) stores.stop(type);
  s.ask("stale-cancel", { kind: "cancel", id: placed.id });
  await s.pass(120_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).not.toBe("open");
  expect(executed(s, "cancel")).toHaveLength(1);
});
