/** Clients of a run whose keys have rails: what each is held to, which wishes are asked with it, and its row. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { inGrantOrder, type LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import type { RailsText } from "../../src/core/rails/rails.ts";
import { isoTime } from "../../src/core/resource.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { type Chance, openChance } from "./chance.ts";
import type { Ask } from "./front.ts";
import { PARTIES, type Party, START_MS } from "./template.ts";
import { type Base, operation, placing, type Wish } from "./wishes.ts";

/** One key of a bot. Of several the newest says what all are held to. */
export type Holder = { by: Party; text: LimitedGrantText };

export type Bot = {
  /** Of a party: the same name is another bot of another account. */
  party: Party;
  /** What it is held to. */
  rails: RailsText;
  holders: readonly Holder[];
};

/** Bits by which the seed of bots differs from the seed of everything else. */
const BOT_STREAM = 0xb075_0000;
/** One run in so many has keys with rails. */
const SHARE = 0.25;
/** Bits by which the seed of what bots do besides orders differs from that of the bots: those are as they were. */
const OPERATIONS_STREAM = 0x09e7_0000;
/** Of the runs with bots. */
const OPERATIONS_SHARE = 0.5;
const MAX_OPERATIONS = 4;
/** Orders that are asked for beside the wishes of the run, at most. */
const MAX_MORE = 6;

/** What of bots a seed draws. */
export const BOT_KINDS = ["bots", "bot_operations"] as const;
export type BotKind = (typeof BOT_KINDS)[number];

/** Which of these are in the run of a seed. */
export function botKindsOf(seed: number): BotKind[] {
  if (!openChance(seed ^ BOT_STREAM).isLucky(SHARE)) return [];
  return openChance(seed ^ OPERATIONS_STREAM).isLucky(OPERATIONS_SHARE) ? ["bots", "bot_operations"] : ["bots"];
}

export type WithBots = { bots: readonly Bot[]; wishes: Wish[] };

/** The wishes of a run, some of them asked by bots. A stream of its own: runs without bots are as they were. */
export function drawBots(seed: number, wishes: Wish[], faultsEndMs: number): WithBots {
  const chance = openChance(seed ^ BOT_STREAM);
  if (!chance.isLucky(SHARE)) return { bots: [], wishes };
  const bots = PARTIES.flatMap((party, nth) => {
    const all = [
      drawBot(chance, { party, name: "grid", nth }),
      drawBot(chance, { party, name: "other", nth: nth + 2 }),
    ];
    return all;
  });
  const more = Array.from({ length: chance.between(2, MAX_MORE) }, (_, nth) =>
    another(chance, wishes.length + nth, faultsEndMs),
  );
  const all = [...wishes, ...more].map((wish) => asked(chance, bots, wish));
  return withOperations(openChance(seed ^ OPERATIONS_STREAM), { bots, wishes: all }, faultsEndMs);
}

/** In every other run with bots they may set leverage, move margin and run TWAPs, and are held to a leverage. */
function withOperations(chance: Chance, { bots, wishes }: WithBots, faultsEndMs: number): WithBots {
  if (!chance.isLucky(OPERATIONS_SHARE)) return { bots, wishes };
  const held = new Map(bots.map((bot) => [bot, heldToMore(chance, bot)]));
  const more: Wish[] = [];
  for (let nth = chance.between(2, MAX_OPERATIONS); nth > 0; nth -= 1) {
    const number = wishes.length + more.length;
    const [party] = PARTIES;
    if (party === undefined) throw new Error("bug: a run without parties");
    const atMs = chance.between(0, Math.floor(faultsEndMs * 0.8));
    const key = `key-${number}-${chance.between(1_000, 9_999)}`;
    const base = { number, key, party, by: party, atMs };
    const wish = chance.isLucky(0.3) ? raising(base) : operation(chance, base, more);
    more.push(asked(chance, bots, wish));
  }
  return { bots: bots.map((bot) => held.get(bot) ?? bot), wishes: [...wishes, ...more] };
}

/** Above what is set at first, which is all that other wishes set less than. */
const RAISED_FROM = 24;

function raising(base: Base): Wish {
  const ask: Ask = { kind: "leverage", market: "BTC", leverage: RAISED_FROM + base.number, marginType: "cross" };
  return { ...base, kind: "leverage", price: null, target: null, ask: () => ask };
}

function heldToMore(chance: Chance, { party, rails, holders }: Bot): Bot {
  const may = `${rails.may}${chance.pick(["", ",twap", ",leverage,margin,twap", ",leverage,margin,twap"])}`;
  const more = { may, maxLeverage: chance.pick(["any", "any", "20", "8"]) };
  const texts = holders.map((each) => ({ ...each, text: inGrantOrder({ ...each.text, ...more }) }));
  return { party, rails: { ...rails, ...more }, holders: texts };
}

