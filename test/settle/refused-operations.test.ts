/** Refusals of TWAPs, leverage and margin name nothing: one that was another's is overruled by what shows what was asked for. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../src/paper/answers.ts";
import type { Ask } from "../simulation/front.ts";
import { directly } from "../simulation/network.ts";
import { MAKER } from "../simulation/plain-venue.ts";
import { limit, type Scene, type SceneOptions, trade } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import type { Venue } from "../simulation/venue.ts";
import { holdBack, LOST, told, typeIn } from "./stale-stage.ts";

const scene = scenesOfThisFile();

const TWAP: Ask = { kind: "twap", market: "BTC", side: "buy", size: "1", minutes: 30 };
const LEVERAGE: Ask = { kind: "leverage", market: "BTC", leverage: 25, marginType: "isolated" };
const MARGIN: Ask = { kind: "margin", market: "BTC", amount: "20" };

const OF_TWAPS = { error: "Exceeded max number of active TWAP orders." };
type Case = { what: string; ask: Ask; type: string; read: string; answer: object };
const CASES: readonly Case[] = [
  {
    what: "a TWAP",
    ask: TWAP,
    type: "twapOrder",
    read: "twapHistory",
    answer: { status: "ok", response: { type: "twapOrder", data: { status: OF_TWAPS } } },
  },
  {
    what: "a leverage",
    ask: LEVERAGE,
    type: "updateLeverage",
    read: "activeAssetData",
    answer: { status: "err", response: "Invalid leverage value" },
  },
  {
    what: "a margin",
    ask: MARGIN,
    type: "updateIsolatedMargin",
    read: "clearinghouseState",
    answer: { status: "err", response: "Position does not use isolated margin." },
  },
];

/** An account that can be asked for each of them. */
async function stage(options: SceneOptions = {}): Promise<Scene> {
  const s = await scene(options);
  await told(s, "isolated", { kind: "leverage", market: "BTC", leverage: 10, marginType: "isolated" });
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  await s.tell("position", { ...limit("buy", 95_100), timeInForce: "ioc" });
  await s.pass(200_000);
  return s;
}

