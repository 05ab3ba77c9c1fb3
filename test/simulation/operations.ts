/** What became of leverage, margin and TWAPs at the exchange, held against what the client was told. */
import { type Dialogue, fieldOf } from "./clients.ts";
import type { Copies } from "./copied.ts";
import type { Ask } from "./front.ts";
import type { ToldEvent } from "./tellings.ts";
import type { Party } from "./template.ts";
import { units } from "./truth.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wrongly } from "./worlds/wrong.ts";

type Told = { name: string; body: string };
type Run = {
  venue: Venue;
  dialogues: readonly Dialogue[];
  runningTwaps: ReadonlySet<number>;
  /** Whose TWAPs were canceled by a stop as well. */
  stop: { party: Party } | null;
  told: readonly ToldEvent[];
  copies: Copies;
  wrongly: Pick<Wrongly, "toldEmptied">;
};

export function auditOperation(run: Run, dialogue: Dialogue, told: Told): string[] {
  const { ask } = dialogue;
  if (ask === null) return [];
  const done = run.venue.log.filter((execution) => isOf(dialogue, ask, execution) && isDone(execution));
  const status = fieldOf(told.body, "status");
  const findings: string[] = [];
  const isOnce = ask.kind === "margin" || ask.kind === "twap";
  if (isOnce && done.length > 1) findings.push(`${told.name} was executed ${done.length} times`);
  // A setting that a copy has made is in force, and nothing tells whose it is.
  const isOfCopy = ask.kind !== "twap" && done.some(({ nonce }) => run.copies.isCopied(nonce));
  const isRight =
    isOfCopy || status === "succeeded"
      ? isSoundSuccess(run, dialogue, { ask, done })
      : isSoundRefusal(run, dialogue, { ask, done });
  // Nothing that is shown of a TWAP is its own for certain: one of a hand may have its terms, and the exchange's word on its number stands.
  const isEmptied = done.some(({ nonce }) => run.wrongly.toldEmptied.has(nonce));
  const isBelieved = ask.kind === "twap" && status === "rejected" && isEmptied;
  if (!isRight && !isBelieved)
    findings.push(`${told.name} was executed ${done.length} times, and was answered ${told.body}`);
  const [only] = done;
  const twapId = only === undefined ? null : twapIdIn(only);
  if (ask.kind === "twap" && status === "succeeded" && fieldOf(told.body, "exchange_id") !== String(twapId)) {
    findings.push(`${told.name} made TWAP ${twapId}, and was answered ${told.body}`);
  }
  return findings;
}

/** True for the executions of what this wish asked for, or of what is exactly the same. */
function isOf({ wish }: Dialogue, ask: Ask, { signer, input: { action } }: Execution): boolean {
  if (signer !== wish.party.agent) return false;
  switch (ask.kind) {
    case "leverage":
      return action.type === "updateLeverage" && action.asset === ASSETS[ask.market] && isSetting(ask, action);
    case "margin":
      return action.type === "updateIsolatedMargin" && action.ntli * 100n === units(ask.amount);
    case "twap":
      return action.type === "twapOrder" && units(action.twap.s) === units(ask.size);
    case "twap_cancel":
      return action.type === "twapCancel" && action.t === ask.twapId;
    default:
      return false;
  }
}

const ASSETS: Readonly<Record<string, number>> = { BTC: 0, ETH: 1, SOL: 5 };

function isSetting(ask: Extract<Ask, { kind: "leverage" }>, action: { leverage: number; isCross: boolean }): boolean {
  return action.leverage === ask.leverage && action.isCross === (ask.marginType === "cross");
}

/** The exchange took it, and it had an effect. */
export function isDone({ reply, isAdmitted }: Execution): boolean {
  if (!isAdmitted || reply.status !== "ok") return false;
  const { response } = reply;
  if (response.type === "twapOrder") return "running" in response.data.status;
  return response.type === "twapCancel" ? response.data.status === "success" : response.type === "default";
}

function twapIdIn({ reply }: Execution): number | null {
  if (reply.status !== "ok" || reply.response.type !== "twapOrder") return null;
  const { status } = reply.response.data;
  return "running" in status ? status.running.twapId : null;
}

type Ended = { ask: Ask; done: readonly Execution[] };

function isSoundSuccess(run: Run, { wish }: Dialogue, { ask, done }: Ended): boolean {
  // A TWAP that has ended by itself is as good as canceled.
  if (ask.kind === "twap_cancel") return !run.runningTwaps.has(ask.twapId);
  return done.length > 0 || (ask.kind === "leverage" && wasInForce(run, wish.party, ask));
}

/** Nobody has set anything else in all the time, and it is as it was asked for. */
function wasInForce({ venue }: Run, { account }: Party, ask: Extract<Ask, { kind: "leverage" }>): boolean {
  const { tradingAddress: user } = account;
  const isChanged = venue.log.some(({ input: { action }, reply, isAdmitted }) => {
    const isSet = action.type === "updateLeverage" && action.asset === ASSETS[ask.market];
    return isSet && isAdmitted && reply.status === "ok";
  });
  const body = JSON.stringify({ type: "activeAssetData", user, coin: ask.market });
  // Shape of the paper exchange's own reader.
  const { leverage } = JSON.parse(venue.read(body, null).body) as { leverage: { type: string; value: number } };
  return !isChanged && leverage.value === ask.leverage && leverage.type === ask.marginType;
}

function isSoundRefusal({ dialogues, stop, told }: Run, { wish }: Dialogue, { ask, done }: Ended): boolean {
  if (done.length === 0) return true;
  const alike = dialogues.filter((other) => other.ask?.kind === ask.kind && other.wish.party === wish.party);
  // What withdraws the increases of a bot cancels its TWAPs too.
  const isWithdrawn = told.some(
    ({ type, payload }) => type === "stop.created" && fieldOf(payload, "account") === wish.party.account.id,
  );
  if (ask.kind === "twap_cancel" && (isWithdrawn || stop?.party === wish.party)) return true;
  // A setting can be overwritten before it is read back; of two cancels of one TWAP one is refused.
  return (ask.kind === "leverage" || ask.kind === "twap_cancel") && alike.length > 1;
}
