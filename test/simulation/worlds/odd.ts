/** Exchanges that answer oddly, one oddity a run: what no reader may rely on, because nobody has promised it. */

import type { HttpAnswer } from "../../../src/paper/answers.ts";
import { stateWith } from "../../support/state-with.ts";
import type { Chance } from "../chance.ts";
import { NODES } from "../network.ts";
import type { Venue } from "../venue.ts";
import { eachRecord, isOver, type Lens, type RecordRow, type Request } from "./lens.ts";

export const ODD_KINDS = [
  /** One market's rows of every store are as they were a while ago. */
  "market_behind",
  /** Looks by client order id know nothing of what is younger than a while. */
  "cloid_index_behind",
  /** Looks by native id know nothing of what is younger than a while. */
  "oid_index_behind",
  /** A list of open orders is cut short. */
  "short_lists",
  /** Rows stand twice in one answer. */
  "doubled_rows",
  /** Rows in any order. */
  "shuffled_rows",
  /** A history of ends alone. */
  "ends_only",
  /** Rows of lists, history and fills name no client order id. */
  "unnamed_rows",
  /** Numbers in other forms, and members that nobody knows. */
  "other_forms",
  /** One server shows empty lists. */
  "empty_server",
  /** The text ends in the middle, and the answer does not. */
  "cut_texts",
  /** Each dex lists the orders of all. */
  "mixed_dexes",
  /** Positions of one market are missing. */
  "missing_positions",
  /** One channel of the feed is behind the others. */
  "channel_behind",
  /** Frames of the feed end in the middle. */
  "cut_frames",
  /** The newest rows of fills are shown, and then not. */
  "fills_come_and_go",
] as const;

export type OddKind = (typeof ODD_KINDS)[number];

export type Odd = {
  kind: OddKind;
  /** Share of the answers, rows or orders that it concerns. */
  rate: number;
  behindMs: number;
  coin: string;
  channel: string;
  rows: number;
  node: number;
};

export function drawOdd(chance: Chance): Odd {
  return {
    kind: chance.pick(ODD_KINDS),
    rate: chance.pick([0.2, 0.6, 1]),
    behindMs: chance.pick([500, 3_000, 12_000, 45_000]),
    coin: chance.pick(["BTC", "ETH"]),
    channel: chance.pick(["orderUpdates", "userFills", "openOrders", "clearinghouseState"]),
    rows: chance.between(1, 4),
    node: chance.between(0, NODES - 1),
  };
}

type Parts = { venue: Venue; chance: Chance; isOver: () => boolean };

/** Rows of open orders, history and fills, by the type of the request. */
const LISTS: ReadonlySet<string> = new Set(["frontendOpenOrders", "openOrders", "historicalOrders", "userFillsByTime"]);

type Row = { coin?: string; oid?: number; cloid?: string | null; time?: number; order?: RecordRow["order"] };

export function oddLens(odd: Odd, parts: Parts): Lens {
  const lens = LENSES[odd.kind](odd, parts);
  // What stands in the answer for good goes on; what is a fault ends with the faults.
  return (request, answer, node) => (parts.isOver() && PASSING.has(odd.kind) ? answer : lens(request, answer, node));
}

/** Faults that no gateway could get past for ever. */
const PASSING: ReadonlySet<OddKind> = new Set([
  "market_behind",
  "cloid_index_behind",
  "oid_index_behind",
  "empty_server",
  "cut_texts",
  "missing_positions",
  "fills_come_and_go",
]);

function coinOf(row: Row): string | undefined {
  return row.coin ?? (row.order?.["coin"] as string | undefined);
}

/** Shapes of the paper exchange's own readers. */
function rowsOf(answer: unknown): Row[] {
  return answer as Row[];
}

function eachList(change: (rows: Row[], request: Request) => Row[]): Lens {
  return (request, answer) => (LISTS.has(request.type) ? change(rowsOf(answer), request) : answer);
}

function ageMs({ order }: RecordRow, venue: Venue): number {
  return venue.nowMs() - Number(order["timestamp"]);
}

/** Drawn once for an order, and the same ever after. */
function lotteryOf({ rate }: Odd, chance: Chance): (oid: number) => boolean {
  const drawn = new Map<number, boolean>();
  return (oid) => {
    const known = drawn.get(oid) ?? chance.isLucky(rate);
    drawn.set(oid, known);
    return known;
  };
}

const NUMBERS: ReadonlySet<string> = new Set(["sz", "origSz", "limitPx", "px", "triggerPx"]);

function asItIs(): Lens {
  return (_request, answer) => answer;
}

