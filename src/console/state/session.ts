/**
 * Signing in is holding an API key: this page has no other way in than any client of `/v1`. The key stays in this
 * window, and in the browser's own storage only where the person says so.
 */
import { readIntentions } from "../api/intentions.ts";
import { request } from "../api/request.ts";
import type { WhoAmI } from "../api/resources.ts";
import { resumeIntentions } from "./act.ts";
import type { App } from "./app.ts";
import { newForms } from "./forms.ts";
import { beginHooks } from "./hooks.ts";
import { beginLimitedKey } from "./limited-key.ts";
import { startLive, stopLive } from "./live.ts";
import { watchMarket } from "./market-live.ts";
import { readStory } from "./read.ts";
import { emptyReadings, type Session } from "./state.ts";
import { forgetStop, resumeStop } from "./stopping.ts";
import { beginHistory } from "./timeline.ts";

const STORE = "postern.key";
const API_KEY = /^api_trade_[0-9a-fA-F]{64}$/;

/** Where a key stays: in this window, or in the browser as well, where a key that may trade has to be meant. */
export type Keeping = "window" | "browser_if_it_may_only_read" | "browser";

export async function signIn(app: App, apiKey: string, keeping: Keeping): Promise<void> {
  const { state } = app;
  if (!API_KEY.test(apiKey)) {
    state.signIn.failure = "An API key is api_trade_ and 64 hex digits.";
    app.changed();
    return;
  }
  const session = await sessionOf(app, apiKey);
  if (session === null) return;
  store(app.sessionStorage, apiKey);
  const mayTrade = session.me.scopes.includes("trading:write");
  if (keeping === "browser" || (keeping !== "window" && !mayTrade)) store(app.localStorage, apiKey);
  open(app, session);
}

/** At start: the key that this window, or this browser, holds. */
export async function resumeSession(app: App): Promise<void> {
  const apiKey = app.sessionStorage.getItem(STORE) ?? app.localStorage.getItem(STORE);
  if (apiKey === null) return;
  const session = await sessionOf(app, apiKey);
  if (session !== null) open(app, session);
}

export function isKept({ localStorage }: App): boolean {
  return localStorage.getItem(STORE) !== null;
}

export function keepNoLonger(app: App): void {
  const apiKey = app.localStorage.getItem(STORE);
  if (apiKey !== null) store(app.sessionStorage, apiKey);
  app.localStorage.removeItem(STORE);
  app.changed();
}

/** Out means out: of this window and of the browser. */
export function signOut(app: App): void {
  for (const storage of [app.sessionStorage, app.localStorage]) storage.removeItem(STORE);
  forgetStop(app);
  stopLive(app);
  app.state.session = null;
  Object.assign(app.state, emptyReadings(), { forms: newForms(app.sessionStorage) });
  app.state.intentions = [];
  watchMarket(app);
  app.changed();
}

/** Whose signature grants and revokes the account's keys. */
export function ownerOf({ state }: App): string {
  return state.session?.me.owner_address ?? "";
}

function store(storage: Storage, apiKey: string): void {
  try {
    storage.setItem(STORE, apiKey);
  } catch {
    // A browser that keeps nothing asks for the key again after a reload.
  }
}

async function sessionOf(app: App, apiKey: string): Promise<Session | null> {
  const { signIn } = app.state;
  signIn.isBusy = true;
  app.changed();
  const answer = await request<WhoAmI>({ method: "GET", path: "/v1/whoami", bearer: apiKey });
  signIn.isBusy = false;
  signIn.failure = answer.kind === "ok" ? null : answer.message;
  app.changed();
  return answer.kind === "ok" ? { apiKey, me: answer.body, refused: null } : null;
}

function open(app: App, session: Session): void {
  const { state } = app;
  Object.assign(state, emptyReadings(), { forms: newForms(app.sessionStorage) });
  state.session = session;
  state.intentions = readIntentions(app.localStorage, session.me.account);
  app.changed();
  startLive(app);
  beginLimitedKey(app);
  beginHooks(app);
  // The address bar named it before there was a key to ask with.
  if (state.route.screen === "story") void readStory(app, state.route.argument);
  void beginHistory(app);
  resumeIntentions(app);
  resumeStop(app);
}
