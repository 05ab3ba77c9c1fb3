/** The judgement of one case. */
import { type Case, codeOf } from "./case.ts";
import type { Description } from "./document.ts";
import { type Facts, RULES } from "./rules.ts";

export type Verdict =
  | { kind: "accepted" }
  | { kind: "refused"; by: "the generator's intent" | "the description" }
  | { kind: "excused"; rule: string }
  | { kind: "fault"; reason: string };

export type Ground = { description: Description; facts: Facts; earlier: readonly Case[] };

export function judge(one: Case, ground: Ground): Verdict {
  const answerFault = ground.description.answerFault(one);
  if (answerFault !== null) return { kind: "fault", reason: `answer ${one.status}: ${answerFault}` };
  const isRefused = one.status >= 400 && one.status < 500;
  const requestFault = ground.description.requestFault(one);
  if (one.expectedStatus >= 400) {
    if (isRefused) return { kind: "refused", by: "the generator's intent" };
    if (requestFault === null && isOtherCursor(one, ground.facts)) return { kind: "accepted" };
    return { kind: "fault", reason: `a spoilt request was answered ${one.status}` };
  }
  if (requestFault !== null) {
    // What the generator cannot read of the description (conditions between members) makes some cases negative.
    if (isRefused) return { kind: "refused", by: "the description" };
    return { kind: "fault", reason: `answered ${one.status} although ${requestFault}` };
  }
  if (one.status < 300) return { kind: "accepted" };
  return excuse(one, ground);
}

/** Spoilt in the narrower view alone, which offers two cursors: in the description a cursor is any text. */
function isOtherCursor({ query }: Case, { offeredCursors }: Facts): boolean {
  const cursor = query.get("cursor");
  return cursor !== null && !offeredCursors.has(cursor);
}

function excuse(one: Case, { facts, earlier }: Ground): Verdict {
  const code = codeOf(one);
  const rules = RULES.filter(({ codes }) => codes.some((known) => known === code));
  if (rules.length === 0) return { kind: "fault", reason: `a valid request was refused with ${code}: ${one.answer}` };
  const rule = rules.find(({ holds }) => holds(one, facts, earlier));
  if (rule !== undefined) return { kind: "excused", rule: rule.name };
  const names = rules.map(({ name }) => `"${name}"`).join(" nor ");
  return { kind: "fault", reason: `${code}, but neither ${names} holds: ${one.answer}` };
}
