/**
 * Whoever has stolen the keys of two bots, and does with them whatever may bring most: asks for more than passes and then for
 * just what does, for much at once, while answers are lost, prices move and the gateway dies. Over the whole HTTP edge; the
 * exchange's books say what came of it.
 */
import fc from "fast-check";
import type { RailsText } from "../../src/core/rails/rails.ts";
import { makeBot } from "./bots.ts";
import { type BotsWatch, watchBots } from "./bots-audit.ts";
import { fieldOf } from "./clients.ts";
import type { Answered, Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { type Call, openScene, type Scene, trade } from "./scene.ts";
import { PARTIES, type Party } from "./template.ts";
import { MIDDLE } from "./wishes.ts";

/** USD that one of these bots may come to in its market. */
export const MOST_USD = 9_000n;

const RAILS: Omit<RailsText, "bot"> = {
  may: "increase,reduce,modify,cancel",
  markets: "BTC",
  sources: "any",
  touches: "own",
  maxOrder: "6000 USD",
  maxPosition: `${MOST_USD} USD`,
  maxExposure: "any",
  maxTurnoverPerDay: "30000 USD",
  maxLossPerDay: "any",
  maxActionsPerDay: "12",
  maxOpenOrders: "4",
  maxLeverage: "any",
  maxDistance: "2 %",
  maxStopDistance: "any",
};

type Order = {
  bot: number;
  key: number;
  isBuy: boolean;
  /** Dollars above the middle, or below it for what sells: what is below zero rests. */
  across: number;
  /** Null: as much as passes. */
  size: string | null;
  terms: "gtc" | "ioc" | "reduce" | "stop";
  /** Goes on before the answer is there. */
  isHasty: boolean;
};

type Move =
  | ({ kind: "place" } & Order)
  | ({ kind: "modify"; nth: number; alwaysPlace: boolean } & Order)
  | { kind: "cancel"; nth: number; bot: number; key: number }
  /** Of the next action; `isDark`: and from then on nothing of orders and fills can be read. */
  | { kind: "lose"; fate: Fate; isDark: boolean }
  | { kind: "price"; by: number }
  | { kind: "others"; isBuy: boolean; isTaker: boolean; size: string }
  | { kind: "kill"; isPowerCut: boolean }
  | { kind: "pass"; ms: number };

const bit = fc.nat(1);
const order = fc.record({
  bot: bit,
  key: bit,
  isBuy: fc.boolean(),
  isHasty: fc.boolean(),
  across: fc.constantFrom(-900, -300, -20, 250, 800, 2_500),
  size: fc.constantFrom(null, null, "0.05", "0.02", "1"),
  terms: fc.constantFrom("gtc" as const, "gtc" as const, "ioc" as const, "reduce" as const, "stop" as const),
});
const fate = fc.constantFrom<Fate>(
  { arrivesAfterMs: [1], answer: { kind: "silence" } },
  { arrivesAfterMs: [2_500], answer: { kind: "silence" } },
  { arrivesAfterMs: [], answer: { kind: "silence" } },
  { arrivesAfterMs: [700, 900], answer: { kind: "true", ofCopy: 1, afterMs: 400 } },
);

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: order.map((each) => ({ kind: "place" as const, ...each })) },
    {
      weight: 3,
      arbitrary: fc.tuple(order, fc.nat(20), fc.boolean()).map(([each, nth, alwaysPlace]) => ({
        ...each,
        nth,
        alwaysPlace,
        kind: "modify" as const,
      })),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), nth: fc.nat(20), bot: bit, key: bit }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("lose" as const), fate, isDark: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("price" as const), by: fc.integer({ min: -500, max: 500 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("others" as const),
        isBuy: fc.boolean(),
        isTaker: fc.boolean(),
        size: fc.constantFrom("0.02", "0.09", "0.3"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), isPowerCut: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(5, 400, 3_000) }) },
  ),
  { minLength: 8, maxLength: 22 },
);

type Outcome = { findings: string[]; mostUse: bigint };

/** Without luck: the most that passes, again and again. */
const GREEDY: Move[] = Array.from({ length: 4 }, () => ({
  kind: "place",
  bot: 0,
  key: 1,
  isBuy: true,
  across: -20,
  size: null,
  terms: "gtc",
  isHasty: false,
}));

