import { Database } from "bun:sqlite";
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import createTables from "../../drizzle/0000_create_tables.sql" with { type: "text" };
import sealRows from "../../drizzle/0001_seal_rows.sql" with { type: "text" };
import dropShortLegIndexes from "../../drizzle/0002_drop_short_leg_indexes.sql" with { type: "text" };
import releaseUnknown from "../../drizzle/0003_release_unknown.sql" with { type: "text" };
import tellWhoPlaced from "../../drizzle/0004_tell_who_placed.sql" with { type: "text" };
import readAsOne from "../../drizzle/0005_read_as_one.sql" with { type: "text" };
import keepStops from "../../drizzle/0006_keep_stops.sql" with { type: "text" };
import holdBotsToRails from "../../drizzle/0007_hold_bots_to_rails.sql" with { type: "text" };
import hearHeartbeats from "../../drizzle/0008_hear_heartbeats.sql" with { type: "text" };
import keepTrips from "../../drizzle/0009_keep_trips.sql" with { type: "text" };
import holdTwapsToRails from "../../drizzle/0010_hold_twaps_to_rails.sql" with { type: "text" };
import flattenStops from "../../drizzle/0011_flatten_stops.sql" with { type: "text" };
import takeAlerts from "../../drizzle/0012_take_alerts.sql" with { type: "text" };
import listOrders from "../../drizzle/0013_list_orders.sql" with { type: "text" };
import placeBatches from "../../drizzle/0014_place_batches.sql" with { type: "text" };
import closePositions from "../../drizzle/0015_close_positions.sql" with { type: "text" };
import sendNotices from "../../drizzle/0016_send_notices.sql" with { type: "text" };
import keepTrades from "../../drizzle/0017_keep_trades.sql" with { type: "text" };
import indexReductions from "../../drizzle/0018_index_reductions.sql" with { type: "text" };
import keepProposals from "../../drizzle/0019_keep_proposals.sql" with { type: "text" };
import keepRecord from "../../drizzle/0020_keep_record.sql" with { type: "text" };
import indexAudit from "../../drizzle/0021_index_audit.sql" with { type: "text" };
import listAlerts from "../../drizzle/0022_list_alerts.sql" with { type: "text" };
import doubtNets from "../../drizzle/0023_doubt_nets.sql" with { type: "text" };
import doubtWhatIncreases from "../../drizzle/0024_doubt_what_increases.sql" with { type: "text" };
import indexAbsent from "../../drizzle/0025_index_absent.sql" with { type: "text" };
import dropRefusedTwaps from "../../drizzle/0026_drop_refused_twaps.sql" with { type: "text" };
import doubtsBothWays from "../../drizzle/0027_doubts_both_ways.sql" with { type: "text" };
import shortenKeyDigits from "../../drizzle/0028_shorten_key_digits.sql" with { type: "text" };
import mergeBotBooks from "../../drizzle/0029_merge_bot_books.sql" with { type: "text" };
import indexToldPositions from "../../drizzle/0030_index_told_positions.sql" with { type: "text" };
import keepConclusions from "../../drizzle/0031_keep_conclusions.sql" with { type: "text" };
import dateTakeUps from "../../drizzle/0032_date_take_ups.sql" with { type: "text" };
import dropDoubts from "../../drizzle/0033_drop_doubts.sql" with { type: "text" };
import indexLeftOpen from "../../drizzle/0034_index_left_open.sql" with { type: "text" };
import listEvents from "../../drizzle/0035_list_events.sql" with { type: "text" };
import { snapshotOf } from "./snapshot.ts";

export type Migration = { name: string; sql: string };

