import { ApiError } from "../core/errors.ts";
import type { RowPlace } from "../store/looked-through.ts";

/** A row that begins with its time and goes on with a dash: its place needs no look. */
const TIMED = /^([0-9]{1,15})-[!-~]{1,180}$/;

/** Null where the list begins at its beginning. */
export function requirePlace(cursor: string | null): RowPlace | null {
  const time = cursor === null ? null : TIMED.exec(cursor)?.[1];
  if (cursor === null) return null;
  if (time !== undefined && time !== null) return { atMs: Number(time), id: cursor };
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}
