/** A bot's flattening beside a TWAP that no answer has named, in an account that does nothing else: it waits until that can have left nothing. */
import { expect, test } from "bun:test";
import { makeBot } from "./bots.ts";
import type { Ask } from "./front.ts";
import { directly, type FateOf } from "./network.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER } from "./plain-venue.ts";
import { UNBOUND } from "./quiet.ts";
import { type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { PARTIES, type Party } from "./template.ts";
import type { Lens, Request } from "./worlds/lens.ts";

const scene = scenesOfThisFile();

const MINUTE_MS = 60_000;
const MINUTES = 5;
const TWAP: Ask = { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: MINUTES };
const STOP: Ask = { kind: "stop", scope: "bot", keepsProtection: true };

type Shown = { id: string; flatten: { status: string; waits_for: { reason: string }[] } | null };

/** A scene in which the bot's TWAP is lost, and the bot stopped and flattened. `shown` asks how far that is. */
async function stopBesideLost(fate: FateOf, lens: Lens | null, keys = ["lost-key-1"]) {
  const [party] = PARTIES;
  if (party === undefined) throw new Error("bug: a run without parties");
  const bot = makeBot({ party, nth: 0, rails: { bot: "grid", ...UNBOUND } });
  const by: Party = bot.holders[0]?.by ?? party;
  const s = await scene({ isHttp: true, bots: [bot] });
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "3" });
  if (lens !== null) s.seeThrough(lens);
  s.setFate(fate);
  for (const key of keys) s.ask(key, TWAP, by);
  // One that is like another waits a while for that.
  await s.pass(keys.length === 1 ? 200 : 5_500);
  const shown = async () => JSON.parse((await s.tell("stop-key-1", STOP, by)).body) as Shown;
  const { id } = await shown();
  expect((await s.tell(null, { kind: "flatten", id, bps: 300 }, by)).status).toBe(202);
  return { s, flatten: async () => (await shown()).flatten };
}

function twaps(s: Scene): Record<string, unknown>[] {
  return s.rows("select status, exchange_id from operations where action = 'twap'");
}

function isTwap(body: string): boolean {
  return body.includes('"type":"twapOrder"');
}

/** It runs, and its answer is lost. */
function unheardTwap(): FateOf {
  return ({ path, body }) =>
    path === "/exchange" && isTwap(body)
      ? { arrivesAfterMs: [1], answer: { kind: "error", code: "ECONNRESET", afterMs: 50 } }
      : directly(1);
}

function withoutHistory({ type }: Request, answer: unknown): unknown {
  return type === "twapHistory" ? [] : answer;
}

function withoutSlices(request: Request, answer: unknown): unknown {
  if (request.type !== "userFillsByTime" && request.type !== "userFills") return withoutHistory(request, answer);
  // Rows of the paper exchange's own.
  return (answer as { twapId: number | null }[]).filter(({ twapId }) => twapId === null);
}

test("one that left no trace keeps it for its minutes and for as long as a server may be behind, and stays unknown", async () => {
  const { s, flatten } = await stopBesideLost(neverKnown(isTwap), null);
  await s.pass((MINUTES + 4) * MINUTE_MS);
  expect((await flatten())?.status).toBe("flattening");
  await s.pass(5 * MINUTE_MS);
  expect((await flatten())?.status).toBe("flat");
  expect(twaps(s)).toEqual([{ status: "unknown", exchange_id: null }]);
});

test.each([
  ["slices of its market that are nobody's", withoutHistory],
  ["a position that no fill tells of", withoutSlices],
])("one that may have left %s is not told to be flat", async (_what, lens) => {
  const { s, flatten } = await stopBesideLost(unheardTwap(), lens);
  await s.pass(13 * MINUTE_MS);
  expect(await flatten()).toMatchObject({ status: "flattening", waits_for: [{ reason: "twap_fills_not_known" }] });
  expect(twaps(s)).toEqual([{ status: "unknown", exchange_id: null }]);
});

/** Both run after both were sent, the first on a request that was slow; until the network is well nothing is heard of either number. */
function slowTwaps(network: { isWell: boolean }): FateOf {
  const heard = new Set<string>();
  return ({ path, body }) => {
    const answer = { kind: "error", code: "ECONNRESET", afterMs: 50 } as const;
    if (path === "/exchange" && isTwap(body)) {
      heard.add(body);
      return { arrivesAfterMs: [heard.size === 1 ? 6_000 : 1], answer };
    }
    return path === "/exchange" && !network.isWell ? { arrivesAfterMs: [], answer } : directly(1);
  };
}

test("two equal ones that both ran are in their bot's books together, stay unknown, and keep a flattening no longer", async () => {
  const network = { isWell: false };
  const { s, flatten } = await stopBesideLost(slowTwaps(network), null, ["lost-key-1", "lost-key-2"]);
  trade(s, MAKER, { isBuy: true, price: 94_900, size: "3" });
  await s.pass(3_000);
  network.isWell = true;
  await s.pass(13 * MINUTE_MS);
  const lost = { status: "unknown", exchange_id: null };
  expect(twaps(s)).toEqual([lost, lost]);
  expect(s.rows("select operation_id from bot_twaps")).toEqual([]);
  expect(await flatten()).toMatchObject({ status: "flat" });
});
