import type { Market } from "../core/market.ts";
import type { Decision } from "../core/proposal.ts";
import type { Readiness } from "../core/readiness.ts";
import type { GatewayState } from "../deps.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { PassphraseFacts } from "./examine-passphrase.ts";
import type { Keyring } from "./keyring.ts";
import { type Operator, OperatorError } from "./operator.ts";
import type { Listener } from "./tell-state.ts";
import type { Trial } from "./trial.ts";

/** What changes a data directory: a running gateway has all of it, a command only what its verb needs. */
export type Changer = Operator & {
  keyring: Keyring | null;
  /** Of a running gateway; the paper demo, which keeps its own, has none. */
  passphrase?: PassphraseFacts | null;
  exchange: Pick<Exchange, "info" | "nowMs" | "send"> | null;
  /** Of a running gateway; null for a command that opened the directory itself. */
  trial: Trial | null;
  state: GatewayState | null;
  /** Left out for a command that opened the directory itself. */
  running?: Running;
};

/** What a running gateway was started as, which only it knows for sure. */
export type Running = {
  version: string;
  /** Where its page is. */
  pageUrl: string;
  /** Where a client on this machine finds it. */
  clientUrl: string;
  /** What grants and revocations are signed for. */
  audience: string;
  /** That of a demo moves with its port. */
  exchangeUrl: string;
  /** Where it and what belongs to it can be reached. */
  listeners: readonly Listener[];
  /** Whether orders are taken, for each account. */
  readiness(): Readiness;
  /** There is a new stop. */
  heedStops(): void;
  /** Says of an order that was proposed whether it is placed, which it is at once: the proposal, as JSON text. */
  decideProposal(wanted: { proposalId: string; decision: Decision }): Promise<string>;
  /** These markets, by the names given, with null for what is none. Null while it has not read the exchange's list. */
  marketsNamed(names: readonly string[]): Readonly<Record<string, Market | null>> | null;
  /** Which of these names is no market's own but meant as one, in words; null where none is, and while the list has not been read. */
  misnamed(names: readonly string[]): string | null;
  /** Asks it as a client does. */
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<object>;
};

export function requireKeyring({ keyring }: Changer): Keyring {
  if (keyring === null) throw new OperatorError("the agent keys are locked");
  return keyring;
}

export function requireExchange({ exchange }: Changer): NonNullable<Changer["exchange"]> {
  if (exchange === null) throw new OperatorError("the exchange is not connected");
  return exchange;
}

export function requireRunning({ running }: Changer): Running {
  if (running === undefined) throw new OperatorError("no gateway runs here, and this takes one");
  return running;
}
