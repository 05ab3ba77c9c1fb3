/** What the exchange of a run tells of states whenever they have changed. */
import { expect, test } from "bun:test";
import { connect, receive } from "../../src/paper/ws.ts";
import { openPlainVenue } from "./plain-venue.ts";
import { PARTIES, START_MS } from "./template.ts";
import type { Venue } from "./venue.ts";

const [PARTY] = PARTIES;
if (PARTY === undefined) throw new Error("bug: a run without parties");
const OWNER = PARTY.account.ownerAddress;
/** An even one: its exchange sends states on change. */
const SEED = 2;

type Told = { venue: Venue; later(ms: number): void; states(): number };

/** A venue with one subscriber to the open orders of the first party; the answer to a subscription is one state. */
async function followed(): Promise<Told> {
  let nowMs = START_MS;
  const venue = openPlainVenue({ seed: SEED, nowMs: () => nowMs });
  const frames: string[] = [];
  const peer = { send: (text: string) => void frames.push(text), close: () => undefined };
  const connection = connect(venue.hub, peer, "gateway");
  if (connection === null) throw new Error("not connected");
  const subscription = { type: "openOrders", user: OWNER };
  await receive(venue.hub, connection, JSON.stringify({ method: "subscribe", subscription }));
  const later = (ms: number) => {
    nowMs += ms;
    // Whoever asks lets time pass.
    venue.read('{"type":"exchangeStatus"}', null);
  };
  return { venue, later, states: () => frames.filter((text) => text.startsWith('{"channel":"openOrders"')).length };
}

function placed(venue: Venue): void {
  const order = { a: 1, b: true, p: "1000", s: "0.05", r: false, t: { limit: { tif: "Gtc" } }, c: null };
  const action = { type: "order", orders: [order], grouping: "na", builder: null };
  // Decimals of these texts are canonical; the brand is the engine's.
  venue.act(OWNER, action as unknown as Parameters<Venue["act"]>[1]);
}

test("a state that nobody was told since the subscription is told as soon as time passes, and then only when it has changed", async () => {
  const { venue, later, states } = await followed();
  expect(states()).toBe(1);
  later(1_000);
  expect(states()).toBe(2);
  later(1_000);
  expect(states()).toBe(2);
  placed(venue);
  expect(states()).toBe(3);
  later(60_000);
  expect(states()).toBe(3);
});
