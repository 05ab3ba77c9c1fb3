/**
 * The stop of this page: asked for again and again until an answer says that it stands. No Idempotency-Key is needed: while
 * one stands, asking for the same is answered with it.
 */
import { type ApiRefusal, member, request } from "../api/request.ts";
import type { ApiStop, WhoAmI } from "../api/resources.ts";
import { shortId } from "../figures/format.ts";
import type { App } from "./app.ts";
import type { StopForm } from "./forms.ts";
import { notify } from "./notices.ts";
import { readStops } from "./read.ts";
import type { State } from "./state.ts";

const STORE = "postern.stop";
/** Milliseconds between two requests for one stop. */
const PAUSE_MS = 1_000;
/** Requests for one stop: about an hour of a gateway that is not there. */
const MAX_TRIES = 3_000;
/** Milliseconds within which a reload goes on by itself; what is older waits for the person. */
const GOES_ON_MS = 60_000;

/** A key that is held to rails stops itself, and nobody else. */
export function scopeOf({ limits }: WhoAmI): ApiStop["scope"] {
  return limits === null ? "account" : "bot";
}

/** Whom a stop covers, in words; of a key with rails it is the bot. */
export function coveredBy({ keys }: State, { scope, key_hash: hash }: ApiStop): string {
  if (scope === "account") return "this account";
  const bot = keys.value?.find(({ key_hash: each }) => each === hash)?.limits?.bot;
  return bot === undefined ? `the key ${shortId(hash ?? "")}` : `the bot ${bot}`;
}

/** Oldest first: one that comes anew is put below the others, and nothing that is about to be pressed moves. */
export function stopsStanding({ stops }: State): ApiStop[] {
  const inForce = (stops.value ?? []).filter(({ status }) => status !== "resumed");
  return inForce.sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
}

export function openStop(app: App): void {
  app.state.forms.stop = { keepsProtection: true, isBusy: false, failure: null };
  app.changed();
}

/** A person gives up: it may stand all the same, and shows then. */
export function closeStop(app: App): void {
  const { stop } = app.state.forms;
  app.state.forms.stop = null;
  forgetStop(app);
  app.changed();
  if (stop?.isBusy !== true) return;
  notify(app, "bad", "The stop was not answered. It may stand all the same; what stands is shown here.");
  void readStops(app);
}

export function forgetStop(app: App): void {
  app.sessionStorage.removeItem(STORE);
}

/** What a reload has interrupted. */
export function resumeStop(app: App): void {
  const kept = keptWish(app);
  if (kept === null) return;
  const own: StopForm = { keepsProtection: kept.keepsProtection, isBusy: false, failure: null };
  app.state.forms.stop = own;
  if (app.nowMs() - kept.askedAtMs < GOES_ON_MS) void stopNow(app, own);
  else own.failure = "A stop was asked for some time ago, and no answer came. Nothing is known to be stopped by it.";
  app.changed();
}

export async function stopNow(app: App, own: StopForm): Promise<void> {
  const { session } = app.state;
  if (session === null || own.isBusy) return;
  Object.assign(own, { isBusy: true, failure: null });
  keepWish(app, own);
  app.changed();
  const scope = scopeOf(session.me);
  const body = JSON.stringify({ scope, keep_protection: own.keepsProtection });
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await request<ApiStop>({ method: "POST", path: "/v1/stop", bearer: session.apiKey, body });
    if (app.state.session !== session || app.state.forms.stop !== own) return;
    if (answer.kind === "ok") return stands(app, answer.body);
    own.failure =
      answer.kind === "lost"
        ? "The gateway does not answer: it is not known whether trading is stopped. It is asked again every second."
        : `Not stopped: ${answer.message}`;
    if (answer.kind === "refused" && !isPassing(answer)) break;
    app.changed();
    await app.sleep(PAUSE_MS);
  }
  own.isBusy = false;
  forgetStop(app);
  app.changed();
}

function isPassing({ status }: ApiRefusal): boolean {
  return status === 429 || status >= 500;
}

/** Shown by the answer itself, before the list is read anew. */
function stands(app: App, stop: ApiStop): void {
  const { stops } = app.state;
  stops.value = [stop, ...(stops.value ?? []).filter(({ id }) => id !== stop.id)];
  app.state.forms.stop = null;
  forgetStop(app);
  app.changed();
  if (stop.status === "resumed") notify(app, "bad", "That stop was ended meanwhile. Nothing is stopped by it.");
  void readStops(app);
}

function keepWish(app: App, { keepsProtection }: StopForm): void {
  try {
    app.sessionStorage.setItem(STORE, JSON.stringify({ keepsProtection, askedAtMs: app.nowMs() }));
  } catch {
    // A browser that keeps nothing forgets it with a reload; what stands is told by the gateway.
  }
}

function keptWish(app: App): { keepsProtection: boolean; askedAtMs: number } | null {
  try {
    const kept: unknown = JSON.parse(app.sessionStorage.getItem(STORE) ?? "null");
    const askedAtMs = member(kept, "askedAtMs");
    return typeof askedAtMs === "number"
      ? { keepsProtection: member(kept, "keepsProtection") !== false, askedAtMs }
      : null;
  } catch {
    return null;
  }
}
