import type { Audited } from "./auditor.ts";
import { PARTIES } from "./template.ts";

/** No answer shows anything of another account. */
export function auditSeparation({ dialogues, reads }: Audited): string[] {
  const turns = [
    ...dialogues.flatMap(({ wish, turns: all }) => all.map((turn) => ({ party: wish.party, turn }))),
    ...reads,
  ];
  return turns.flatMap(({ party, turn }) => {
    if (turn.outcome?.kind !== "answer") return [];
    const { body } = turn.outcome;
    const strangers = PARTIES.filter(({ account }) => account.id !== party.account.id);
    const isLeak = strangers.some(({ account }) => body.includes(account.id) || body.includes(account.tradingAddress));
    return isLeak ? [`an answer to ${party.account.id} shows another account: ${body}`] : [];
  });
}
