/**
 * Answers that are well formed and not for us: of another request, account, market or moment, cut, lengthened, turned round, or of another
 * kind altogether. Nothing of what the exchange does is other than it is.
 */
import type { HttpAnswer } from "../../../src/paper/answers.ts";
import type { Chance } from "../chance.ts";
import { PARTIES } from "../template.ts";
import { STRANGERS } from "../trading.ts";
import { units } from "../truth.ts";
import type { Venue } from "../venue.ts";

export const WRONG_KINDS = [
  /** That of the request before, whatever that was. */
  "one_before",
  /** That of another request of the same kind. */
  "alike",
  /** That of an earlier request that was the same to the letter. */
  "cached",
  /** What another account is answered. */
  "of_another_account",
  /** What is answered of another market or dex. */
  "of_another_market",
  /** Rows or members are left out. */
  "cut_rows",
  /** Rows of other accounts, or the same ones twice. */
  "longer_rows",
  /** Rows and words the other way round. */
  "turned_rows",
  /** An answer to something else altogether. */
  "of_another_kind",
] as const;

export type WrongKind = (typeof WRONG_KINDS)[number];

export type Wrong = {
  kind: WrongKind;
  /** Share of the answers that are wrong. */
  rate: number;
  /** Which answers may be wrong. */
  of: "reads" | "actions" | "all";
};

export function drawWrong(chance: Chance): Wrong {
  return {
    kind: chance.pick(WRONG_KINDS),
    rate: chance.pick([0.03, 0.1, 0.3]),
    of: chance.pick(["reads", "actions", "all"]),
  };
}

/** What no client could have held against anything: what an auditor has to know of it. */
export type Wrongly = {
  /**
   * When an action got the answer of another that names nothing, by its number; milliseconds of virtual time. What became of it can be
   * known later only, as where a copy of it was executed.
   */
  readonly namelessMs: ReadonlyMap<number, number>;
  /** Numbers of which an empty action was told to have taken them, in an answer like any other to one, and had not: it is believed. */
  readonly toldEmptied: ReadonlySet<number>;
  /** Ids of fills in answers to this account that were another's, and in which nothing says so. */
  fillsGivenTo(user: string): ReadonlySet<string>;
  /** When this account was given a state that was not its own, and that nothing in it tells from it; milliseconds of virtual time. */
  statesGivenTo(user: string): readonly number[];
  /** Best prices of books of the market of all wishes that were not so, in 10^-8 dollars: a level that is left out leaves no trace. */
  topsGiven(): readonly WrongTop[];
  /** Markets were listed in other places, or some of them not at all. */
  wereListsWrong(): boolean;
};

/** `atMs`: virtual time. Null where a side is empty. */
export type WrongTop = { atMs: number; bid: bigint | null; ask: bigint | null };

/** `tell`: the answer that a request gets instead of its own. */
export type WrongAnswers = Wrongly & { tell(body: string, answer: HttpAnswer): HttpAnswer };

export const NOTHING_WRONG: Wrongly = {
  namelessMs: new Map(),
  toldEmptied: new Set(),
  fillsGivenTo: () => new Set(),
  statesGivenTo: () => [],
  topsGiven: () => [],
  wereListsWrong: () => false,
};

type Parts = { venue: Venue; chance: Chance; isOver: () => boolean; nowMs: () => number };

/** Our own JSON: a read, or what is signed of an action. */
type Asked = {
  type: string;
  user?: string;
  dex?: string;
  coin?: string;
  req?: { coin: string };
  action?: { type: string };
  nonce?: number;
};

/** As an empty action is answered that is the first of its number. */
const EMPTIED = '{"status":"ok","response":{"type":"default"}}';

type Exchange = { body: string; asked: Asked; name: string; answer: HttpAnswer };

/** Answers that may be met again. */
const MAX_KEPT = 60;

