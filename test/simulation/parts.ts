/** What asks for several orders at once, told apart: each of them is judged as one that was asked for by itself. */
import { type Dialogue, ordersIn, type Turn } from "./clients.ts";
import type { Wish } from "./wishes.ts";

/** Dialogues of batches beside one for each of their orders. */
export function withParts(dialogues: readonly Dialogue[]): Dialogue[] {
  return dialogues.flatMap((dialogue) => {
    const { wish, ask } = dialogue;
    if (wish.kind !== "batch") return [dialogue];
    const parts = (wish.parts ?? []).map((part): Dialogue => {
      const asked = ask?.kind === "batch" && part.part?.as === "batched" ? ask.orders[part.part.index] : undefined;
      const of = asked === undefined ? null : { kind: "place" as const, ...asked };
      return { wish: part, ask: of, turns: dialogue.turns.map((turn) => turnOf(turn, part)) };
    });
    return [dialogue, ...parts];
  });
}

/** What a turn has said of one of its orders. Where the batch is not settled yet nothing is said for good. */
function turnOf(turn: Turn, { part }: Wish): Turn {
  const { outcome } = turn;
  if (outcome?.kind !== "answer" || outcome.status >= 300 || part?.as !== "batched") return turn;
  const order = ordersIn(outcome.body)[part.index];
  const body = order === undefined ? '{"status":"left out of the answer"}' : JSON.stringify(order);
  return { ...turn, outcome: { ...outcome, body } };
}