/** What bots ask for is often on its way together. */
function another(chance: Chance, number: number, faultsEndMs: number): Wish {
  const [party] = PARTIES;
  if (party === undefined) throw new Error("bug: a run without parties");
  const moment = Math.floor(faultsEndMs / 4) * chance.between(0, 2);
  const atMs = moment + chance.between(0, 600);
  return placing(chance, { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by: party, atMs });
}

/** Most by the first bot of a party, some by its other, some with the plain key. */
function asked(chance: Chance, bots: readonly Bot[], wish: Wish): Wish {
  const [first, other] = bots.filter(({ party }) => party === wish.party);
  const bot = [first, first, first, first, other][chance.between(0, 5)];
  if (bot === undefined) return wish;
  const { by } = chance.pick(bot.holders);
  const parts = wish.parts?.map((part) => ({ ...part, by }));
  return { ...wish, by, ...(parts === undefined ? {} : { parts }) };
}

type Named = { party: Party; name: string; nth: number };

function drawBot(chance: Chance, { party, name, nth }: Named): Bot {
  return makeBot({ party, nth, rails: drawRails(chance, name) });
}

/** A bot with two keys, of which the newer grant is the tighter one. `nth` tells it from the others of its run. */
export function makeBot({ party, nth, rails }: { party: Party; nth: number; rails: RailsText }): Bot {
  const older = { ...rails, maxPosition: "any", maxExposure: "any", maxOrder: "any" };
  const holders = [
    holder(party, { rails: older, letter: "0123".charAt(nth), issuedAtMs: START_MS - 2_000 }),
    holder(party, { rails, letter: "4567".charAt(nth), issuedAtMs: START_MS - 1_000 + nth }),
  ];
  return { party, rails, holders };
}

function drawRails(chance: Chance, bot: string): RailsText {
  return {
    bot,
    markets: chance.pick(["any", "BTC"]),
    touches: chance.pick(["own", "own", "all"]),
    sources: "any",
    may: chance.pick([
      ...Array<string>(6).fill("increase,reduce,modify,cancel"),
      "increase,reduce,cancel",
      "reduce,cancel",
    ]),
    maxOrder: chance.pick(["any", "any", "6000 USD"]),
    maxPosition: chance.pick(["any", "4000 USD", "9000 USD", "9000 USD", "14000 USD"]),
    maxExposure: chance.pick(["any", "any", "7000 USD"]),
    maxTurnoverPerDay: chance.pick(["any", "any", "12000 USD"]),
    maxLossPerDay: "any",
    maxLeverage: "any",
    maxStopDistance: "any",
    maxActionsPerDay: chance.pick(["any", "any", "any", "3"]),
    maxDistance: chance.pick(["any", "any", "5 %", "0.2 %"]),
    maxOpenOrders: chance.pick(["any", "any", "any", "2"]),
  };
}

type Granted = { rails: RailsText; letter: string; issuedAtMs: number };

function holder({ account, agent }: Party, { rails, letter, issuedAtMs }: Granted): Holder {
  const digit = account.label.slice(-1);
  const apiKey = `api_trade_${`${letter}${digit}`.repeat(32)}`;
  const hash = keyHash(apiKey);
  const scopes = ["trading:read", "trading:write"] as const;
  const key = { keyHash: hash, accountId: account.id, scopes, issuedAtMs, registeredAtMs: START_MS };
  const text = inGrantOrder({
    audience: "simulation",
    account: account.id,
    network: "testnet",
    owner: account.ownerAddress,
    tradingAddress: account.tradingAddress,
    keyHash: hash,
    scopes: scopes.join(","),
    ...rails,
    issuedAt: isoTime(issuedAtMs),
    expiresAt: isoTime(issuedAtMs + 300 * 86_400_000),
  });
  return { by: { account, agent, apiKey, key }, text };
}

/** What the last template with bots holds, and whose: many a run after another has the same keys, and the rows of each wait for the disk. */
let made: { of: string; bytes: Uint8Array } | null = null;

/** A template with the rows that registering these keys leaves. */
export function templateWith(bots: readonly Bot[], { template, path }: { template: string; path: string }): string {
  const holders = bots.flatMap((bot) => bot.holders);
  const of = JSON.stringify(holders.map(({ by, text }) => [by.key, text]));
  if (made?.of === of) writeFileSync(path, made.bytes);
  else {
    copyFileSync(template, path);
    register(holders, path);
    made = { of, bytes: readFileSync(path) };
  }
  return path;
}

function register(holders: Bot["holders"], path: string): void {
  const store = openStore(path);
  for (const { by, text } of holders) {
    const signed = { audience: text.audience, network: text.network, signature: `0x${"0".repeat(130)}` };
    insertApiKey(store, by.key, { ...signed, expiresAtMs: Date.parse(text.expiresAt), limited: text });
  }
  store.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  closeStore(store);
}
