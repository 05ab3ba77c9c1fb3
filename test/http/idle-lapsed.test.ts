/** A cancel of what protects nothing of its bot is sent again only while that is so. */
import { describe, expect, test } from "bun:test";
import { LAPSED_WORDS } from "../../src/core/rails/idle-reduction.ts";
import {
  type Bot,
  type Held,
  pass,
  protectedBot,
  RESTING,
  runningTwap,
  SIZE,
  sold,
  stopAll,
  type Wanted,
  whileItWaits,
} from "./idle-rig.ts";
import { fillAt, MARK, place } from "./rails-rig.ts";

/** What is sent to cancel goes without an answer and is not carried out, and neither is an empty action answered. */
function lostCancels({ rig, stop }: Bot, word: () => object | null): string[] {
  const lost: string[] = [];
  const { send } = rig.deps.exchange;
  const shown = rig.answers.get("orderStatus");
  rig.answers.set("orderStatus", (asked) => {
    const record = shown?.(asked) as { order: { status: string } };
    return { ...record, order: { ...record.order, status: "open" } };
  });
  rig.deps.exchange.send = async (body, ...more) => {
    const isCancel = body.includes('"cancels"') || body.includes('"twapCancel"');
    if (!isCancel && !body.includes('"noop"')) return send(body, ...more);
    lost.push(isCancel ? "cancel" : "empty action");
    const said = isCancel ? word() : null;
    return said === null
      ? { kind: "unknown", reason: "silence" }
      : { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response: said }) };
  };
  expect(stop.id).not.toBe("");
  return lost;
}

/** Until it has just been sent: it is sent again within a second. */
async function firstCancel({ rig, watch }: Bot, sent: readonly string[]): Promise<void> {
  while (!sent.includes("cancel")) {
    await watch.look();
    await rig.clock.advance(100);
  }
}

async function buyAgain({ rig }: Bot): Promise<void> {
  const { send } = rig.deps.exchange;
  fillAt(rig, MARK, 90_000);
  expect((await place(rig, { size: SIZE })).status).toBe(201);
  rig.deps.exchange.send = send;
}

async function restAnEntry({ rig }: Bot): Promise<void> {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...more) =>
    body.includes('"orders"') ? { kind: "unknown", reason: "silence" } : send(body, ...more);
  expect((await place(rig, { price: "50000" })).status).toBe(202);
}

const NOT_FOUND = "TWAP was never placed, already canceled, or filled.";
const MISSED = { type: "twapCancel", data: { status: { error: NOT_FOUND } } };

const LOST: [string, (held: Held, wanted?: Wanted) => Promise<Bot>, () => object | null][] = [
  ["a trigger", protectedBot, () => null],
  ["an order that rests", (held, wanted) => protectedBot(held, wanted, RESTING), () => null],
  ["a TWAP", runningTwap, () => MISSED],
];

const WHILE: [string, (bot: Bot) => Promise<void>][] = [
  ["its bot has bought again", buyAgain],
  ["its bot may have bought again, of which nobody knows yet", restAnEntry],
  ["a stop keeps what protects", stopAll],
];

describe.each(LOST)("a cancel of %s that came to nothing", (_what, made, word) => {
  test.each(WHILE)("is given up where %s since", async (_where, then) => {
    const bot = await made({ szi: "0.5" });
    await sold(bot);
    const sent = lostCancels(bot, word);
    await firstCancel(bot, sent);
    const settled = then(bot);
    await bot.rig.clock.advance(1);
    const before = sent.filter((each) => each === "cancel").length;
    await pass(bot, 60);
    await settled;
    expect(sent.filter((each) => each === "cancel")).toHaveLength(before);
    const { store } = bot.rig.deps;
    const open = "select count(*) as n from attempts where idempotency_key like 'idle %' and state <> 'done'";
    expect(store.$client.query(open).get()).toEqual({ n: 0 });
    const told = "select count(*) as n from (select detail as t from notes union all select error from operations)";
    expect(
      store.$client.query(`${told} where t like '%${LAPSED_WORDS}%'`.replaceAll("another's", "another''s")).get(),
    ).toEqual({ n: 1 });
  });

  test("is sent again while its bot holds nothing", async () => {
    const bot = await made({ szi: "0.5" });
    await sold(bot);
    const sent = lostCancels(bot, word);
    await pass(bot, 60);
    expect(sent.filter((each) => each === "cancel").length).toBeGreaterThan(1);
  });
});

test.each(LOST)(
  "a cancel of %s is not sent again where the same is bought while it waits for a slot",
  async (_what, made, word) => {
    const bot = await made({ szi: "0.5" });
    await sold(bot);
    const sent = lostCancels(bot, word);
    await firstCancel(bot, sent);
    let before = 0;
    whileItWaits(bot, async () => {
      before = sent.filter((each) => each === "cancel").length;
      await buyAgain(bot);
    });
    await pass(bot, 60);
    expect(before).toBeGreaterThan(0);
    expect(sent.filter((each) => each === "cancel")).toHaveLength(before);
  },
);

test("a number under which a cancel may still come is taken before that is given up", async () => {
  const bot = await protectedBot({ szi: "0.5" });
  await sold(bot);
  const sent = lostCancels(bot, () => null);
  await firstCancel(bot, sent);
  await buyAgain(bot);
  await pass(bot, 30);
  expect(sent).toContain("empty action");
});
