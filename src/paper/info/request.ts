/** What every request type of POST /info has in common. */

import type { Venue, VenueAccount } from "../engine/state.ts";
import { type Decoded, type Fields, MISMATCH, type StructOf, struct } from "../exchange/decode.ts";
import type { ExactJson } from "../exchange/json-text.ts";
import type { Tape } from "../tape.ts";

/** What an answer is read from. Nothing here may be changed by a read. */
export type ReadContext = { readonly venue: Venue; readonly tape: Tape; readonly nowMs: number };

/** The exchange answers status 500 and `null` to some values that it could parse. */
export const SERVER_FAULT = Symbol("server fault");

export type InfoReader = (json: ExactJson) => Decoded<(context: ReadContext) => unknown>;

/**
 * A request type with its members in the exchange's order, and the function that answers it. Unknown members
 * are ignored; the members may also come as an array, the type's name first.
 */
export function infoRequest<F extends Fields>(
  fields: F,
  answer: (context: ReadContext, request: StructOf<F>) => unknown,
): InfoReader {
  const decode = struct(fields, "ignore");
  return (json) => {
    const request = decode(Array.isArray(json) ? named(Object.keys(fields), json) : json);
    return request === MISMATCH ? MISMATCH : (context) => answer(context, request);
  };
}

function named(names: readonly string[], positions: readonly ExactJson[]): ExactJson {
  const values = positions.slice(1, names.length + 1);
  return { kind: "object", entries: values.map((value, index) => [names[index] ?? "", value] as const) };
}

export function accountOf(context: ReadContext, user: string): VenueAccount | null {
  return context.venue.accounts.get(user) ?? null;
}

/** Index of the perp dex of that name; absent and "" are the validator dex. Null: no such dex. */
export function dexIndex(venue: Venue, name: string | undefined): number | null {
  return venue.dexes.find((dex) => dex.name === (name ?? ""))?.index ?? null;
}