/** So many lists of moves; of one that breaks a rail the shortest that does is told. */
export async function attackMany(wanted: { runs: number; seed?: number }): Promise<Outcome> {
  const { runs: numRuns, seed } = wanted;
  let mostUse = 0n;
  const property = fc.asyncProperty(moves, async (all) => {
    const outcome = await attack(all);
    if (outcome.mostUse > mostUse) mostUse = outcome.mostUse;
    return outcome.findings.length === 0;
  });
  const options = { numRuns, examples: [[GREEDY]] satisfies [Move[]][], ...(seed === undefined ? {} : { seed }) };
  const { failed, counterexample } = await fc.check(property, options);
  const [shortest] = counterexample ?? [];
  if (!failed) return { findings: [], mostUse };
  const found = shortest === undefined ? ["it failed without moves"] : (await attack(shortest)).findings;
  return { findings: [...found, JSON.stringify(shortest)], mostUse };
}

/** Makes the moves against a gateway of its own, one after the other. */
async function attack(all: readonly Move[]): Promise<Outcome> {
  const [party] = PARTIES;
  if (party === undefined) throw new Error("bug: a run without parties");
  const bots = ["grid", "other"].map((bot, nth) => makeBot({ party, nth, rails: { bot, ...RAILS } }));
  let watch: BotsWatch | null = null;
  const scene = await openScene({ bots, isHttp: true, onChange: () => watch?.look() });
  const byPrice = new Map<string, { by: Party; key: string; number: number }>();
  watch = watchBots({
    bots,
    wishOf: ({ p: price }) => byPrice.get(price),
    operationOf: () => null,
    venue: scene.venue,
    railsOf: ({ rails }) => rails,
    isClockRight: () => true,
  });
  const thief = { scene, byPrice, calls: [] as Call[], number: 0, keyOf: keyOf(bots) };
  try {
    for (const isBuy of [true, false]) byOthers(scene, { isBuy, isTaker: false, size: "0.3" });
    for (const move of all) await make(thief, move);
    scene.setFate(() => directly(1));
    await scene.pass(6_000);
    watch.look();
    return { findings: watch.findings(), mostUse: watch.most() };
  } finally {
    scene.close();
  }
}

type Thief = {
  scene: Scene;
  byPrice: Map<string, { by: Party; key: string; number: number }>;
  calls: Call[];
  number: number;
  keyOf(bot: number, key: number): Party;
};

function keyOf(bots: readonly { holders: readonly { by: Party }[] }[]): Thief["keyOf"] {
  return (bot, key) => {
    const holder = bots[bot]?.holders[key];
    if (holder === undefined) throw new Error("bug: a key that nobody has");
    return holder.by;
  };
}

async function make(thief: Thief, move: Move): Promise<void> {
  const { scene } = thief;
  switch (move.kind) {
    case "place":
      return asMuch(thief, move, (price, size) => placing(move, price, size));
    case "modify": {
      const id = idOf(thief, move.nth);
      const { alwaysPlace } = move;
      if (id === null) return;
      return asMuch(thief, move, (price, size) => ({ kind: "modify", id, price, size, alwaysPlace }));
    }
    case "cancel": {
      const id = idOf(thief, move.nth);
      if (id !== null)
        await ask(thief, { by: thief.keyOf(move.bot, move.key), asked: { kind: "cancel", id }, isHasty: true });
      return;
    }
    case "lose":
      return lose(scene, move);
    case "price":
      return scene.venue.setPrice("BTC", BigInt(MIDDLE + move.by) * 100_000_000n);
    case "others":
      return byOthers(scene, move);
    case "kill":
      scene.kill(move.isPowerCut ? "power_cut" : "kill", 0.5);
      return scene.start();
    case "pass":
      return scene.pass(move.ms);
  }
}

function byOthers(scene: Scene, { isBuy, isTaker, size }: Omit<Extract<Move, { kind: "others" }>, "kind">): void {
  const [quoted, taken] = [isBuy ? MIDDLE - 100 : MIDDLE + 100, isBuy ? MIDDLE + 950 : MIDDLE - 950];
  trade(scene, isTaker ? TAKER : MAKER, { isBuy, price: isTaker ? taken : quoted, size });
}

