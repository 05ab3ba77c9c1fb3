/**
 * What was refused at the door of one server and executed by a copy: until that can be known it is told as refused, as the exchange
 * told it; from then on, and in every answer, as it is.
 */
import type { Audited } from "./auditor.ts";
import type { HeardOrders } from "./heard-orders.ts";
import { idsTold } from "./refused.ts";
import { placedBy, type TrueOrder } from "./truth.ts";
import type { Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";

export type Copies = {
  /** Virtual time by which a copy that placed this native id is known, never where nothing could tell it; null where no copy did. */
  knownByMs(oid: number): number | null;
  /** True where an action with this number was executed by a copy. */
  isCopied(nonce: number): boolean;
  /** By the id of an order, or by the native one of what a modify has placed. */
  isOf(id: string | null, oid: string | null): boolean;
  /** By the native id of what a copy was to replace. */
  isNamed(oid: number): boolean;
  /** Client order ids of what a copy placed, or was refused for. */
  cloids: ReadonlySet<string>;
  /** True where a copy was executed at all. */
  isAny: boolean;
  /** The exchange keeps the record of each order. */
  areRecordsKept: boolean;
};

/** After its copy, or after the faults, what was placed so is found within this, milliseconds: where no record tells of it, by its fills. */
const FOUND_WITHIN_MS = { kept: 60_000, forgotten: 300_000 };

type Run = {
  takenLaterMs: ReadonlyMap<number, number>;
  faultsEndMs: number;
  areRecordsKept: boolean;
  heardOrders: Pick<HeardOrders, "shownCloids">;
};

export function copiesOf(venue: Pick<Venue, "log" | "isLive">, run: Run): Copies {
  const { takenLaterMs, faultsEndMs, areRecordsKept, heardOrders } = run;
  // It was over and forgotten, without a fill, before anything had shown it to a gateway.
  const isNeverShown = (cloid: string | null, oid: number) =>
    !areRecordsKept && cloid !== null && !heardOrders.shownCloids.has(cloid) && !venue.isLive(oid);
  const withinMs = areRecordsKept ? FOUND_WITHIN_MS.kept : FOUND_WITHIN_MS.forgotten;
  const known = new Map<number, number>();
  const cloids = new Set<string>();
  const named = new Set<number>();
  for (const execution of venue.log) {
    const copiedAtMs = takenLaterMs.get(execution.nonce);
    if (copiedAtMs === undefined) continue;
    for (const { request, replaces, leg } of placedBy(execution)) {
      if (replaces !== null) named.add(replaces);
      if (request.c !== null) cloids.add(request.c);
      if (leg === null) continue;
      const foundByMs = Math.max(copiedAtMs, faultsEndMs) + withinMs;
      known.set(leg.oid, isNeverShown(request.c, leg.oid) ? Number.POSITIVE_INFINITY : foundByMs);
    }
  }
  return {
    knownByMs: (oid) => known.get(oid) ?? null,
    isOf: (id, oid) => cloids.has(`0x${id?.replaceAll("-", "")}`) || known.has(Number(oid ?? Number.NaN)),
    isNamed: (oid) => named.has(oid),
    cloids,
    isCopied: (nonce) => takenLaterMs.has(nonce),
    isAny: takenLaterMs.size > 0,
    areRecordsKept,
  };
}

/** True where a copy has placed something of the order. */
function isOfCopy({ knownByMs, isNamed }: Copies, { legs }: Pick<TrueOrder, "legs">): boolean {
  return legs.some(({ oid }) => knownByMs(oid) !== null || isNamed(oid));
}

/** True while nobody can be asked to know of what a copy has placed of these. */
export function isCopyUnknown({ knownByMs }: Copies, legs: readonly { oid: number }[], atMs: number): boolean {
  return legs.some(({ oid }) => atMs <= (knownByMs(oid) ?? Number.NEGATIVE_INFINITY));
}

/** It stays told as refused: nothing tells of what a copy has placed. */
export function isCopyNeverKnown(copies: Copies, legs: readonly { oid: number }[]): boolean {
  return isCopyUnknown(copies, legs, Number.POSITIVE_INFINITY);
}

/** A copy has done what was asked for, or has made something of the order that it was asked of. */
export function isWishCopied(run: Audited, { kind, number, target }: Wish): boolean {
  const { truth, copies } = run;
  const orders = [
    truth.orders.get(number),
    truth.splits.get(number),
    target === null ? undefined : truth.orders.get(target),
  ];
  const ids = [...idsTold(run, number)].map((id) => `0x${id?.replaceAll("-", "")}`);
  const isOperation = kind === "twap" || kind === "leverage" || kind === "margin";
  return (
    (isOperation && copies.isAny) ||
    ids.some((cloid) => copies.cloids.has(cloid)) ||
    orders.some((order) => order !== undefined && isOfCopy(copies, order))
  );
}
