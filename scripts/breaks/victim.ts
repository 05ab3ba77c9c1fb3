/** What an obedient victim shows of the executable, over every door of it. */
import { type Break, inFile } from "./break.ts";

const VICTIM = {
  stage: ["bash", "-c", "bun scripts/build.ts && scripts/stages/48-victim --scripts 750 --seconds 200"],
};

function broken(row: string, name: string, changes: Break["changes"]): Break {
  return { row, name, changes, seenBy: VICTIM };
}

export const VICTIM_BREAKS: readonly Break[] = [
  broken(
    "S62",
    "what comes by a hook or a tool does not pass the gate",
    inFile(
      "src/write/commit.ts",
      "      passGate(deps, caller, known, stored);",
      "      if (caller.unattended === undefined) passGate(deps, caller, known, stored);",
    ),
  ),
  broken(
    "S62",
    "four deliveries of an alert are four orders",
    inFile(
      "src/actions/hooks/receive-alert.ts",
      "if (same !== null && (alert",
      "if (same !== null && same.id < 0 && (alert",
    ),
  ),
  broken(
    "S62",
    "a stop does not hold what comes by a hook or a tool",
    inFile(
      "src/write/commit.ts",
      "      requireNotStopped(store, caller, plan.increasesFor);",
      "      if (caller.unattended === undefined) requireNotStopped(store, caller, plan.increasesFor);",
    ),
  ),
  broken(
    "S64",
    "an intent is another order each time that it is placed",
    inFile(
      "src/actions/proposals/place-proposal.ts",
      "await placeOrder(deps, { ...caller, unattended }, wantedOf(proposal))",
      "await placeOrder(deps, { ...caller, unattended }, { ...wantedOf(proposal), idempotencyKey: crypto.randomUUID() })",
    ),
  ),
];