/** Actions of this type are answered so, and carried out or not. */
function answerWith(s: Scene, { type, answer }: Case, isCarriedOut = true): void {
  const execute = s.venue.execute.bind(s.venue);
  s.venue.execute = (body) => {
    if (typeIn(body) !== type) return execute(body);
    // The number of what is refused is used as well: by something that is refused there.
    execute(isCarriedOut ? body : body.replace(/"(s|leverage|ntli)":("?)[0-9.]+/, '"$1":$20'));
    return jsonAnswer(answer);
  };
}

test.each(CASES)("$what that was carried out is not told as refused in another's words", async (each) => {
  const s = await stage();
  answerWith(s, each);
  expect(await told(s, "mixed-up", each.ask)).not.toMatchObject({ status: "rejected" });
  await s.pass(200_000);
  expect(await told(s, "mixed-up", each.ask)).toMatchObject({ http: 200, status: "succeeded", error: null });
});

test.each(CASES)("$what that a server behind does not show is told as it is once one does", async (each) => {
  const s = await stage();
  const held = holdBack(s);
  held.set(each.read, s.venue.snapshot());
  answerWith(s, each);
  expect(await told(s, "mixed-up", each.ask)).toMatchObject({ http: 200, status: "rejected" });
  await s.pass(140_000);
  held.clear();
  await s.pass(60_000);
  expect(await told(s, "mixed-up", each.ask)).toMatchObject({ http: 200, status: "succeeded", error: null });
});

test.each(CASES)("$what that was refused stays so, and is asked for four times more", async (each) => {
  const s = await stage();
  answerWith(s, each, false);
  let looks = 0;
  expect(await told(s, "refused", each.ask)).toMatchObject({ http: 200, status: "rejected" });
  s.seeThrough((request, answer) => {
    if (request.type === each.read) looks += 1;
    return answer;
  });
  await s.pass(600_000);
  expect(await told(s, "refused", each.ask)).toMatchObject({ http: 200, status: "rejected" });
  if (each.type === "twapOrder") expect(looks).toBe(4);
});

test("a leverage that was refused stays so though a server from before another change shows it", async () => {
  const s = await stage();
  const held = holdBack(s);
  held.set("activeAssetData", s.venue.snapshot());
  const before: Ask = { kind: "leverage", market: "BTC", leverage: 10, marginType: "isolated" };
  await told(s, "then", { ...LEVERAGE, leverage: 20 });
  answerWith(s, { ...(CASES[1] as Case), ask: before }, false);
  expect(await told(s, "refused", before)).toMatchObject({ status: "rejected" });
  await s.pass(140_000);
  held.clear();
  await s.pass(200_000);
  expect(await told(s, "refused", before)).toMatchObject({ http: 200, status: "rejected" });
});

test("an equal TWAP of the owner is not ours where ours never came, and was answered with another's refusal", async () => {
  const s = await stage();
  const [each] = CASES as [Case, ...Case[]];
  const execute = s.venue.execute.bind(s.venue);
  s.venue.execute = (body) => (typeIn(body) === each.type ? jsonAnswer(each.answer) : execute(body));
  const twap = { a: 0, b: true, s: "1", r: false, m: 30, t: false };
  expect(await told(s, "never-came", TWAP)).toMatchObject({ status: "rejected" });
  // Decimals of these texts are canonical; the brand is the engine's.
  const action = { type: "twapOrder", twap, details: null } as unknown as Parameters<Venue["act"]>[1];
  s.venue.act(s.party.account.ownerAddress, action);
  s.setFate(({ body }) => (typeIn(body) === "noop" ? LOST : directly(5)));
  await s.pass(4_000);
  expect(await told(s, "never-came", TWAP)).toMatchObject({ http: 202, status: "unknown" });
  s.setFate(() => directly(5));
  await s.pass(60_000);
  expect(await told(s, "never-came", TWAP)).toMatchObject({ http: 200, status: "rejected", exchange_id: null });
});

/** In words of a server that had not come to the number. */
const AT_THE_DOOR = { status: "err", response: "Unable to recover signer." };
const SETTINGS = CASES.slice(1).map((each) => ({ ...each, answer: AT_THE_DOOR }));

test.each(SETTINGS)("$what that was carried out is not told as refused at the door", async (each) => {
  const s = await stage({ isHttp: true });
  answerWith(s, each);
  expect(await told(s, "mixed-up", each.ask)).not.toMatchObject({ status: "rejected" });
  await s.pass(200_000);
  expect(await told(s, "mixed-up", each.ask)).toMatchObject({ http: 200, status: "succeeded", error: null });
});

/** Every action of this type is refused before its number is looked at; those that were, as they came. */
function refuseAtTheDoor(s: Scene, { type, answer }: Case): string[] {
  const refused: string[] = [];
  const execute = s.venue.execute.bind(s.venue);
  s.venue.execute = (body) => {
    if (typeIn(body) !== type || refused.includes(body)) return execute(body);
    refused.push(body);
    return jsonAnswer(answer);
  };
  return refused;
}

test.each(SETTINGS)("$what that was refused at the door is told as it is once a copy of it has run", async (each) => {
  const s = await stage({ isHttp: true });
  const refused = refuseAtTheDoor(s, each);
  expect(await told(s, "copied-one", each.ask)).toMatchObject({ http: 200, status: "rejected" });
  await s.pass(8_000);
  for (const body of refused) s.venue.execute(body);
  await s.pass(200_000);
  expect(await told(s, "copied-one", each.ask)).toMatchObject({ http: 200, status: "succeeded", error: null });
});

test.each(SETTINGS)(
  "$what of which a copy has run is told so although all servers are behind for long",
  async (each) => {
    const s = await stage({ isHttp: true });
    const refused = refuseAtTheDoor(s, each);
    const held = holdBack(s);
    held.set(each.read, s.venue.snapshot());
    expect(await told(s, "copied-one", each.ask)).toMatchObject({ http: 200, status: "rejected" });
    await s.pass(8_000);
    for (const body of refused) s.venue.execute(body);
    await s.pass(145_000);
    held.clear();
    await s.pass(60_000);
    expect(await told(s, "copied-one", each.ask)).toMatchObject({ http: 200, status: "succeeded", error: null });
  },
);

test.each(SETTINGS)("$what that was refused at the door stays so", async (each) => {
  const s = await stage({ isHttp: true });
  refuseAtTheDoor(s, each);
  await told(s, "refused-one", each.ask);
  await s.pass(300_000);
  expect(await told(s, "refused-one", each.ask)).toMatchObject({ http: 200, status: "rejected" });
});

test("a leverage that is in force already, and was refused at the door, is refused by what its number says", async () => {
  const s = await stage({ isHttp: true });
  refuseAtTheDoor(s, SETTINGS[0] as Case);
  const { status, error } = await told(s, "asked-again", { ...LEVERAGE, leverage: 10 });
  expect([status, error]).toEqual([
    "rejected",
    "It was never executed and no longer can be. The exchange had answered: Unable to recover signer.",
  ]);
});
