import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

/** HIP-3 markets carry their dex as a prefix; the native dex and spot have none. */
export function isOfDex(market: SQLiteColumn, dex: string | Placeholder): SQL {
  return sql`case
    when ${dex} is null then 1
    when ${dex} = '' then instr(${market}, ':') = 0
    else substr(${market}, 1, length(${dex}) + 1) = ${dex} || ':'
  end`;
}
