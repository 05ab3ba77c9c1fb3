/** Modifies that were carried out though their answer refuses them: the one look before that is told may meet servers that are behind. */
import { expect, test } from "bun:test";
import { limit, liveOrders, type Scene, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

function modifyTo(id: string, price: string) {
  return { kind: "modify" as const, id, price, size: null, alwaysPlace: false };
}

/** The exchange carries out each modify, and the answer is another's. */
function answerModifies({ venue }: Scene, json: unknown): void {
  const execute = venue.execute.bind(venue);
  venue.execute = (body) => {
    const answered = execute(body);
    return body.startsWith('{"action":{"type":"batchModify"')
      ? { status: 200, contentType: "application/json", body: JSON.stringify(json) }
      : answered;
  };
}

const WHOLE = { status: "err", response: "Order price cannot be more than 95% away from the reference price" };
const ENTRY = {
  status: "ok",
  response: { type: "order", data: { statuses: [{ error: "Order has invalid price." }] } },
};
const PLACING = { status: "err", response: "Error placing new order during modify: Order has invalid price." };

test.each([
  ["the whole action", WHOLE, false],
  ["the whole action", WHOLE, true],
  ["its one entry", ENTRY, false],
  ["its one entry", ENTRY, true],
  ["its placing", PLACING, false],
  ["its placing", PLACING, true],
])(
  "a modify that ran, and whose answer refuses %s (%j), is told as it ran once it is shown (feed: %p)",
  async (_what, json, hasFeed) => {
    const s = await scene({ hasFeed });
    const stores = holdStores(s);
    const placed = shown(await s.tell("twice", limit("buy", 94_000)));
    for (const type of ["orderStatus", "historicalOrders", "frontendOpenOrders"]) stores.stop(type);
    answerModifies(s, json);
    const modify = modifyTo(placed.id, "93000");
    s.ask("twice-modify", modify);
    await s.pass(60_000);
    stores.go();
    await s.pass(300_000);
    const told = shown(await s.tell("twice-modify", modify));
    expect(told).toMatchObject({ http: 200, status: "open" });
    expect(liveOrders(s).map(String)).toEqual([told.oid ?? ""]);
  },
);
