import { type Attempt, mayNoop, type NoopAnswer, sealByNoop } from "../../core/attempt.ts";
import type { Slot, ToSend, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listSameAction } from "../../store/attempts.ts";
import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import { noopAnswer } from "../../wire/answer/reply.ts";
import { updateNumber } from "../record/batch.ts";
import { note } from "../record/note.ts";
import { openAttempt } from "../record/record.ts";
import { sendNoop } from "./send.ts";

/**
 * Burns the attempt's nonce with a `noop`, counted on disk before it is sent, and notes what its answer proves. Does
 * nothing where a noop could prove nothing, and none while the account's actions are used up: it would only be refused, or
 * take the one in 10 seconds that an order could have.
 */
export async function burnNonce(world: ToSend, attempt: Attempt): Promise<Attempt> {
  if (!mayNoop(attempt, world.exchange.nowMs()) || !hasActionsLeft(world, attempt)) return attempt;
  await world.point("settle_before_noop");
  const slot = await slotForNoop(world, attempt);
  if (slot === null) return attempt;
  try {
    return await burnInSlot(world, attempt);
  } finally {
    slot.leave();
  }
}

/** Waits for its turn no longer than this, milliseconds: a later step tries again. */
const NOOP_WAIT_MS = 4_000;

/**
 * A slot for an empty action. Where the attempt's own action was lost, the number still has that action's slot:
 * whichever of the two arrives, the number is used once.
 */
async function slotForNoop(
  { store, flights }: With<"flights" | "store">,
  attempt: Attempt,
): Promise<Pick<Slot, "leave"> | null> {
  if (flights.isLost(carriedBy({ store }, attempt))) return { leave: () => undefined };
  const owner = findAccount(store, attempt.accountId)?.ownerAddress ?? attempt.signer;
  return flights.take(owner, "noop") ?? flights.wait(owner, "noop", NOOP_WAIT_MS);
}

async function burnInSlot(world: ToSend, attempt: Attempt): Promise<Attempt> {
  const counted = countNoop(world, attempt);
  if (counted === null) return attempt;
  const answer = noopAnswer(await sendNoop(world, counted), counted.nonce);
  // The action's own answer, or a look-up, may have settled it meanwhile.
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return counted;
  const proven = sealByNoop(now, answer, world.exchange.nowMs());
  const change = { seal: proven.seal, hasLanded: proven.hasLanded };
  inTransaction(world.store, () => {
    updateNumber(world.store, attempt, change);
    note(world, attempt, "noop answered", answer);
  });
  if (change.seal !== null) world.flights.landed(carriedBy(world, attempt));
  return { ...now, ...change };
}

/**
 * Takes the number of a settled action that was refused without using it up, so that no copy of it can be executed any more: `ok`
 * proves that. Where something has taken the number before it is of no use to ask again.
 */
export async function takeUnused(world: ToSend, attempt: Attempt): Promise<NoopAnswer> {
  if (!mayNoop(attempt, world.exchange.nowMs()) || !hasActionsLeft(world, attempt)) return "no_information";
  await world.point("settle_before_noop");
  const slot = await slotForNoop(world, attempt);
  if (slot === null) return "no_information";
  try {
    inTransaction(world.store, () =>
      recordNoop(world, { ...attempt, noops: attempt.noops + 1 }, "which a refusal may have left unused"),
    );
    const answer = noopAnswer(await sendNoop(world, attempt), attempt.nonce);
    inTransaction(world.store, () => note(world, attempt, "noop answered", answer));
    return answer;
  } finally {
    slot.leave();
  }
}

/** Id of the attempt that has the number's slot: the first of all that left under it. */
function carriedBy({ store }: With<"store">, attempt: Attempt): number {
  return listSameAction(store, attempt)[0]?.id ?? attempt.id;
}

function hasActionsLeft({ store, allowance }: With<"allowance" | "store">, { accountId }: Attempt): boolean {
  const trader = findAccount(store, accountId)?.tradingAddress ?? null;
  return trader === null || allowance.fits(trader, "settle");
}

/** The count of the row as it stands now, with its audit row, on disk before the noop is signed; null when it is settled. */
function countNoop(world: With<"clock" | "store">, attempt: Attempt): Attempt | null {
  return inTransaction(world.store, () => {
    const now = openAttempt(world.store, attempt.id);
    if (now === null || now.seal !== null) return null;
    const noops = now.noops + 1;
    updateNumber(world.store, now, { noops });
    recordNoop(world, { ...now, noops }, `number ${noops}`);
    return { ...now, noops };
  });
}

function recordNoop(world: With<"clock" | "store">, attempt: Attempt, what: string): void {
  const { signer, nonce, noops, resource } = attempt;
  note(world, attempt, "noop sent", `on nonce ${nonce}, ${what}`);
  appendAudit(world.store, {
    atMs: world.clock.nowMs(),
    actor: "gateway",
    event: "sign_noop",
    reference: resource.id,
    detail: { signer, nonce, number: noops },
  });
}
