/** Orders of somebody else under our client order ids, and answers about another order than the one that was asked for. */
import type { Chance } from "../chance.ts";
import type { Timeline } from "../timeline.ts";
import type { Venue } from "../venue.ts";
import type { Lens, RecordRow } from "./lens.ts";

export type Others = {
  /** Chance that an order sent gets a namesake of another hand. */
  foreignRate: number;
  /** Chance that a look by id, or the answer to an order, is about another one. */
  mixedRate: number;
};

export function drawOthers(chance: Chance): Others {
  return chance.isLucky(0.5)
    ? { foreignRate: chance.pick([0.2, 0.6]), mixedRate: 0 }
    : { foreignRate: 0, mixedRate: chance.pick([0.05, 0.2]) };
}

/** A look by id is answered with the record of another order of the account. */
export function mixedAnswers({ mixedRate }: Others, venue: Venue, chance: Chance, isOver: () => boolean): Lens {
  return (request, answer) => {
    if (request.type !== "orderStatus" || isOver() || !chance.isLucky(mixedRate)) return answer;
    const history = venue.read(JSON.stringify({ type: "historicalOrders", user: request["user"] }), null).body;
    // Shape of the paper exchange's own reader.
    const rows = (JSON.parse(history) as RecordRow[]).filter((row) => !isAsked(row, request["oid"]));
    return rows.length === 0 ? answer : { status: "order", order: chance.pick(rows) };
  };
}

/** An earlier row of its own tells of a moment within a block, which no server shows. */
function isAsked({ order }: RecordRow, asked: unknown): boolean {
  return order.oid === asked || order.cloid === asked;
}

/** The answer to an order names another one. */
export function mixedReply(body: string, chance: Chance): string {
  const turned = outOfOrder(body);
  if (turned !== null && chance.isLucky(0.5)) return turned;
  return body
    .replace(/"oid":(\d+)/, (_whole, oid: string) => `"oid":${Number(oid) + chance.pick([-1, 1, 2])}`)
    .replace(/"cloid":"0x[0-9a-f]{32}"/, `"cloid":"0x${"ab".repeat(16)}"`);
}

/** The words of an answer to several orders the other way round; null where no order is named in another place by that. */
function outOfOrder(body: string): string | null {
  // The exchange's own JSON.
  const answer = JSON.parse(body) as { response?: { data?: { statuses?: unknown[] } } };
  const statuses = answer.response?.data?.statuses ?? [];
  const names = statuses.map((each) => /"cloid":"0x[0-9a-f]{32}"/.exec(JSON.stringify(each))?.[0] ?? null);
  if (names.every((name, place) => name === null || name === names.at(-1 - place))) return null;
  return JSON.stringify({
    ...answer,
    response: { ...answer.response, data: { ...answer.response?.data, statuses: statuses.toReversed() } },
  });
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

const LATEST_MS = 3_000;

export type Namesakes = {
  /** Told of every body that is sent: may have somebody else use the client order id that it carries. */
  onSent(owner: string, body: string): void;
  /** Told of every whole answer to a look by client order id. */
  onHeard(body: string, answer: string): void;
  /** Client order ids under which a look has shown the order of another. */
  readonly heard: ReadonlySet<string>;
  /** Those under which the exchange has taken one. */
  readonly taken: ReadonlySet<string>;
};

export function openNamesakes(
  { foreignRate }: Others,
  parts: { venue: Venue; timeline: Timeline; chance: Chance },
): Namesakes {
  const { venue, timeline, chance } = parts;
  const oids = new Set<number>();
  const heard = new Set<string>();
  const taken = new Set<string>();

  function place(owner: string, cloid: string): void {
    const isBuy = chance.isLucky(0.5);
    const [asset, price] = chance.pick([
      [0, isBuy ? "91000" : "99000"],
      [0, isBuy ? "95150" : "94850"],
      [1, isBuy ? "3000" : "3400"],
    ] as const);
    const size = `0.0${chance.between(1, 9)}`;
    const order = { a: asset, b: isBuy, p: price, s: size, r: false, t: { limit: { tif: "Gtc" as const } }, c: cloid };
    const reply = venue.act(owner, { type: "order", orders: [order], grouping: "na", builder: null } as unknown as Act);
    const [status] = reply.status === "ok" && reply.response.type === "order" ? reply.response.data.statuses : [];
    if (typeof status !== "object" || "error" in status) return;
    taken.add(cloid);
    oids.add("resting" in status ? status.resting.oid : status.filled.oid);
  }

  return {
    heard,
    taken,
    onHeard(body, answer) {
      const cloid = /"type":"orderStatus".*"oid":"(0x[0-9a-f]{32})"/.exec(body)?.[1];
      const oid = cloid === undefined ? undefined : /"oid":([0-9]+)/.exec(answer)?.[1];
      if (cloid !== undefined && oid !== undefined && oids.has(Number(oid))) heard.add(cloid);
    },
    onSent(owner, body) {
      const cloid = /"c":"(0x[0-9a-f]{32})"/.exec(body)?.[1];
      if (cloid === undefined || !chance.isLucky(foreignRate)) return;
      timeline.after(chance.between(0, LATEST_MS), () => place(owner, cloid));
    },
  };
}
