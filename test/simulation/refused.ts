/** Orders that the exchange refused after it had taken them, found by the ids that their clients were told. */
import type { Audited } from "./auditor.ts";
import { fieldOf } from "./clients.ts";
import type { TrueOrder } from "./truth.ts";
import { isToldWithoutItsWord } from "./unsaid-end.ts";

/** Of a trigger that fired at once and was refused for that, no answer may ever have named the id. */
export function auditRefused(run: Audited, { wish, legs }: TrueOrder, name: string): string[] {
  const told = idsTold(run, wish.number);
  // Of what protects a trade nobody is answered: it is found by its own id.
  const isOfTrade = wish.part !== undefined && wish.part.as !== "batched";
  const own = legs[0]?.cloid?.slice(2);
  const looks = [...run.looks].filter(([id]) => (isOfTrade ? id.replaceAll("-", "") === own : told.has(id)));
  const bodies = looks.map(([, { turn }]) => (turn.outcome?.kind === "answer" ? turn.outcome.body : "{}"));
  const statuses = bodies.map((body) => fieldOf(body, "status"));
  const isRefused = (body: string) =>
    fieldOf(body, "status") === "rejected" || isToldWithoutItsWord(body, { status: "rejected" });
  return statuses.length > 0 && bodies.every(isRefused)
    ? []
    : [`${name} is rejected at the exchange and ${statuses.join(", ") || "not shown"} here`];
}

/** Ids of ours under which a client was told of its order. */
export function idsTold({ dialogues }: Audited, number: number): Set<string | null> {
  const turns = dialogues.find(({ wish }) => wish.number === number)?.turns ?? [];
  return new Set(
    turns.flatMap(({ outcome }) =>
      outcome?.kind === "answer" && outcome.status < 300 ? [fieldOf(outcome.body, "id")] : [],
    ),
  );
}