/** Forward only, in order, never edited after a release. A test holds this list against the folder `drizzle/`. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0000_create_tables", sql: createTables },
  { name: "0001_seal_rows", sql: sealRows },
  { name: "0002_drop_short_leg_indexes", sql: dropShortLegIndexes },
  { name: "0003_release_unknown", sql: releaseUnknown },
  { name: "0004_tell_who_placed", sql: tellWhoPlaced },
  { name: "0005_read_as_one", sql: readAsOne },
  { name: "0006_keep_stops", sql: keepStops },
  { name: "0007_hold_bots_to_rails", sql: holdBotsToRails },
  { name: "0008_hear_heartbeats", sql: hearHeartbeats },
  { name: "0009_keep_trips", sql: keepTrips },
  { name: "0010_hold_twaps_to_rails", sql: holdTwapsToRails },
  { name: "0011_flatten_stops", sql: flattenStops },
  { name: "0012_take_alerts", sql: takeAlerts },
  { name: "0013_list_orders", sql: listOrders },
  { name: "0014_place_batches", sql: placeBatches },
  { name: "0015_close_positions", sql: closePositions },
  { name: "0016_send_notices", sql: sendNotices },
  { name: "0017_keep_trades", sql: keepTrades },
  { name: "0018_index_reductions", sql: indexReductions },
  { name: "0019_keep_proposals", sql: keepProposals },
  { name: "0020_keep_record", sql: keepRecord },
  { name: "0021_index_audit", sql: indexAudit },
  { name: "0022_list_alerts", sql: listAlerts },
  { name: "0023_doubt_nets", sql: doubtNets },
  { name: "0024_doubt_what_increases", sql: doubtWhatIncreases },
  { name: "0025_index_absent", sql: indexAbsent },
  { name: "0026_drop_refused_twaps", sql: dropRefusedTwaps },
  { name: "0027_doubts_both_ways", sql: doubtsBothWays },
  { name: "0028_shorten_key_digits", sql: shortenKeyDigits },
  { name: "0029_merge_bot_books", sql: mergeBotBooks },
  { name: "0030_index_told_positions", sql: indexToldPositions },
  { name: "0031_keep_conclusions", sql: keepConclusions },
  { name: "0032_date_take_ups", sql: dateTakeUps },
  { name: "0033_drop_doubts", sql: dropDoubts },
  { name: "0034_index_left_open", sql: indexLeftOpen },
  { name: "0035_list_events", sql: listEvents },
];

/** The database was written by a newer Postern than this one. */
export class NewerDatabase extends Error {
  override readonly name = "NewerDatabase";
}

const BUSY_TIMEOUT_MS = 5_000;

/** Snapshots that are kept beside a database, the newest ones. */
const KEPT_SNAPSHOTS = 3;

/** How many migrations a database has behind it. */
function schemaOf(client: Database): number {
  const statement = client.prepare<{ user_version: number }, []>("PRAGMA user_version");
  const schema = statement.get()?.user_version ?? 0;
  statement.finalize();
  return schema;
}

/** Throws `NewerDatabase` before anything is changed in a database that this program does not know. */
export function requireKnownSchema(path: string, migrations: readonly Migration[] = MIGRATIONS): void {
  if (!existsSync(path)) return;
  const client = new Database(path, { readonly: true, strict: true });
  try {
    // A command that has just ended may still hold the file, to write its log back.
    client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    refuseNewer(schemaOf(client), migrations);
  } finally {
    client.close();
  }
}

function refuseNewer(schema: number, migrations: readonly Migration[]): void {
  if (schema <= migrations.length) return;
  throw new NewerDatabase(
    `the database has schema ${schema}, this binary knows ${migrations.length}: use the newer binary, or restore a backup made before the upgrade`,
  );
}

/** For those who only read: throws unless the database is of exactly this program's schema. */
export function requireOwnSchema(client: Database): void {
  const schema = schemaOf(client);
  refuseNewer(schema, MIGRATIONS);
  if (schema < MIGRATIONS.length) {
    throw new Error(
      `the database has schema ${schema}, this binary reads ${MIGRATIONS.length}: start the gateway once`,
    );
  }
}

/**
 * Brings the schema up to date: each migration in a transaction of its own, counted in `user_version`. Before each one
 * that changes a database with something in it a snapshot is written beside `path`; null = none is wanted.
 */
export function migrate(client: Database, path: string | null, migrations: readonly Migration[] = MIGRATIONS): void {
  const done = schemaOf(client);
  refuseNewer(done, migrations);
  for (const [index, migration] of migrations.entries()) {
    if (index < done) continue;
    if (index > 0 && path !== null && done > 0) keepSnapshot(client, path, index);
    client.transaction(() => {
      client.run(migration.sql);
      client.run(`PRAGMA user_version = ${index + 1}`);
    })();
  }
}

/** `postern.db.schema-1` is the database as it was with schema 1. Whole, or not there. */
function keepSnapshot(client: Database, path: string, schema: number): void {
  const kept = `${path}.schema-${schema}`;
  const draft = `${kept}.partial`;
  rmSync(draft, { force: true });
  closeSync(openSync(draft, "wx", 0o600));
  try {
    snapshotOf(client, draft);
    renameSync(draft, kept);
  } catch (error) {
    rmSync(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the database is not brought up to date, because no snapshot could be written before it: ${why}`);
  }
  forgetOldest(path);
}

function forgetOldest(path: string): void {
  const start = `${basename(path)}.schema-`;
  const schemas = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^[0-9]+$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .sort((a, b) => b - a);
  for (const schema of schemas.slice(KEPT_SNAPSHOTS)) rmSync(join(dirname(path), `${start}${schema}`));
}
