import { and, desc, eq, isNotNull, lte, or, sql } from "drizzle-orm";
import { MAX_AHEAD_MS, nextNonce } from "../core/nonce.ts";
import type { Store } from "./open.ts";
import { columnsOf, placeholders, prepared } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { agents, attempts, orders, signers } from "./schema.ts";

/** A number of a signer: (signer, nonce) may exist once, in one of the two tables of attempts. */
export type Numbered = { signer: string; nonce: number };

const isThis = { id: sql.placeholder("id"), signer: sql.placeholder("signer"), nonce: sql.placeholder("nonce") };
const inAttempts = prepared((store) =>
  store
    .select(columnsOf(attempts, ["id"]))
    .from(attempts)
    .where(or(eq(attempts.id, isThis.id), and(eq(attempts.signer, isThis.signer), eq(attempts.nonce, isThis.nonce))))
    .prepare(),
);
const inOrders = prepared((store) =>
  store
    .select(columnsOf(orders, ["number"]))
    .from(orders)
    .where(or(eq(orders.number, isThis.id), and(eq(orders.signer, isThis.signer), eq(orders.nonce, isThis.nonce))))
    .prepare(),
);

/** Of two actions under one nonce or one id, in whichever tables; within each of them a unique index says the same. */
export const NUMBER_USED_TWICE = "bug: two actions under one number";

/** Throws where the other table has the nonce or the id of what is stored. */
export function requireUnused(store: Store, other: "attempts" | "orders", attempt: Numbered & { id: number }): void {
  const { id, signer, nonce } = attempt;
  const found = (other === "attempts" ? inAttempts(store) : inOrders(store)).get({ id, signer, nonce });
  if (found !== undefined) throw new Error(NUMBER_USED_TWICE);
}

const leastNonceOf = prepared((store) =>
  store
    .select()
    .from(signers)
    .where(eq(signers.address, sql.placeholder("address")))
    .prepare(),
);
const newestOfSigner = prepared((store) =>
  store
    .select(columnsOf(attempts, ["nonce"]))
    .from(attempts)
    .where(eq(attempts.signer, sql.placeholder("address")))
    .orderBy(desc(attempts.nonce))
    .limit(1)
    .prepare(),
);
const newestPlacingOfSigner = prepared((store) =>
  store
    .select(columnsOf(orders, ["nonce"]))
    .from(orders)
    .where(eq(orders.signer, sql.placeholder("address")))
    .orderBy(desc(orders.nonce))
    .limit(1)
    .prepare(),
);
const keepNonce = prepared((store) =>
  store
    .insert(signers)
    .values(placeholders(signers))
    .onConflictDoUpdate({ target: signers.address, set: { lastNonce: sql`max(last_nonce, excluded.last_nonce)` } })
    .prepare(),
);

/** The highest number of a signer: that of its newest attempt, or above it of one that was taken back. */
const lastNonceOf = remembered<number>((store, address) => {
  const least = leastNonceOf(store).get({ address });
  const newest = [newestOfSigner, newestPlacingOfSigner].map((read) => read(store).get({ address })?.nonce);
  const nonces = [least?.lastNonce, ...newest].filter((nonce) => nonce !== undefined && nonce !== null);
  return nonces.length === 0 ? null : Math.max(...nonces);
});

const inReachOfSigner = prepared((store) =>
  store
    .select(columnsOf(attempts, ["nonce"]))
    .from(attempts)
    .where(and(eq(attempts.signer, sql.placeholder("address")), lte(attempts.nonce, sql.placeholder("most"))))
    .orderBy(desc(attempts.nonce))
    .limit(1)
    .prepare(),
);
const placingInReachOfSigner = prepared((store) =>
  store
    .select(columnsOf(orders, ["nonce"]))
    .from(orders)
    .where(and(eq(orders.signer, sql.placeholder("address")), lte(orders.nonce, sql.placeholder("most"))))
    .orderBy(desc(orders.nonce))
    .limit(1)
    .prepare(),
);

/** The highest number that the exchange would still go on from: all of them, unless a clock was wrong once. */
function lastInReach(store: Store, address: string, most: number): number | null {
  const last = lastNonceOf.find(store, address);
  if (last === null || last <= most) return last;
  const stored = [inReachOfSigner, placingInReachOfSigner].map((read) => read(store).get({ address, most })?.nonce);
  const kept = leastNonceOf(store).get({ address })?.lastNonce ?? 0;
  const nonces = [...stored, kept].filter(
    (nonce) => nonce !== undefined && nonce !== null && nonce > 0 && nonce <= most,
  );
  return nonces.length === 0 ? null : Math.max(...nonces.map(Number));
}

/**
 * The signer's next nonce, above every earlier one across restarts, but for numbers from a clock that was far ahead. It is
 * the attempt, stored in the same transaction, that takes it for good.
 */
export function takeNonce(store: Store, signer: string, exchangeNowMs: number): number {
  const nonce = nextNonce(lastInReach(store, signer, exchangeNowMs + MAX_AHEAD_MS - 1), exchangeNowMs);
  passNonce(store, { signer, nonce });
  return nonce;
}

/** No lower number is given out from now on. */
export function passNonce(store: Store, { signer, nonce }: Numbered): void {
  if (nonce > (lastNonceOf.find(store, signer) ?? 0)) lastNonceOf.put(store, signer, nonce);
}

/** The number of an attempt that is taken back stays used up. */
export function keepUsedUp(store: Store, { signer, nonce }: Numbered): void {
  keepNonce(store).run({ address: signer, lastNonce: nonce });
}

/** Every signer that there has been, used yet or not, goes on above this number. */
export function raiseNonces(store: Store, lastNonce: number): void {
  const used = store.selectDistinct({ address: attempts.signer }).from(attempts).all();
  const placed = store.selectDistinct({ address: orders.signer }).from(orders).where(isNotNull(orders.signer)).all();
  const kept = store.select({ address: signers.address }).from(signers).all();
  const ours = store.select({ address: agents.address }).from(agents).all();
  for (const { address } of [...used, ...placed, ...kept, ...ours]) {
    if (address !== null) keepNonce(store).run({ address, lastNonce });
  }
  forget(store);
}
