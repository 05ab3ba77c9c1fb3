import type {
  Exchange,
  InfoOptions,
  InfoOutcome,
  InfoRequest,
  Purpose,
  SendOutcome,
} from "../../src/exchange/exchange.ts";

/** An answer to one type of read: JSON, or a function of the request that gives JSON or a whole outcome. */
export type ScriptedAnswer = (request: InfoRequest) => unknown;

export type Script = {
  /** Outcomes of sends, in order; a function decides by the body. When they are used up, nothing is sent. */
  sends?: readonly (SendOutcome | ((body: string) => SendOutcome | Promise<SendOutcome>))[];
  /** By request type; what is not here fails. */
  infos?: Readonly<Record<string, ScriptedAnswer>>;
  /** Exchange time, unix milliseconds. */
  nowMs?: () => number;
  hasBudgetFor?: (purpose: Purpose) => boolean;
};

export type ScriptedExchange = Exchange & {
  /** Everything that would have gone to /exchange, oldest first. */
  sent: { body: string; purpose: Purpose }[];
  asked: { request: InfoRequest; options: InfoOptions }[];
  slowDowns: () => number;
  /** Replaces the answers to one type of read from now on. */
  answer(type: string, answer: ScriptedAnswer): void;
};

/** An exchange that says what the test tells it to, and remembers what it was asked and sent. */
export function scriptedExchange(script: Script = {}): ScriptedExchange {
  const sends = [...(script.sends ?? [])];
  const infos = new Map(Object.entries(script.infos ?? {}));
  const sent: ScriptedExchange["sent"] = [];
  const asked: ScriptedExchange["asked"] = [];
  let slowDowns = 0;

  async function info(request: InfoRequest, options: InfoOptions): Promise<InfoOutcome> {
    asked.push({ request, options });
    const answer = infos.get(request.type);
    if (answer === undefined) return unanswered(`the test has no answer to ${request.type}`);
    const value = await answer(request);
    return isOutcome(value) ? value : { kind: "ok", json: value };
  }

  return {
    sent,
    asked,
    info,
    slowDowns: () => slowDowns,
    answer: (type, answer) => {
      infos.set(type, answer);
    },
    send: async (body, purpose) => {
      sent.push({ body, purpose });
      const next = sends.shift() ?? { kind: "not_sent", reason: "the test has no outcome for this send" };
      return typeof next === "function" ? next(body) : next;
    },
    infoInTurn: async (requests, options) => {
      const json: unknown[] = [];
      for (const request of requests) {
        const outcome = await info(request, options);
        if (outcome.kind === "failed") return outcome;
        json.push(outcome.json);
      }
      return { kind: "ok", json };
    },
    nowMs: script.nowMs ?? (() => 1_700_000_000_000),
    mayBeAheadMs: () => 0,
    sinceAnswerMs: () => 0,
    hasBudgetFor: script.hasBudgetFor ?? (() => true),
    budgetWaitS: (purpose) => ((script.hasBudgetFor ?? (() => true))(purpose) ? 0 : 5),
    budgetLeft: () => null,
    isReaderWaiting: () => false,
    slowDown: () => {
      slowDowns += 1;
    },
    slowedDown: () => null,
  };
}

/** A read that fails as one that did not reach the exchange. */
export function unanswered(reason: string, isOurBudget = false): Extract<InfoOutcome, { kind: "failed" }> {
  return { kind: "failed", reason, httpStatus: null, isOurBudget };
}

function isOutcome(value: unknown): value is InfoOutcome {
  return (
    typeof value === "object" && value !== null && "kind" in value && (value.kind === "ok" || value.kind === "failed")
  );
}
