/** What goes on by itself at the exchange, at a start and after it, is no more often than the documents say. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, SECOND } from "../support/paper-rig.ts";
import { ON_CHANGE, ONE_SECOND } from "./shown-account.ts";

/** Nothing comes more than so often in any such time, milliseconds: the exchange may cut its minutes as it likes. */
const WINDOW_MS = 61 * ONE_SECOND;
/** By then a start is over. */
const STARTED_MS = 10 * ONE_SECOND;
const RUN_S = 200;

/** The parts of an account that are held against reads, one of each account in a minute. */
const PARTS: ReadonlySet<string> = new Set([
  "userAbstraction",
  "spotClearinghouseState",
  "clearinghouseState",
  "twapHistory",
  "frontendOpenOrders",
]);

test("what was missed before a start is read once, and nothing comes more often than it may", async () => {
  const rig = await openPaperRig({
    ...ON_CHANGE,
    exchangeWeightPerMinute: 1_200,
  });
  const asked: { atMs: number; what: string }[] = [];
  for (let second = 0; second < RUN_S * 2; second += 1) {
    const before = rig.asked.length;
    await rig.clock.advance(ONE_SECOND / 2);
    const types = second === 0 ? rig.asked : rig.asked.slice(before);
    asked.push(
      ...types.map((type) => ({
        atMs: rig.clock.elapsedMs(),
        what: PARTS.has(type) ? "parts of accounts" : type,
      })),
    );
  }
  const countOf = (what: string) => asked.filter((each) => each.what === what && each.atMs < STARTED_MS).length;
  const mostOf = (what: string) => {
    const times = asked.flatMap((each) => (each.what === what && each.atMs >= STARTED_MS ? [each.atMs] : []));
    return Math.max(0, ...times.map((fromMs) => times.filter((at) => at >= fromMs && at < fromMs + WINDOW_MS).length));
  };
  // Of two accounts, whose feeds connect one after the other; each has a list for both dexes, and its mode.
  expect([countOf("userFillsByTime"), countOf("parts of accounts")]).toEqual([2, 2 * 2 + 2]);
  const most = ["perpDexs", "spotMeta", "meta", "userFillsByTime", "parts of accounts", "exchangeStatus"].map(mostOf);
  expect(most).toEqual([1, 1, 2, 2, 2, 13]);
});

test("the record is kept while orders rest, which are held against reads every minute", async () => {
  const rig = await openPaperRig({ ...ON_CHANGE, exchangeWeightPerMinute: 1_200 });
  for (const party of [FIRST, SECOND]) {
    const body = { account: party.account.id, market: "BTC", side: "buy", size: "0.1", price: "50000" };
    expect((await rig.answer(party, { route: "POST /v1/orders", body })).body).toMatchObject({ status: "open" });
  }
  for (let second = 0; second < RUN_S * 3; second += 1) await rig.clock.advance(ONE_SECOND);
  for (const party of [FIRST, SECOND]) {
    for (const list of ["funding", "transfers", "equity"]) {
      const { body } = await rig.answer(party, { route: `GET /v1/${list}` });
      expect([list, body["complete_to"]]).toEqual([list, expect.any(String)]);
    }
  }
});
