import { and, desc, eq, lte, or, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { MAX_AHEAD_MS, nextNonce } from "../core/nonce.ts";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { agents, signers } from "./schema.ts";
import { everyAttempt } from "./schema-views.ts";

/** A nonce of a signer: both together may exist once. */
type SignersNonce = Pick<Attempt, "signer" | "nonce">;

const ofNumber = prepared((store) => {
  const isIt = and(
    eq(everyAttempt.signer, sql.placeholder("signer")),
    eq(everyAttempt.nonce, sql.placeholder("nonce")),
  );
  return store
    .select({ id: everyAttempt.id })
    .from(everyAttempt)
    .where(or(eq(everyAttempt.id, sql.placeholder("id")), isIt))
    .prepare();
});

/**
 * The error of two actions under one (signer, nonce) or one id. Unique indexes forbid that within `orders` and within
 * `attempts`; `requireUnused` looks into both.
 */
export const NUMBER_USED_TWICE = "bug: two actions under one number";

/** Throws where the nonce or the id of what is about to be stored has been used. */
export function requireUnused(store: Store, { id, signer, nonce }: SignersNonce & Pick<Attempt, "id">): void {
  if (ofNumber(store).get({ id, signer, nonce }) !== undefined) throw new Error(NUMBER_USED_TWICE);
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
    .select({ nonce: everyAttempt.nonce })
    .from(everyAttempt)
    .where(and(eq(everyAttempt.signer, sql.placeholder("address")), lte(everyAttempt.nonce, sql.placeholder("most"))))
    .orderBy(desc(everyAttempt.nonce))
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

/**
 * A signer's highest nonce: of its newest attempt, or a higher one kept in `signers` of an attempt that was taken back.
 */
const lastNonceOf = remembered<number>((store, address) => {
  const newest = newestOfSigner(store).get({ address, most: Number.MAX_SAFE_INTEGER })?.nonce ?? null;
  const least = leastNonceOf(store).get({ address })?.lastNonce ?? null;
  return newest === null || least === null ? (newest ?? least) : Math.max(newest, least);
});

/**
 * A signer's highest nonce of those that are at most `most`; null where there is none. Others came of a wrong clock.
 */
function lastInReach(store: Store, address: string, most: number): number | null {
  const last = lastNonceOf.find(store, address);
  if (last === null || last <= most) return last;
  const newest = newestOfSigner(store).get({ address, most })?.nonce ?? 0;
  const kept = leastNonceOf(store).get({ address })?.lastNonce ?? 0;
  const nonces = [newest, kept].filter((nonce) => nonce > 0 && nonce <= most);
  return nonces.length === 0 ? null : Math.max(...nonces);
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

/** Notes a nonce as used: no lower one of its signer is given out from now on. */
export function passNonce(store: Store, { signer, nonce }: SignersNonce): void {
  if (nonce > (lastNonceOf.find(store, signer) ?? 0)) lastNonceOf.put(store, signer, nonce);
}

/** Keeps the nonce of an attempt that is taken back as used up. */
export function keepUsedUp(store: Store, { signer, nonce }: SignersNonce): void {
  keepNonce(store).run({ address: signer, lastNonce: nonce });
}

/** Makes every signer that this database knows, used yet or not, go on above this nonce. */
export function raiseNonces(store: Store, lastNonce: number): void {
  const used = store.selectDistinct({ address: everyAttempt.signer }).from(everyAttempt).all();
  const kept = store.select({ address: signers.address }).from(signers).all();
  const ours = store.select({ address: agents.address }).from(agents).all();
  for (const { address } of [...used, ...kept, ...ours]) keepNonce(store).run({ address, lastNonce });
  forget(store);
}
