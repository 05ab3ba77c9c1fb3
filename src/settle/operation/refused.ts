/**
 * A refusal of a TWAP, a leverage or margin names nothing, and its words may be another's: whatever shows what was asked for overrules
 * it. One that came before the number was looked at stops no copy besides. What it is held against is read before it is told, and again for
 * as long as a server may be behind.
 */
import { type Attempt, EXPIRY_MARGIN_MS } from "../../core/attempt.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import { dexOf } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import type { InfoRequest } from "../../exchange/exchange.ts";
import { listOpenAttempts, reopenOperation } from "../../store/attempts.ts";
import { expectBotTwap } from "../../store/bot-twaps.ts";
import { inTransaction } from "../../store/commit.ts";
import { updateOperation } from "../../store/operations.ts";
import { mayLeaveNumber } from "../../wire/answer/refusal.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import { parseTwapHistory } from "../../wire/answer/twap.ts";
import { note, OVERRULED } from "../record/note.ts";
import { within } from "../within.ts";
import { showsLeverage } from "./leverage.ts";
import { showsMargin } from "./margin.ts";
import { operationOf, refusalIn } from "./operation.ts";
import { ofItsTime } from "./twap-terms.ts";

/** `shown`: what was asked for is there. `failed`: it could not be asked, or not yet. `silent` proves nothing. */
export type RefusedSight = "shown" | "silent" | "failed";

type ToSee = With<"clock" | "exchange" | "store">;

/** Refusals of operations whose action expired before this, exchange time, unix milliseconds, are held against nothing any more. */
export function refusedSinceMs(exchangeNowMs: number): number {
  return exchangeNowMs - EXPIRY_MARGIN_MS - BEHIND_MS - LAST_LOOK_WITHIN_MS;
}

/** A look that is due when no server is behind any more has this long, milliseconds. */
const LAST_LOOK_WITHIN_MS = 60_000;

/** What does not answer in this time is not waited for, milliseconds: a refusal is told soon. */
const READ_WITHIN_MS = 1_500;

/** The answer to an operation, weakened where it is a refusal that what the exchange shows contradicts: then it has to be looked up. */
export async function asFarAsShown(world: ToSee, user: string, attempt: Attempt, reply: Reply): Promise<Reply> {
  const text = refusalIn(reply);
  if (text === null || !isHeldAgainstShown(attempt, text)) return reply;
  const sight = await within(world.clock, READ_WITHIN_MS, seeRefused(world, user, attempt));
  return sight === "shown" ? { kind: "ambiguous", reason: "contradicted", text } : reply;
}

/** What cancels a TWAP is asked again as long as it runs. A TWAP that was refused at the door is looked for by itself, as a copy of it is. */
function isHeldAgainstShown({ kind }: Attempt, text: string): boolean {
  return kind === "leverage" || kind === "isolated_margin" || (kind === "twap" && !mayLeaveNumber(text));
}

/** A question to the exchange and its answer; null where there is none. */
export type AskInfo = (request: InfoRequest) => Promise<unknown>;

/**
 * Whether the exchange shows what it is said to have refused.
 *
 * @param read null where it could not be read; the answers may be shared
 */
export async function seeRefused(
  world: ToSee,
  user: string,
  attempt: Attempt,
  read: AskInfo = readOnce(world),
): Promise<RefusedSight> {
  const operation = operationOf(world, attempt);
  switch (attempt.kind) {
    case "twap": {
      const records = parseTwapHistory(await read({ type: "twapHistory", user }));
      // One that is not settled may be whose it is.
      if (records === null || isAnyTwapOpen(world, attempt)) return "failed";
      return ofItsTime(world, attempt, records).length === 1 ? "shown" : "silent";
    }
    case "leverage":
      return showsLeverage(world, attempt, () => read({ type: "activeAssetData", user, coin: operation.market }));
    default: {
      const askedAtMs = world.exchange.nowMs();
      const json = await read({ type: "clearinghouseState", user, dex: dexOf(operation.market) });
      return showsMargin(world, attempt, { json, askedAtMs });
    }
  }
}

/** Each question is asked once and its answer shared: many may have been refused at once. */
export function readOnce({ exchange }: With<"exchange">): AskInfo {
  const asked = new Map<string, Promise<unknown>>();
  return (request) => {
    const text = JSON.stringify(request);
    const reading =
      asked.get(text) ??
      exchange
        .info(request, { purpose: "settle", onNewConnection: true })
        .then((outcome) => (outcome.kind === "ok" ? outcome.json : null));
    asked.set(text, reading);
    return reading;
  };
}

function isAnyTwapOpen({ store }: With<"store">, { id, accountId }: Attempt): boolean {
  return listOpenAttempts(store).some(
    (other) => other.kind === "twap" && other.accountId === accountId && other.id !== id,
  );
}

const SHOWN_ALL_THE_SAME =
  "the exchange refused it, and shows it all the same; whether its number was used is being asked for";

/** It was told as refused, and the exchange shows what was asked for: it is as if no answer had come, and has to be pursued. */
export function reopenRefused(world: With<"clock" | "store">, attempt: Attempt): void {
  inTransaction(world.store, () => {
    note(world, attempt, OVERRULED, "was refused, and the exchange shows what was asked for");
    reopenOperation(world.store, attempt);
    // What a bot trades by it goes into its books again.
    expectBotTwap(world.store, operationOf(world, attempt));
    const change = { status: "unknown", exchangeId: null, error: SHOWN_ALL_THE_SAME } as const;
    updateOperation(world.store, attempt.resource.id, change, world.clock.nowMs());
  });
}
