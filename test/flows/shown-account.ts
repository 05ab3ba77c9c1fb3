/** What scenes about the account as it is shown have in common: worlds, frames that go astray, and reads. */
import { expect } from "bun:test";
import type { FaultFile } from "../../src/paper/faults.ts";
import { type Answer, FIRST, openPaperRig, type PaperRig, type Party } from "../support/paper-rig.ts";

export const ONE_SECOND = 1_000;
/** Time in which a feed is live, and everything is read once. */
const SETTLED_MS = 20 * ONE_SECOND;

type World = { hasFeed: boolean; faults: FaultFile };

export const ON_CHANGE: World = {
  hasFeed: true,
  faults: { rules: [], states: { onChange: true, everyTicks: 5 } },
};
export const EVERY_FIVE_SECONDS: World = {
  hasFeed: true,
  faults: { rules: [], states: { onChange: false, everyTicks: 5 } },
};
export const NEVER: World = { hasFeed: false, faults: { rules: [] } };

/** How the exchange tells states: every few seconds alone, on change as well, or not at all. */
export const WORLDS: readonly [string, World][] = [
  ["every five seconds", EVERY_FIVE_SECONDS],
  ["on change", ON_CHANGE],
  ["never", NEVER],
];

export const BUY = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.01" };
export const TAKING = { ...BUY, price: "60010", time_in_force: "ioc" };

export type Row = Record<string, unknown>;

/** What becomes of a frame of the feed before it arrives. */
type Fate = (frame: { channel: string; text: string; arrive: (instead?: string) => void }) => void;

export function onFrames(rig: PaperRig, fate: Fate): void {
  rig.frames = (text, arrive) => fate({ channel: channelOf(text), text, arrive });
}

export function channelOf(text: string): string {
  return /^\{"channel":"([A-Za-z0-9]+)"/.exec(text)?.[1] ?? "";
}

export async function openWorld(world: World, before: (rig: PaperRig) => void = () => undefined): Promise<PaperRig> {
  const rig = await openPaperRig(world);
  before(rig);
  await rig.trade("sell", "1", "60010");
  await rig.trade("buy", "1", "59990");
  await rig.clock.advance(SETTLED_MS);
  return rig;
}

export async function write(rig: PaperRig, path: string, body: object, party: Party = FIRST): Promise<Answer> {
  const answer = await rig.answer(party, { route: `POST ${path}`, body });
  expect([path, answer.status < 202, answer.status < 202 ? null : answer.text]).toEqual([path, true, null]);
  return answer;
}

export type Shown = { rows: Row[]; ageMs: number | null; tookMs: number };

/** A list and the age that it was told with. */
export async function list(rig: PaperRig, path: string, party: Party = FIRST): Promise<Shown> {
  const startedMs = rig.clock.elapsedMs();
  const { status, text, body, headers } = await rig.answer(party, { route: `GET ${path}` });
  expect([path, status, status === 200 ? null : text]).toEqual([path, 200, null]);
  return { rows: body["data"] as Row[], ageMs: ageOf(rig, headers), tookMs: rig.clock.elapsedMs() - startedMs };
}

export function positions(rig: PaperRig, party: Party = FIRST): Promise<Shown> {
  return list(rig, "/v1/positions", party);
}

export function openOrders(rig: PaperRig, party: Party = FIRST): Promise<Shown> {
  return list(rig, "/v1/orders?status=open", party);
}

export function twaps(rig: PaperRig, party: Party = FIRST): Promise<Shown> {
  return list(rig, "/v1/twaps", party);
}

export async function account(rig: PaperRig, party: Party = FIRST): Promise<{ row: Row; ageMs: number | null }> {
  const { status, body, headers } = await rig.answer(party, { route: "GET /v1/account" });
  expect([status, body["error"]]).toEqual([200, undefined]);
  return { row: body, ageMs: ageOf(rig, headers) };
}

function ageOf({ deps }: PaperRig, headers: Headers): number | null {
  const asOf = headers.get("X-Data-As-Of");
  return asOf === null ? null : deps.exchange.nowMs() - Date.parse(asOf);
}

const POLLED_EVERY_MS = 700;

/** Looks again and again. */
export async function poll(rig: PaperRig, forMs: number, look: (rig: PaperRig) => Promise<void>): Promise<void> {
  const endMs = rig.clock.elapsedMs() + forMs;
  while (rig.clock.elapsedMs() < endMs) {
    await look(rig);
    await rig.clock.advance(POLLED_EVERY_MS);
  }
}

const LIGHT = ["clearinghouseState", "spotClearinghouseState", "orderStatus"];
const HEAVY = ["userAbstraction", "frontendOpenOrders", "twapHistory", "userFillsByTime"];

/** Of our weight, what reads about accounts have cost. */
export function weightOf(asked: readonly string[]): number {
  const count = (types: readonly string[]) => asked.filter((type) => types.includes(type)).length;
  return 2 * count(LIGHT) + 20 * count(HEAVY);
}

/** An answer of old has its age, and nothing has an age of more than ten seconds. */
export const MAX_AGE_MS = 10 * ONE_SECOND;

/**
 * What was so since a time of the standing clock is shown, unless the answer says that it is of before. `withinMs`: what
 * counts as now.
 */
export function expectOfNow(
  rig: PaperRig,
  shown: Shown,
  change: { sinceMs: number; isShown: boolean; withinMs: number },
) {
  const ageMs = shown.ageMs ?? change.withinMs + shown.tookMs;
  const asOfMs = rig.clock.elapsedMs() - ageMs;
  const isOfBefore = shown.ageMs === null ? asOfMs <= change.sinceMs : asOfMs < change.sinceMs;
  expect({ ...change, isShown: change.isShown || isOfBefore, ageMs }).toEqual({ ...change, isShown: true, ageMs });
  expect(ageMs).toBeLessThanOrEqual(MAX_AGE_MS + shown.tookMs);
}

/** A frame with something in its place that cannot be read; whose it is can. */
export function garbled(text: string): string {
  const frame = JSON.parse(text) as { channel: string; data: Record<string, unknown> };
  const { channel, data } = frame;
  if (channel === "webData3") data["userState"] = { ...(data["userState"] as object), serverTime: "soon" };
  for (const name of ["clearinghouseState", "orders", "spotState"]) if (name in data) data[name] = "moved";
  return JSON.stringify(frame);
}
