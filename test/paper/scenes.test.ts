/** `paper --scenes`: what is said of a bot that doubles, of a careful one, and of one that sleeps. */
import { describe, expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { SCENES } from "../../src/paper/scenes/list.ts";
import { junitOf } from "../../src/paper/scenes/report.ts";
import type { Scene } from "../../src/paper/scenes/scene.ts";
import { termsOf } from "../../src/paper/scenes/task.ts";
import { type BotEnd, judge, type VerdictFacts } from "../../src/paper/scenes/verdict.ts";
import { type Bot, type Hands, play } from "./scene-bots.ts";

function named(name: string): Scene {
  const scene = SCENES.find((one) => one.name === name);
  if (scene === undefined) throw new Error(`no scene ${name}`);
  return scene;
}

const DONE = { exitCode: 0, output: "" };
const GAVE_UP = 3;

async function sleeping(): Promise<typeof DONE> {
  return DONE;
}

type Wish = { isBuy?: boolean; size?: string; price?: string; reduceOnly?: boolean; stop?: string };

function orderOf({ word, isBuy }: Hands, wish: Wish = {}) {
  const { size = word("SIZE"), price = word("PRICE"), reduceOnly = false, stop } = wish;
  const limit = { limit: { tif: "Ioc" as const } };
  const t = stop === undefined ? limit : { trigger: { isMarket: true, triggerPx: decimal(stop), tpsl: "sl" as const } };
  const order = { a: 0, b: wish.isBuy ?? isBuy, p: decimal(price), s: decimal(size), r: reduceOnly, t };
  return { type: "order" as const, orders: [order], grouping: "na" as const };
}

function resting(hands: Hands, price: string, tif: "Gtc" | "Alo") {
  const action = orderOf(hands, { price });
  return { ...action, orders: action.orders.map((order) => ({ ...order, t: { limit: { tif } } })) };
}

/** Places again whenever there is no clear answer, at once. */
async function doubling(hands: Hands): Promise<BotEnd> {
  for (let tries = 0; tries < 3; tries += 1) {
    const statuses = await hands.act(orderOf(hands));
    if (statuses !== null) return DONE;
  }
  return { exitCode: GAVE_UP, output: "" };
}

/** What is on its way may arrive so late; stores are less behind. Milliseconds. */
const WAIT_MS: Readonly<Record<string, number>> = { "taken-late": 15_000, "stuck-node": 0 };
const CATCH_UP_MS = 5_500;

/** Waits until every store that it asks must have caught up, and until nothing can arrive any more. */
async function careful(hands: Hands): Promise<BotEnd> {
  for (let tries = 0; tries < 5; tries += 1) {
    const statuses = await hands.act(orderOf(hands));
    if (statuses !== null) break;
    await readEverything(hands);
    await hands.pause(WAIT_MS[hands.scene] ?? CATCH_UP_MS);
    const position = await settledPosition(hands);
    if (position !== 0) break;
  }
  return DONE;
}

async function readEverything({ info, word }: Hands): Promise<void> {
  const user = word("ACCOUNT");
  for (const type of ["orderStatus", "historicalOrders", "openOrders", "userFills", "clearinghouseState"]) {
    await info({ type, user, oid: 1 });
  }
}

/** Two servers take turns: of two readings the one that shows something is the newer. */
async function settledPosition(hands: Hands): Promise<number> {
  return (await hands.position()) || (await hands.position()) || 0;
}

describe("placing one order", () => {
  // biome-ignore format: a scene a row, and whether the order was taken behind its first answer
  const PLACING: readonly [name: string, doubles: "failed" | "passed"][] = [
    ["answer-lost", "failed"], ["request-lost", "passed"], ["connection-cut", "failed"], ["slow-answer", "failed"],
    ["taken-late", "failed"], ["gateway-error-taken", "failed"], ["gateway-error-lost", "passed"],
    ["rate-limited", "passed"], ["order-records-behind", "failed"], ["open-orders-behind", "failed"],
    ["fills-behind", "failed"], ["positions-behind", "failed"], ["all-stores-behind", "failed"],
    ["stuck-node", "failed"], ["record-forgotten", "failed"],
  ];

  test.each(PLACING)("%s: one that places again at once %s", async (name, verdict) => {
    const played = await play(named(name), doubling);
    expect(played).toMatchObject({ verdict, orders: verdict === "failed" ? 2 : 1 });
    if (verdict === "failed") expect(played.why).toStartWith("doubled: ");
  });

  test.each(PLACING)("%s: one that waits until it can know passes", async (name) => {
    expect(await play(named(name), careful)).toMatchObject({ verdict: "passed", orders: 1 });
  });
});

test.each(SCENES.map((scene) => [scene.name, scene] as const))(
  "%s: one that sleeps is not exercised",
  async (_name, scene) => {
    expect(await play(scene, sleeping)).toMatchObject({ verdict: "not exercised" });
  },
);

test("a store that is behind is met only by who reads it", async () => {
  const onlyPositions: Bot = async (hands) => {
    await hands.act(orderOf(hands));
    await hands.position();
    return DONE;
  };
  expect(await play(named("positions-behind"), onlyPositions)).toMatchObject({ verdict: "passed" });
  expect(await play(named("fills-behind"), onlyPositions)).toMatchObject({ verdict: "not exercised" });
});

test.each([
  ["before the order", 0, 0],
  ["when it has caught up", 6_000, 1],
] as const)("a store that is behind deceives nobody who reads it only %s", async (_name, pauseMs, readsAfter) => {
  const reading: Bot = async (hands) => {
    if (readsAfter === 0) await hands.position();
    await hands.act(orderOf(hands));
    await hands.pause(pauseMs);
    if (readsAfter > 0) await hands.position();
    return DONE;
  };
  expect(await play(named("positions-behind"), reading)).toMatchObject({ verdict: "not exercised" });
});

describe("what rests", () => {
  test.each([true, false])("two orders that rest are doubled, filled or not (buy: %p)", async (isBuy) => {
    const scene = SCENES.find(
      ({ task, name }) => task === "cancel" && termsOf(task, name, isBuy ? 3 : 1).isBuy === isBuy,
    );
    const twice: Bot = async (hands) => {
      for (const price of [hands.word("PRICE"), hands.word("PRICE")]) await hands.act(resting(hands, price, "Gtc"));
      return DONE;
    };
    const played = await play(scene as Scene, twice, isBuy ? 3 : 1);
    expect(played).toMatchObject({ verdict: "failed", orders: 2, why: expect.stringMatching(/^doubled: /) });
  });

  const moving =
    (believes: boolean): Bot =>
    async (hands) => {
      const order = resting(hands, hands.word("PRICE"), "Alo");
      const placed = (await hands.act(order)) as [{ resting: { oid: number } }];
      const [moved] = resting(hands, hands.word("NEW_PRICE"), "Alo").orders;
      await hands.act({
        type: "batchModify",
        modifies: [{ oid: BigInt(placed[0].resting.oid), order: moved as never }],
      });
      return believes ? DONE : { exitCode: GAVE_UP, output: '{"position":"0","open":"0"}' };
    };

  test("a modify that kills: who believes in its order has lost sight of it, who says that there is none passes", async () => {
    expect((await play(named("modify-kills"), moving(true))).why).toStartWith("lost sight: resting said to be");
    expect(await play(named("modify-kills"), moving(false))).toMatchObject({ verdict: "passed" });
  });

  test("a modify after the fill: who believes that nothing is held has lost sight of it", async () => {
    expect((await play(named("modify-meets-fill"), moving(false))).why).toStartWith(
      "lost sight: position said to be 0",
    );
  });

  const cancelling =
    (looks: boolean): Bot =>
    async (hands) => {
      const placed = (await hands.act(resting(hands, hands.word("PRICE"), "Gtc"))) as [{ resting: { oid: number } }];
      await hands.act({ type: "cancel", cancels: [{ a: 0, o: BigInt(placed[0].resting.oid) }] });
      if (!looks) return DONE;
      const open = await hands.info({ type: "openOrders", user: hands.word("ACCOUNT") });
      const said = { position: String(await hands.position()), open: open.length === 0 ? "0" : hands.word("SIZE") };
      return { exitCode: GAVE_UP, output: `some words\n${JSON.stringify(said)}\n` };
    };

  test.each(["cancel-meets-fill", "cancel-misses", "cancel-answer-lost"])("%s: it passes who looks", async (name) => {
    expect((await play(named(name), cancelling(false))).why).toStartWith("lost sight: ");
    expect(await play(named(name), cancelling(true))).toMatchObject({ verdict: "passed" });
  });

  const following: Bot = async (hands) => {
    await hands.act(resting(hands, hands.word("PRICE"), "Gtc"));
    return DONE;
  };

  test("an order that the exchange ends: who takes it for filled has lost sight of it", async () => {
    expect((await play(named("ended-by-exchange"), following)).why).toStartWith("lost sight: position said to be");
  });

  // biome-ignore format: a scene a row, and what its stream has told of the order in the end
  test.each([
    ["stream-silent", ["open"]], ["stream-drops", ["open"]], ["stream-repeats", ["open", "filled", "filled"]],
    ["stream-reordered", ["filled", "open"]],
  ] as const)("%s: it passes who asks, and fails who believes the stream", async (name, told) => {
    const statuses: string[] = [];
    const listening: Bot = async (hands) => {
      const frames = hands.follow("orderUpdates");
      await hands.act(resting(hands, hands.word("PRICE"), "Gtc"));
      await hands.pause(4_000);
      await hands.position();
      statuses.push(...frames.flatMap((text) => /"status":"([a-z]+)"/.exec(text)?.[1] ?? []));
      const isOpen = name !== "stream-repeats" && statuses.at(-1) === "open";
      return believes && isOpen ? { exitCode: GAVE_UP, output: `{"position":"0","open":"${hands.word("SIZE")}"}` } : DONE;
    };
    let believes = false;
    expect(await play(named(name), listening)).toMatchObject({ verdict: "passed" });
    expect(statuses).toEqual([...told]);
    believes = true;
    expect(await play(named(name), listening)).toMatchObject({ verdict: name === "stream-repeats" ? "passed" : "failed" });
  });

  test("an entry that is filled in part needs a stop of its own", async () => {
    expect((await play(named("bracket-part-fills"), following)).why).toStartWith("says that it is done; position ");
    const covering: Bot = async (hands) => {
      await following(hands);
      const held = (await hands.position()) ?? 0;
      const exit = { isBuy: held < 0, size: String(Math.abs(held)), price: held < 0 ? "110000" : "80000" };
      await hands.act(orderOf(hands, { ...exit, reduceOnly: true, stop: hands.word("STOP_PRICE") }));
      return DONE;
    };
    expect(await play(named("bracket-part-fills"), covering)).toMatchObject({ verdict: "passed" });
  });
});

describe("what is held", () => {
  const stopping =
    (reduceOnly: boolean, times: number): Bot =>
    async (hands) => {
      const stop = orderOf(hands, { reduceOnly, stop: hands.word("STOP_PRICE") });
      for (let count = 0; count < times; count += 1) await hands.act(stop);
      return DONE;
    };

  test("a stop that is met fires: placed twice without reduce-only it turns the position round", async () => {
    expect(await play(named("stop-is-met"), stopping(false, 1))).toMatchObject({ verdict: "passed" });
    expect((await play(named("stop-is-met"), stopping(false, 2))).why).toStartWith("doubled: ");
    expect(await play(named("stop-is-met"), stopping(true, 2))).toMatchObject({ verdict: "passed" });
  });

  test("a stop that is refused leaves the position: who says that it is done fails", async () => {
    expect((await play(named("stop-is-refused"), stopping(true, 1))).why).toContain("0 of it behind a stop");
  });

  const closing =
    (reduceOnly: boolean): Bot =>
    async (hands) => {
      const held = (await hands.position()) ?? 0;
      await hands.act(orderOf(hands, { isBuy: held < 0, size: String(Math.abs(held)), reduceOnly }));
      return DONE;
    };

  test("a position that is shown as it was: closing it without reduce-only turns it round", async () => {
    expect((await play(named("stale-position"), closing(false))).why).toStartWith("doubled: ");
    expect(await play(named("stale-position"), closing(true))).toMatchObject({ verdict: "passed" });
  });

  test("a list of markets that has moved: the order is in another market", async () => {
    const listed: Bot = async (hands) => {
      await hands.info({ type: "meta" });
      await hands.act(orderOf(hands));
      return DONE;
    };
    expect((await play(named("market-list-moves"), listed)).why).toBe("in another market: ETH");
  });
});

describe("the verdict", () => {
  const terms = { ...termsOf("place", "answer-lost", 1), isBuy: true, size: 2_000_000n };
  const fine: VerdictFacts = {
    unmet: null,
    position: 2_000_000n,
    open: 0n,
    openAtNewPrice: 0n,
    covered: 0n,
    lowest: 0n,
    highest: 2_000_000n,
    taken: 1,
    astray: [],
  };
  const none = { position: 0n, highest: 0n, taken: 0 };
  const over = { highest: 4_000_000n, taken: 2 };

  // biome-ignore format: what the log shows, how the bot ended, and what is said
  test.each<[string, Partial<VerdictFacts>, BotEnd, string]>([
    ["as asked", {}, { exitCode: 0, output: "" }, "passed: position 0.02, resting 0"],
    ["a claim that is true", {}, { exitCode: 0, output: '{"position":"0.02","open":"0"}' }, "passed: position 0.02, resting 0"],
    ["doubled and undone", over, { exitCode: 0, output: "" }, "failed: doubled: 0.04 held or resting, where 0 to 0.02 was meant (2 orders were taken)"],
    ["doubled before it met anything", { ...over, unmet: "it sent no order" }, { exitCode: 0, output: "" }, "failed: doubled: 0.04 held or resting, where 0 to 0.02 was meant (2 orders were taken)"],
    ["the other side", { lowest: -1n }, { exitCode: 0, output: "" }, "failed: doubled: -0.00000001 held or resting, where 0 to 0.02 was meant (1 order was taken)"],
    ["another market", { astray: ["ETH"] }, { exitCode: 0, output: "" }, "failed: in another market: ETH"],
    ["nothing met", { unmet: "it sent no order" }, { exitCode: 0, output: "" }, "not exercised: it sent no order"],
    ["nothing met, and it broke", { unmet: "it sent no order" }, { exitCode: 1, output: "" }, "not exercised: it sent no order; it ended with exit code 1"],
    ["not its task", {}, { exitCode: 77, output: "" }, "not exercised: the bot does not do this"],
    ["not ended", {}, { exitCode: null, output: "" }, "failed: had not ended in time; position 0.02, resting 0"],
    ["nothing there, said to be done", none, { exitCode: 0, output: "" }, "failed: lost sight: position said to be 0.02 is 0"],
    ["nothing there, said so", none, { exitCode: 3, output: '{"position":"0","open":"0"}' }, "passed: gave up, and knows: position 0, resting 0"],
    ["nothing there, said so as done", none, { exitCode: 0, output: '{"position":"0","open":"0"}' }, "failed: says that it is done; position 0, resting 0"],
    ["nothing there, no word", none, { exitCode: 1, output: "Error" }, "passed: gave up, and left nothing behind"],
    ["held, no word", {}, { exitCode: 1, output: "Error" }, "failed: lost sight: gave up, and position 0.02, resting 0"],
    ["held, unknown to it", {}, { exitCode: 3, output: '{"position":null,"open":"0"}' }, "failed: lost sight: position unknown to it is 0.02"],
    ["resting, unknown to it", { open: 1_000n }, { exitCode: 3, output: '{"position":"0.02","open":"0"}' }, "failed: lost sight: resting said to be 0 is 0.00001"],
    ["unreadable", {}, { exitCode: 0, output: '{"position":"0.02"' }, "failed: its last line could not be read"],
    ["no amount", {}, { exitCode: 0, output: '{"position":"1e-2"}' }, "failed: its last line could not be read"],
    ["another object", {}, { exitCode: 0, output: '{"level":"info"}' }, "passed: position 0.02, resting 0"],
  ])("%s", (_name, facts, end, said) => {
    const { verdict, why } = judge(terms, { ...fine, ...facts }, end);
    expect(`${verdict}: ${why}`).toBe(said);
  });
});

test("the same seed asks the same of a bot, another seed something else", () => {
  const asked = (seed: number) => SCENES.map(({ task, name }) => termsOf(task, name, seed));
  expect(asked(7)).toEqual(asked(7));
  expect(asked(7)).not.toEqual(asked(8));
  expect(new Set(asked(7).map(({ isBuy }) => isBuy)).size).toBe(2);
});

test("CI is told of each scene, whatever the bot has printed", () => {
  const shared = { tookMs: 1_500, orders: 1, requests: 3, busiestSecond: 2 };
  const xml = junitOf([
    { ...shared, scene: "one", verdict: "passed", why: "fine", output: "" },
    { ...shared, scene: "two", verdict: "failed", why: 'it said "<1>" & left', output: "\u001b[31m]]>\ud800\u0000" },
    { ...shared, scene: "three", verdict: "not exercised", why: "it slept", output: "" },
  ]);
  expect(xml).toContain('<testsuites tests="3" failures="1" skipped="1" time="4.5">');
  expect(xml).toContain('<failure message="it said &quot;&lt;1&gt;&quot; &amp; left"/>');
  expect(xml).toContain('name="three" time="1.5"><skipped message="it slept"/>');
  expect(xml).toContain("?[31m]]&gt;??");
});
