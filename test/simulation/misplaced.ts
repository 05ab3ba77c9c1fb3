/**
 * Orders in another market than was asked for: an asset id is a place in a list that moves, and nobody can know at once that
 * it has moved. What is promised: for a short while only, and whoever asks is told that something is wrong.
 */
import { type Dialogue, fieldOf } from "./clients.ts";
import { type SentBy, sendsOf } from "./sent-when.ts";
import type { ToldEvent } from "./tellings.ts";
import { allOrders, isMisplaced, type TrueOrder, type Truth } from "./truth.ts";
import type { Moves } from "./worlds/markets.ts";
import type { Wrongly } from "./worlds/wrong.ts";

type Run = SentBy & {
  truth: Truth;
  dialogues: readonly Dialogue[];
  told: readonly ToldEvent[];
  moves: Moves | null;
  wrongly: Pick<Wrongly, "wereListsWrong">;
  /** From then on reads are answered at once, milliseconds of virtual time. */
  faultsEndMs: number;
};

/** The list is read every minute, milliseconds. */
const LIST_READ_WITHIN_MS = 65_000;

export function auditMisplaced(run: Run): string[] {
  const orders = allOrders(run.truth).filter(isMisplaced);
  const hadMoved = (run.moves !== null && run.moves.swap !== null) || run.wrongly.wereListsWrong();
  if (orders.length > 0 && !hadMoved) return [`${orders.length} orders stand in another market, and no list had moved`];
  return orders.flatMap((order) => [...auditSince(run, order), ...auditTold(run, order)]);
}

function auditSince({ truth, sent, signerOf, moves, faultsEndMs }: Run, { wish, legs }: TrueOrder): string[] {
  if (moves === null) return [];
  const knownAtMs = Math.max(moves.atMs + moves.behindMs, faultsEndMs) + LIST_READ_WITHIN_MS;
  const late = [...truth.made.values()]
    .flat()
    .filter(({ reply }) =>
      legs.some(({ oid, asset }) => asset !== (wish.asset ?? 0) && JSON.stringify(reply).includes(`"oid":${oid}`)),
    )
    .filter((execution) => sendsOf({ sent, signerOf }, execution).some(({ atMs }) => atMs > knownAtMs));
  return late.map(({ nonce }) => `${wish.key} was sent as ${nonce} to a place in the list that moved at ${moves.atMs}`);
}

/** In an answer or an event, at whatever time: the alarm goes when the exchange shows what was asked for. */
function auditTold({ dialogues, told }: Run, { wish, legs }: TrueOrder): string[] {
  const bodies = [
    ...dialogues.flatMap(({ turns }) =>
      turns.flatMap(({ outcome }) => (outcome?.kind === "answer" ? [outcome.body] : [])),
    ),
    ...told.map(({ payload }) => payload),
  ];
  const oids = legs.map(({ oid }) => `"exchange_order_id":"${oid}"`);
  const id = uuidText(legs[0]?.cloid ?? "");
  const isTold = bodies.some(
    (body) =>
      (fieldOf(body, "error") ?? "").startsWith("ALARM") &&
      (body.includes(id) || oids.some((oid) => body.includes(oid))),
  );
  return isTold ? [] : [`${wish.key} stands in another market (${oids}), and nobody was told`];
}

function uuidText(cloid: string): string {
  const digits = cloid.slice(2);
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** What stands in another market has rules of its own, and so has what was asked of a market that changed its place. */
export function isElsewhere({ truth, moves }: Pick<Run, "truth" | "moves">, { wish, ask }: Dialogue): boolean {
  const orders = allOrders(truth).filter(isMisplaced);
  if (
    orders.some(({ wish: { number, target } }) =>
      [number, target].some((each) => each !== null && [wish.number, wish.target].includes(each)),
    )
  )
    return true;
  return ask !== null && "market" in ask && ask.kind !== "place" && moves?.swap?.includes(ask.market) === true;
}
