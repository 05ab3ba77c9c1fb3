/** What has made the rails of a bot tighter since its owner signed them. One that was sealed and is gone holds the bot. */
import { and, asc, eq, sql } from "drizzle-orm";
import { parseNarrowing, printRails } from "../core/rails/grammar.ts";
import type { LimitedGrant } from "../core/rails/limited-grant.ts";
import { type Narrowing, narrowed } from "../core/rails/narrow.ts";
import type { Rails } from "../core/rails/rails.ts";
import { narrowingResource } from "../core/rails/rails-resource.ts";
import type { Halt } from "../core/rails/trip.ts";
import { findApiKey, listApiKeys } from "./api-keys.ts";
import { appendAudit } from "./audit.ts";
import { listBotGrants } from "./bots.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { rememberedOfBot } from "./remembered-of-bot.ts";
import { botNarrowings } from "./schema-bots.ts";
import { findSealed, listSealed, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

export type StoredNarrowing = typeof botNarrowings.$inferSelect;

type OfBot = Pick<StoredNarrowing, "accountId" | "bot">;

/** Inside the caller's transaction. */
export function insertNarrowing(store: Store, row: StoredNarrowing): void {
  store.insert(botNarrowings).values(row).run();
  sealNarrowing(store, row);
  const { id, accountId: account, bot, rails, actor, createdAtMs: atMs } = row;
  appendAudit(store, { atMs, actor, event: "rails_narrowed", reference: bot, detail: { account, id, rails } });
  forget(store);
  tellNarrowing(store, row);
}

/** To whoever follows the account, as the bot is held now: its keys say nothing else. */
function tellNarrowing(store: Store, row: StoredNarrowing): void {
  const rails = heldTo.find(store, row)?.rails;
  if (rails === undefined) return;
  const { accountId, createdAtMs: atMs, id: resourceId } = row;
  const payload = JSON.stringify(narrowingResource(row, printRails(rails)));
  appendEvent(store, { accountId, atMs, type: "key.narrowed", resourceId, payload });
}

/** Also what the audit log tells of one that was made without the passphrase, so that it cannot be taken back. */
export function sealNarrowing(store: Store, row: StoredNarrowing): void {
  if (findSealed(store, "narrowing", row.id) === null) vouch(store, "narrowing", row.id, contentOf(row));
}

type Narrowings = { rows: readonly StoredNarrowing[]; lost: readonly StoredNarrowing[] };

const ofBot = prepared((store) =>
  store
    .select()
    .from(botNarrowings)
    .where(
      and(eq(botNarrowings.accountId, sql.placeholder("accountId")), eq(botNarrowings.bot, sql.placeholder("bot"))),
    )
    .orderBy(asc(botNarrowings.createdAtMs))
    .prepare(),
);

const narrowingsOf = rememberedOfBot<Narrowings>((store, { accountId, bot }) => {
  const rows = ofBot(store).all({ accountId, bot });
  const lost = listLost(store).filter((row) => row.accountId === accountId && row.bot === bot);
  for (const row of lost) tellFault(store, faultOf(row));
  // A row is obeyed without any proof, and one that was sealed although it is gone.
  return { rows: [...rows, ...lost], lost };
}, rememberedAsSettled);

/** `isHeld`: something that had narrowed them is gone, or is not as it was. */
const heldTo = rememberedOfBot<{ rails: Rails; isHeld: boolean }>((store, { accountId, bot }) => {
  const [grant] = listBotGrants(store, accountId, bot);
  if (grant === undefined) return null;
  const { rows, lost } = narrowingsSince(store, { accountId, bot }, grant);
  const rails = rows.reduce((wider, row) => narrowed(wider, readNarrowing(row)), grant.rails);
  return { rails, isHeld: lost.length > 0 };
}, rememberedAsSettled);

/** What holds now: the newest grant of the bot, and everything that has narrowed it since. */
export function railsOf(store: Store, { accountId }: { accountId: string }, { rails }: LimitedGrant): Rails {
  return heldTo.find(store, { accountId, bot: rails.bot })?.rails ?? rails;
}

export type HeldBot = {
  rails: Rails;
  /** Of one of its keys, in whatever state: what they have placed may live on. */
  keyHash: string;
};

/** The bots of an account, each once, and what they are held to now. */
export function listHeldBots(store: Store, accountId: string): HeldBot[] {
  const bots = new Map<string, HeldBot>();
  for (const { limited, keyHash } of listApiKeys(store, accountId)) {
    if (limited === null || bots.has(limited.rails.bot)) continue;
    bots.set(limited.rails.bot, { rails: railsOf(store, { accountId }, limited), keyHash });
  }
  return [...bots.values()];
}

/** What a key is held to now; null for a plain one. */
export function railsOfKey(store: Store, keyHash: string): Rails | null {
  const key = findApiKey(store, keyHash);
  return key === null || key.limited === null ? null : railsOf(store, key, key.limited);
}

/** A later word of the owner takes the place of what narrowed the one before. */
function narrowingsSince(store: Store, { accountId, bot }: OfBot, { issuedAtMs }: LimitedGrant): Narrowings {
  const known = narrowingsOf.find(store, { accountId, bot }) ?? { rows: [], lost: [] };
  const since = (rows: readonly StoredNarrowing[]) => rows.filter(({ createdAtMs }) => createdAtMs >= issuedAtMs);
  return { rows: since(known.rows), lost: since(known.lost) };
}

/** Where a narrowing was deleted or changed nobody knows what else was: nothing increases until the owner signs anew. */
export function haltByLost(store: Store, of: OfBot): Halt | null {
  if (heldTo.find(store, of)?.isHeld !== true) return null;
  const limit = "reduce,cancel: a narrowing was deleted or changed from outside";
  return { rail: "may", limit, use: "increase", cause: "narrowing_lost", untilMs: null };
}

/** Of what cannot be read nobody knows how tight it was. */
function readNarrowing({ rails }: StoredNarrowing): Narrowing {
  try {
    // Only `insertNarrowing` writes it; what else it may be, its forms find out.
    const parsed = parseNarrowing(JSON.parse(rails) as Record<string, string>);
    return parsed.kind === "narrowing" ? parsed.narrowing : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Of a row that nobody here can have written: nothing passes. */
const NOTHING = { may: [], markets: [] } as const;

function listLost(store: Store): StoredNarrowing[] {
  return listSealed(store, "narrowing").flatMap(([id, content]) => {
    const row = store.select().from(botNarrowings).where(eq(botNarrowings.id, id)).get();
    return row !== undefined && contentOf(row) === content ? [] : [sealedNarrowing(content)];
  });
}

export function listNarrowingFaults(store: Store): RowFault[] {
  return listLost(store).map(faultOf);
}

function faultOf({ id, bot }: StoredNarrowing): RowFault {
  const what = `the row of narrowing ${id} of bot ${bot} was deleted or changed from outside: the bot increases nothing`;
  return { kind: "narrowing", id, what };
}

/** What is sealed of a narrowing: its row may be anybody's. */
function contentOf({ id, accountId, bot, rails, actor, createdAtMs }: StoredNarrowing): string {
  return JSON.stringify({ id, accountId, bot, rails, actor, createdAtMs });
}

function sealedNarrowing(content: string): StoredNarrowing {
  // Only `contentOf` makes what the seal covers.
  return JSON.parse(content) as StoredNarrowing;
}
