/** Without a feed: what one read has met is known of all that it shows, and to its end, though nobody asks again. */
import { expect, test } from "bun:test";
import { TAKER } from "./plain-venue.ts";
import { limit, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Less than the half minute after which everything is read again anyway. */
const SOON_MS = 6_000;

/** The rows of both orders as they stand, the older first. */
function rowsOf(s: Scene): unknown[] {
  return s.rows("select status, filled_size as filled from orders order by rowid");
}

test("a read of one order makes known what another was filled", async () => {
  const s = await scene();
  await s.tell("read-older", limit("buy", 94_000));
  const { id } = shown(await s.tell("read-younger", limit("buy", 93_000)));
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.tell(null, { kind: "get", id });
  expect(rowsOf(s)).toMatchObject([
    { status: "open", filled: "0.004" },
    { status: "open", filled: "0" },
  ]);
});

test("an order that one read has met as over is told to its end, though nobody asks again", async () => {
  const s = await scene();
  const { id, oid } = shown(await s.tell("read-ended", limit("buy", 94_000)));
  // Decimals of these texts are canonical; the brand is the engine's.
  const cancel = { type: "cancel", cancels: [{ a: 0, o: Number(oid) }] } as unknown as Parameters<
    Scene["venue"]["act"]
  >[1];
  s.venue.act(s.party.account.ownerAddress, cancel);
  await s.pass(2_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "unknown" });
  await s.pass(SOON_MS);
  expect(rowsOf(s)).toMatchObject([{ status: "canceled", filled: "0" }]);
});
