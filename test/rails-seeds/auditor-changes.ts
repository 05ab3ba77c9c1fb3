/** What is signed about orders, leverage and margin that stand already. */
import type { Auditor, Seen } from "./auditor.ts";
import type { Sent, Venue } from "./venue.ts";

/** Whose order a cancel or a modify is of. */
export function auditTarget({ auditor, venue }: Seen, { action, asker }: Sent): void {
  const book = auditor.books.find(({ name }) => name === asker);
  if (book === undefined) return;
  const named = namedIn(action);
  const targets = venue.legs.filter(
    ({ oid, cloid }) => named.includes(String(oid)) || (cloid !== null && named.includes(cloid)),
  );
  const isOthers = targets.some(({ holder }) => holder !== book.name);
  if (isOthers && book.limits.ownOnly) auditor.findings.push(`${book.name} changes another's order`);
  const verb = action.type === "batchModify" ? "modify" : "cancel";
  if (named.length > 0 && !book.limits.may.includes(verb)) auditor.findings.push(`${book.name} may not ${verb}`);
}

function namedIn(action: Sent["action"]): string[] {
  switch (action.type) {
    case "cancel":
      return action.cancels.map(({ o }) => String(o));
    case "cancelByCloid":
      return action.cancels.map(({ cloid }) => cloid);
    case "batchModify":
      return action.modifies.map(({ oid }) => String(oid));
    case "twapCancel":
      return [String(action.t)];
    default:
      return [];
  }
}

export function auditSetting(auditor: Auditor, venue: Venue, { action, asker }: Sent): void {
  const book = auditor.books.find(({ name }) => name === asker);
  if (book === undefined) return;
  const { limits } = book;
  const isHalted = book.halts.size > 0;
  const fail = (what: string) => void auditor.findings.push(`${asker} ${what}`);
  if (action.type === "updateLeverage") {
    if (!limits.may.includes("leverage")) fail("may not set leverage");
    const isRaise = action.leverage > (venue.leverages[action.asset] ?? 0);
    if (isRaise && action.leverage > limits.leverage) fail(`raises leverage to ${action.leverage}`);
    if (isRaise && isHalted) fail("is stopped or tripped, and raises leverage");
  }
  if (action.type === "updateIsolatedMargin") {
    if (!limits.may.includes("margin")) fail("may not move margin");
    if (action.ntli < 0n && isHalted) fail("is stopped or tripped, and removes margin");
  }
}