const LENSES: Record<OddKind, (odd: Odd, parts: Parts) => Lens> = {
  market_behind:
    ({ coin, behindMs, rate }, { venue, chance }) =>
    (request, answer) => {
      if (!chance.isLucky(rate)) return answer;
      const then = JSON.parse(venue.read(JSON.stringify(request), venue.past(behindMs)).body) as unknown;
      if (LISTS.has(request.type))
        return [
          ...rowsOf(answer).filter((row) => coinOf(row) !== coin),
          ...rowsOf(then).filter((row) => coinOf(row) === coin),
        ];
      const record = (answer as { order?: RecordRow }).order;
      return request.type === "orderStatus" && record !== undefined && coinOf(record) === coin ? then : answer;
    },
  cloid_index_behind: ({ behindMs, rate }, { venue, chance }) =>
    eachRecord((row, { type, oid }) => {
      const isYoung = type === "orderStatus" && typeof oid === "string" && ageMs(row, venue) < behindMs;
      return isYoung && chance.isLucky(rate) ? null : row;
    }),
  oid_index_behind: ({ behindMs, rate }, { venue, chance }) =>
    eachRecord((row, { type, oid }) => {
      const isYoung = type === "orderStatus" && typeof oid === "number" && ageMs(row, venue) < behindMs;
      return isYoung && chance.isLucky(rate) ? null : row;
    }),
  short_lists: ({ rows: most }) =>
    eachList((rows, { type }) => (type === "frontendOpenOrders" || type === "openOrders" ? rows.slice(0, most) : rows)),
  doubled_rows: ({ rate }, { chance }) =>
    eachList((rows) => rows.flatMap((row) => (chance.isLucky(rate) ? [row, row] : [row]))),
  shuffled_rows: (_odd, { chance }) =>
    eachList((rows) =>
      rows
        .map((row) => ({ row, at: chance.fraction() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ row }) => row),
    ),
  ends_only: () => eachRecord((row, { type }) => (type === "historicalOrders" && !isOver(row) ? null : row)),
  unnamed_rows: (odd, { venue, chance, isOver }) => {
    const isUnnamed = lotteryOf(odd, chance);
    const byId = eachRecord((row, { type, oid }) => {
      const isYoung = type === "orderStatus" && typeof oid === "string" && ageMs(row, venue) < odd.behindMs;
      return isYoung && !isOver() && isUnnamed(row.order.oid) ? null : row;
    });
    const lists = eachList((rows) =>
      rows.map((row) => {
        if (!isUnnamed(row.oid ?? row.order?.oid ?? 0)) return row;
        return row.order === undefined ? { ...row, cloid: null } : { ...row, order: { ...row.order, cloid: null } };
      }),
    );
    return (request, answer, node) => byId(request, lists(request, answer, node), node);
  },
  other_forms: ({ rate }, { chance }) => {
    const inOtherForm = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(inOtherForm);
      if (typeof value !== "object" || value === null) return value;
      const members = Object.entries(value).map(([key, member]: [string, unknown]) => {
        if (!NUMBERS.has(key) || typeof member !== "string") return [key, inOtherForm(member)];
        if (!chance.isLucky(rate)) return [key, member];
        return [key, member.includes(".") ? `${member}00` : `${member}.0`];
      });
      return Object.fromEntries([...members, ["isNewHere", null], ["newHere", [{}]]]);
    };
    return (request, answer) =>
      LISTS.has(request.type) || request.type === "orderStatus" ? inOtherForm(answer) : answer;
  },
  empty_server:
    ({ node: empty }) =>
    (request, answer, node) => {
      if (node !== empty) return answer;
      if (LISTS.has(request.type)) return [];
      return request.type === "orderStatus" ? { status: "unknownOid" } : answer;
    },
  cut_texts: asItIs,
  mixed_dexes:
    (_odd, { venue }) =>
    (request, answer) => {
      if (request.type !== "frontendOpenOrders") return answer;
      const others = ["", "xyz"].filter((dex) => dex !== request["dex"]);
      const ofOthers = others.map((dex) => venue.read(JSON.stringify({ ...request, dex }), null).body);
      return [...rowsOf(answer), ...ofOthers.flatMap((text) => rowsOf(JSON.parse(text)))];
    },
  missing_positions:
    ({ coin, rate }, { chance }) =>
    (request, answer) => {
      if (request.type !== "clearinghouseState" || !chance.isLucky(rate)) return answer;
      const state = answer as { assetPositions: { position: { coin: string } }[] };
      return stateWith(
        state,
        state.assetPositions.filter(({ position }) => position.coin !== coin),
      );
    },
  channel_behind: asItIs,
  cut_frames: asItIs,
  fills_come_and_go: ({ behindMs, rate }, { venue, chance }) =>
    eachList((rows, { type }) => {
      if (type !== "userFillsByTime" || !chance.isLucky(rate)) return rows;
      return rows.filter(({ time = 0 }) => venue.nowMs() - time > behindMs || chance.isLucky(0.5));
    }),
};

/** The answer as its text arrives. */
export function oddText({ kind, rate }: Odd, chance: Chance, answer: HttpAnswer): HttpAnswer {
  if (kind !== "cut_texts" || !chance.isLucky(rate / 4)) return answer;
  const { body } = answer;
  return {
    ...answer,
    body: chance.pick([body.slice(0, chance.between(0, body.length - 1)), "null", "{}", "[]", '""']),
  };
}

/** A frame of the feed as it arrives, and how much later than the others. */
export function oddFrame(
  { kind, rate, channel, behindMs }: Odd,
  chance: Chance,
  text: string,
): { text: string; lateMs: number } {
  const isOfChannel = text.startsWith(`{"channel":"${channel}"`);
  if (kind === "channel_behind") return { text, lateMs: isOfChannel && chance.isLucky(rate) ? behindMs : 0 };
  if (kind !== "cut_frames" || !chance.isLucky(rate / 4)) return { text, lateMs: 0 };
  return { text: text.slice(0, chance.between(0, text.length - 1)), lateMs: 0 };
}

/** What a server leaves out for a while a client is told to be missing. */
export function areReadsWhole(odd: Odd | null): boolean {
  return odd === null || (odd.kind !== "missing_positions" && odd.kind !== "short_lists");
}
