/**
 * What a dialog or form was opened for, as it is now. A form keeps what it was opened for; what it says it will do is read here at
 * each drawing and again at the click, and where the one would not be the other its button is withdrawn.
 */
import type { ApiHook, ApiOrder, ApiPosition, ApiProposal, ApiStop, ApiTrade, ListedApiKey } from "../api/resources.ts";
import { figure } from "../figures/format.ts";
import type { Loaded, State } from "./state.ts";

export type Followed<Subject> = {
  /** As it was seen, where it is not there any more. */
  now: Subject;
  /** Why the click would not do what the form was opened for; null while it would. */
  changed: string | null;
  /** Whether there is still something to look at anew. */
  isThere: boolean;
};

/** A size that moves is followed; a side that turns is another position. */
export function standingPosition({ positions }: State, seen: ApiPosition): Followed<ApiPosition> {
  const { market, side } = seen;
  const found = foundIn(positions, seen, (held) => held.market === market);
  if (found === null) return gone(seen, `Nothing is held in ${market} any more.`);
  const held = `${found.side} ${figure(found.size)} ${market}`;
  const changed = found.side === side ? null : `The ${side} of which this was opened is gone: ${held} is held now.`;
  return { now: found, changed, isThere: true };
}

export function standingOrder({ openOrders }: State, seen: ApiOrder): Followed<ApiOrder> {
  const found = foundIn(openOrders, seen, ({ id }) => id === seen.id);
  return found === null ? gone(seen, "This order is not open any more.") : there(found);
}

export function standingTrade({ trades }: State, seen: ApiTrade): Followed<ApiTrade> {
  const found = foundIn(trades, seen, ({ id }) => id === seen.id);
  return found === null ? gone(seen, "This trade has ended.") : there(found);
}

/** The list is of those in force. */
export function standingStop({ stops }: State, seen: ApiStop): Followed<ApiStop> {
  const found = foundIn(stops, seen, ({ id }) => id === seen.id);
  if (found === null || found.status === "resumed") return gone(seen, "This stop has been ended meanwhile.");
  return there(found);
}

export function standingKey({ keys }: State, seen: ListedApiKey): Followed<ListedApiKey> {
  const found = foundIn(keys, seen, ({ key_hash: hash }) => hash === seen.key_hash) ?? seen;
  return found.state === "revoked" ? gone(found, "This key has been revoked meanwhile.") : there(found);
}

export function standingHook({ hooks }: State, seen: ApiHook): Followed<ApiHook> {
  const found = foundIn(hooks, seen, ({ id }) => id === seen.id) ?? seen;
  return found.state === "active" ? there(found) : gone(found, `This hook is ${found.state} meanwhile.`);
}

/** One that was approved and has no order yet is approved again by whoever heard no answer: it is the same order. */
export function standingProposal({ proposals, nowMs }: State, seen: ApiProposal): Followed<ApiProposal> {
  const found = foundIn(proposals, seen, ({ id }) => id === seen.id) ?? seen;
  if (found.status === "approved" && found.order_id === null) return there(found);
  if (found.status !== "waiting") return gone(found, `It is ${found.status} already: this decides nothing any more.`);
  const isOver = found.expires_at !== null && Date.parse(found.expires_at) <= nowMs;
  return isOver ? gone(found, "Its time is over: nobody has decided it, and so it is refused.") : there(found);
}

/** Before anything was read it is as it was seen. */
function foundIn<Row>({ value }: Loaded<Row[]>, seen: Row, isIt: (row: Row) => boolean): Row | null {
  return value === null ? seen : (value.find(isIt) ?? null);
}

function there<Subject>(now: Subject): Followed<Subject> {
  return { now, changed: null, isThere: true };
}

function gone<Subject>(seen: Subject, changed: string): Followed<Subject> {
  return { now: seen, changed, isThere: false };
}
