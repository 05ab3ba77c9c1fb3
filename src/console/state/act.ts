/** Writes: one wish, one Idempotency-Key, kept until the answer is known. */
import {
  forgetIntention,
  type Intention,
  isKept,
  keepIntention,
  type Outcome,
  OWN_REPEATS_MS,
  pursue,
} from "../api/intentions.ts";
import { member } from "../api/request.ts";
import type { App } from "./app.ts";
import { takeOperation, takeOrder, takeTrade } from "./apply.ts";
import { notify } from "./notices.ts";

const KEY_BYTES = 16;

export type ApiWrite = {
  path: string;
  body: unknown;
  words: string;
  /** Told what went wrong, where a form shows it; a message does otherwise. */
  failed?: (words: string) => void;
};

/** What came of it; null while it is not known, or where it could not be begun. */
export async function act(app: App, wish: ApiWrite): Promise<Outcome | null> {
  const { session } = app.state;
  if (session === null) return null;
  const intention: Intention = {
    key: `page-${hex(app.randomBytes(KEY_BYTES))}`,
    path: wish.path,
    body: JSON.stringify(wish.body),
    words: wish.words,
    createdAtMs: app.nowMs(),
    state: "sending",
    mayHaveHappened: false,
    reason: null,
  };
  if (!keepIntention(app.localStorage, session.me.account, intention)) {
    notify(app, "bad", "This browser keeps nothing, so a lost answer could become a second order. Nothing was sent.");
    return null;
  }
  app.state.intentions = [...app.state.intentions, intention];
  return follow(app, intention, wish.failed);
}

/** After a reload: what is fresh goes on by itself, what is old waits for a person. */
export function resumeIntentions(app: App): void {
  for (const intention of app.state.intentions) {
    // It had left, or was about to: from here nobody can tell.
    intention.mayHaveHappened = true;
    if (app.nowMs() - intention.createdAtMs < OWN_REPEATS_MS) void follow(app, intention);
    else intention.state = "unsure";
  }
  app.changed();
}

/** A person asks for it again: the same key, the same bytes. */
export async function askAgain(app: App, intention: Intention): Promise<void> {
  await follow(app, intention);
}

/** A person no longer wants to know. It may have happened all the same. */
export function putAside(app: App, intention: Intention): void {
  const account = app.state.session?.me.account;
  if (account !== undefined) forgetIntention(app.localStorage, account, intention);
  app.state.intentions = app.state.intentions.filter(({ key }) => key !== intention.key);
  app.changed();
}

async function follow(app: App, intention: Intention, failed?: ApiWrite["failed"]): Promise<Outcome | null> {
  const { session } = app.state;
  if (session === null) return null;
  const outcome = await pursue(intention, {
    bearer: session.apiKey,
    nowMs: app.nowMs,
    sleep: app.sleep,
    isWanted: () => isKept(app.localStorage, session.me.account, intention),
    changed: (changed) => {
      if (app.state.session === session) keepIntention(app.localStorage, session.me.account, changed);
      app.changed();
    },
  });
  if (outcome === null && !isKept(app.localStorage, session.me.account, intention)) putAside(app, intention);
  if (outcome === null || app.state.session !== session) return null;
  putAside(app, intention);
  tell(app, intention, { outcome, failed: failed ?? ((words) => notify(app, "bad", words)) });
  return outcome;
}

type ToldOutcome = { outcome: Outcome; failed: (words: string) => void };

function tell(app: App, { words }: Intention, { outcome, failed }: ToldOutcome): void {
  if (outcome.kind === "refused") {
    failed(`Nothing was sent: ${words}. ${outcome.message}`);
    return;
  }
  const { body } = outcome;
  takeOrder(app, body);
  takeOperation(app, body);
  takeTrade(app, body);
  const [status, error] = [String(member(body, "status")), member(body, "error")];
  const reason = typeof error === "string" ? ` – ${error}` : "";
  const said = `${words}: ${statusWords(status)}${reason}`;
  if (["rejected", "unknown"].includes(status) || reason !== "") failed(said);
  else notify(app, "good", said);
}

function statusWords(status: string): string {
  if (status === "unknown") return "sent, outcome not known yet; the gateway is finding out";
  return status.replaceAll("_", " ");
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