export function openWrong(wrong: Wrong, parts: Parts): WrongAnswers {
  const { venue, chance, isOver, nowMs } = parts;
  const before: Exchange[] = [];
  const namelessMs = new Map<number, number>();
  const toldEmptied = new Set<number>();
  const fills = new Map<string, Set<string>>();
  const states = new Map<string, number[]>();
  const tops: WrongTop[] = [];
  let wereListsWrong = false;

  function note({ asked, name }: Exchange, told: HttpAnswer): void {
    if (asked.action !== undefined && asked.nonce !== undefined) {
      if (!/"cloid":"0x/.test(told.body)) namelessMs.set(asked.nonce, nowMs());
      if (name === "noop" && told.body === EMPTIED) toldEmptied.add(asked.nonce);
      return;
    }
    wereListsWrong ||= LISTS_OF_MARKETS.has(name) && !namesOtherDex(asked, told);
    if (name === "l2Book" && asked.coin === "BTC") tops.push(...topIn(told).map((top) => ({ atMs: nowMs(), ...top })));
    const { user = "" } = asked;
    if (name === "clearinghouseState" && !namesOtherDex(asked, told))
      states.set(user, [...(states.get(user) ?? []), nowMs()]);
    if (!name.startsWith("userFills") || isNamedAnothers(venue, user, told)) return;
    fills.set(user, new Set([...(fills.get(user) ?? []), ...fillIdsIn(told)]));
  }

  return {
    namelessMs,
    toldEmptied,
    fillsGivenTo: (user) => fills.get(user) ?? new Set(),
    wereListsWrong: () => wereListsWrong,
    statesGivenTo: (user) => states.get(user) ?? [],
    topsGiven: () => tops,
    tell(body, answer) {
      if (isOver()) return answer;
      // Our own JSON.
      const asked = JSON.parse(body) as Asked;
      const own = { body, asked, name: asked.action?.type ?? asked.type, answer };
      const isMeant = wrong.of === "all" || (wrong.of === "actions") === (asked.action !== undefined);
      const told = isMeant && chance.isLucky(wrong.rate) ? TOLD[wrong.kind](own, before, parts) : answer;
      if (told.body !== answer.body) note(own, told);
      before.push(own);
      if (before.length > MAX_KEPT) before.shift();
      return told;
    },
  };
}

/** A market's number is its place in one of these. */
const LISTS_OF_MARKETS: ReadonlySet<string> = new Set(["meta", "spotMeta", "perpDexs"]);

type FillRow = { time: number; coin: string; tid: number; cloid?: string | null };

/** Fills of an answer; none where it is no list of them. */
function fillRowsIn(told: HttpAnswer): FillRow[] {
  const value = parsed(told);
  // Whatever has no time and number is no fill.
  return Array.isArray(value)
    ? (value as (FillRow | null)[]).flatMap((row) => (row?.tid === undefined ? [] : row))
    : [];
}

type Book = { coin?: string; levels?: [{ px: string }[]?, { px: string }[]?] } | null;

/** The best prices of an answer; none where it is no book of that market. */
function topIn(told: HttpAnswer): Pick<WrongTop, "bid" | "ask">[] {
  // Whatever names no market is no book of it.
  const book = parsed(told) as Book;
  if (book?.coin !== "BTC" || !Array.isArray(book.levels)) return [];
  const [bid, ask] = book.levels.map(
    (side) => (Array.isArray(side) ? side : []).flatMap(({ px }) => (px === undefined ? [] : units(px)))[0] ?? null,
  );
  return [{ bid: bid ?? null, ask: ask ?? null }];
}

function fillIdsIn(told: HttpAnswer): string[] {
  return fillRowsIn(told).map(({ time, coin, tid }) => `${time}-${coin}-${tid}`);
}

/** Rows at either end of an answer that are looked at for whose they are. */
const LOOKED_AT = 4;

/** Client order ids here are the gateway's: where all of those that it shows are another account's, it was told so. */
function isNamedAnothers(venue: Venue, user: string, told: HttpAnswer): boolean {
  const rows = fillRowsIn(told);
  const shown = rows.length <= 2 * LOOKED_AT ? rows : [...rows.slice(0, LOOKED_AT), ...rows.slice(-LOOKED_AT)];
  const cloids = shown.flatMap(({ cloid }) => cloid ?? []);
  const account = venue.account(user);
  return cloids.length > 0 && cloids.every((cloid) => !account.cloids.has(cloid));
}

function namesOtherDex({ dex = "" }: Asked, told: HttpAnswer): boolean {
  const coins = told.body.matchAll(/(?:"position":\{"coin"|"name"):"([^"]+)"/g);
  return [...coins].some(([, coin = ""]) => (coin.includes(":") ? coin.split(":")[0] : "") !== dex);
}

type Teller = (own: Exchange, before: readonly Exchange[], parts: Parts) => HttpAnswer;

const TOLD: Record<WrongKind, Teller> = {
  one_before: ({ answer }, before) => before.at(-1)?.answer ?? answer,
  alike: ({ body, name, answer }, before, { chance }) =>
    oneOf(
      chance,
      before.filter((each) => each.name === name && each.body !== body),
    )?.answer ?? answer,
  cached: ({ body, answer }, before, { chance }) =>
    oneOf(
      chance,
      before.filter((each) => each.body === body),
    )?.answer ?? answer,
  of_another_account: ({ asked, answer }, _before, { venue, chance }) => {
    if (asked.user === undefined) return answer;
    const others = [...PARTIES.map(({ account }) => account.tradingAddress), ...STRANGERS];
    const user = chance.pick(others.filter((each) => each !== asked.user));
    return venue.read(JSON.stringify({ ...asked, user }), null);
  },
  of_another_market: ({ asked, answer }, _before, { venue }) => {
    const other = inAnotherMarket(asked);
    return other === null ? answer : venue.read(JSON.stringify(other), null);
  },
  cut_rows: changed((rows, chance) => rows.filter(() => chance.isLucky(0.5)), true),
  longer_rows: (own, before, parts) => {
    const user = parts.chance.pick(STRANGERS);
    const others =
      own.asked.user === undefined ? [] : parsed(parts.venue.read(JSON.stringify({ ...own.asked, user }), null));
    const more = Array.isArray(others) ? (others as unknown[]) : [];
    const change = (rows: unknown[], chance: Chance) =>
      chance.isLucky(0.5) ? [...rows, ...rows] : chance.isLucky(0.5) ? [...more, ...rows] : [...rows, ...more];
    return changed(change, false)(own, before, parts);
  },
  turned_rows: changed((rows) => rows.toReversed(), false),
  of_another_kind: ({ asked, answer }, before, { chance }) =>
    asked.action === undefined
      ? (oneOf(
          chance,
          before.filter((each) => each.name !== asked.type),
        )?.answer ?? answer)
      : { ...answer, body: JSON.stringify({ status: "ok", response: chance.pick(OF_OTHER_KINDS) }) },
};

const OF_OTHER_KINDS = [
  { type: "default" },
  { type: "cancel", data: { statuses: ["success"] } },
  { type: "order", data: { statuses: [{ resting: { oid: 77 } }] } },
  { type: "order", data: { statuses: ["waitingForTrigger"] } },
  { type: "twapOrder", data: { status: { running: { twapId: 77 } } } },
  { type: "twapCancel", data: { status: "success" } },
] as const;

function oneOf(chance: Chance, from: readonly Exchange[]): Exchange | null {
  return from.length === 0 ? null : chance.pick(from);
}

/** Null for what is asked of no market. */
function inAnotherMarket(asked: Asked): object | null {
  if (asked.dex !== undefined) return { ...asked, dex: asked.dex === "" ? "xyz" : "" };
  if (asked.coin !== undefined) return { ...asked, coin: asked.coin === "BTC" ? "ETH" : "BTC" };
  return asked.req === undefined
    ? null
    : { ...asked, req: { ...asked.req, coin: asked.req.coin === "BTC" ? "ETH" : "BTC" } };
}

/** Some list of an answer is changed; or, where members may be left out, one of them is gone. */
function changed(change: (rows: unknown[], chance: Chance) => unknown[], mayLeaveOut: boolean): Teller {
  return ({ answer }, _before, { chance }) => {
    const value = parsed(answer);
    if (value === undefined) return answer;
    const places = placesIn(value).filter(({ at }) => mayLeaveOut || Array.isArray(at));
    if (places.length === 0) return answer;
    const { at } = chance.pick(places);
    if (Array.isArray(at)) at.splice(0, at.length, ...change([...at], chance));
    else delete at[chance.pick(Object.keys(at))];
    return { ...answer, body: JSON.stringify(value) };
  };
}

type Place = { at: unknown[] | Record<string, unknown> };

/** Lists and objects with something in them, and those inside of them. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  // Parsed JSON: a list, or an object with members.
  const at = value as Place["at"];
  const inside = Object.values(at).slice(0, MAX_LOOKED_INTO).flatMap(placesIn);
  return Object.keys(at).length === 0 ? inside : [{ at }, ...inside];
}

/** Rows of one list in which something is left out. */
const MAX_LOOKED_INTO = 5;

/** Undefined for what is no JSON. */
function parsed({ body }: HttpAnswer): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