/** Prices and positions are read all the same: what is asked for goes on being judged. */
const ALWAYS_READ = [
  "metaAndAssetCtxs",
  "allMids",
  "clearinghouseState",
  "exchangeStatus",
  "meta",
  "spotMeta",
  "perpDexs",
];
const UNREAD: Fate = { arrivesAfterMs: [], answer: { kind: "error", code: "ECONNRESET", afterMs: 1 } };

function lose(scene: Scene, { fate: lost, isDark }: { fate: Fate; isDark: boolean }): void {
  let isDue = true;
  scene.setFate(({ path, body }) => {
    if (path === "/info") return isDark && !isAlwaysRead(body) ? UNREAD : directly(1);
    if (!isDue || body.includes('"noop"')) return directly(1);
    isDue = false;
    return lost;
  });
}

function isAlwaysRead(body: string): boolean {
  return ALWAYS_READ.some((type) => body.includes(`"type":"${type}"`));
}

/** Above everything that is let through, BTC. */
const TOO_MUCH = "1";
/** Each rail names the largest size that it lets pass, and the next may be narrower. */
const MAX_HINTS = 4;

/** Asks for the size; where that is to be the most, for too much, and then for what a refusal says that passes. */
async function asMuch(thief: Thief, wanted: Order, asked: (price: string, size: string) => Ask): Promise<void> {
  const by = thief.keyOf(wanted.bot, wanted.key);
  const price = newPrice(thief, wanted, by);
  let size = wanted.size ?? TOO_MUCH;
  for (let hints = 0; hints < MAX_HINTS; hints += 1) {
    // What is said to pass is what is asked for while something else may be on its way.
    const isHasty = wanted.isHasty && (wanted.size !== null || hints > 1);
    const answer = await ask(thief, { by, asked: asked(price, size), isHasty });
    const fits = /Largest size that passes: ([0-9.]+)\./.exec(answer?.body ?? "")?.[1] ?? "0";
    if (wanted.size !== null || fits === "0") return;
    size = fits;
  }
}

/** Each has one of its own, by which the books know who asked for it. */
function newPrice(thief: Thief, { isBuy, across }: Order, by: Party): string {
  thief.number += 1;
  const price = String((isBuy ? MIDDLE + across : MIDDLE - across) + thief.number);
  thief.byPrice.set(price, { by, key: `${price} USD`, number: thief.number });
  return price;
}

function placing({ isBuy, terms }: Order, price: string, size: string): Ask {
  const trigger = { price: String(isBuy ? MIDDLE + 700 : MIDDLE - 700), kind: "stop_loss", market: false } as const;
  return {
    kind: "place",
    market: "BTC",
    side: isBuy ? "buy" : "sell",
    size,
    price,
    timeInForce: terms === "ioc" ? "ioc" : "gtc",
    trigger: terms === "stop" ? trigger : null,
    reduceOnly: terms === "reduce",
  };
}

type Asking = { by: Party; asked: Ask; isHasty: boolean };
/** Steps of waiting for an answer, and how long each is, milliseconds. */
const STEPS = 100;
const STEP_MS = 100;

/** Null where it did not wait, or the gateway died meanwhile. */
async function ask(thief: Thief, { by, asked, isHasty }: Asking): Promise<Answered | null> {
  const call = thief.scene.ask(`thiefs-key-${thief.calls.length}`, asked, by);
  thief.calls.push(call);
  if (isHasty) return null;
  await thief.scene.pass(STEP_MS);
  for (let step = 1; step < STEPS && call.answer === null; step += 1) await thief.scene.pass(STEP_MS);
  return call.answer === "lost" ? null : call.answer;
}

/** Of an order that was told, whoever placed it. */
function idOf({ calls }: Thief, nth: number): string | null {
  const ids = calls.flatMap(({ answer }) =>
    answer === null || answer === "lost" || answer.status >= 300 ? [] : [fieldOf(answer.body, "id") ?? ""],
  );
  return ids.length === 0 ? null : (ids[nth % ids.length] ?? null);
}
