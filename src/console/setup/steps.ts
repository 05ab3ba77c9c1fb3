/**
 * From one step of set-up to the next. What a step asks for by itself it asks for here, once, when it is reached; its
 * drawing asks for nothing.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { type ApiAnswer, request } from "../api/request.ts";
import type { ApiSetupStep, Setup, SetupOutcome } from "../api/resources.ts";
import type { App } from "../state/app.ts";
import { readDescription } from "../state/description.ts";
import { newSigning } from "../state/forms.ts";
import { hashOfKey } from "../wallet/make-key.ts";
import { fail, keepKey, lookAt, type MadeKey, newSetup, type SetupState, STORES } from "./progress.ts";
import { prepareProof } from "./proof.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^setup_[0-9a-f]{64}$/;

/** Begins with a link from the address bar, or goes on where a reload interrupted. */
export function openSetup(app: App, link: string | null): void {
  const { sessionStorage: store } = app;
  if (link !== null && !TOKEN.test(link)) {
    app.state.signIn.failure =
      "This set-up link is not whole: it ends in setup_ and 64 hex digits. Copy all of it, or run `postern setup` for a new one.";
  } else if (link !== null) {
    for (const name of [STORES.key, STORES.address, STORES.proof]) store.removeItem(name);
    store.setItem(STORES.token, `setup_${bytesToHex(app.randomBytes(TOKEN_BYTES))}`);
    store.setItem(STORES.link, link);
  }
  const token = store.getItem(STORES.token);
  if (token === null) return;
  app.state.setup = newSetup(app, token);
  app.changed();
  const unclaimed = store.getItem(STORES.link);
  void (unclaimed === null ? refresh(app) : claim(app, unclaimed));
}

/** A lost answer may be asked for again: the same link with the same token is the same claim. */
async function claim(app: App, link: string): Promise<void> {
  const { setup } = app.state;
  if (setup === null) return;
  const body = JSON.stringify({ session_hash: hashOfKey(setup.token) });
  const answer = await request<Setup>({ method: "POST", path: "/v1/setup/claim", bearer: link, body });
  if (answer.kind === "ok") app.sessionStorage.removeItem(STORES.link);
  take(app, setup, answer);
}

/** Where the gateway says that set-up stands. */
export async function refresh(app: App): Promise<void> {
  const { setup } = app.state;
  if (setup === null) return;
  const link = app.sessionStorage.getItem(STORES.link);
  if (link !== null) return claim(app, link);
  take(app, setup, await request<Setup>({ method: "GET", path: "/v1/setup", bearer: setup.token }));
}

function take(app: App, state: SetupState, answer: ApiAnswer<Setup>): void {
  if (answer.kind === "ok") Object.assign(state, { setup: answer.body, failure: null });
  else fail(state, answer);
  beginStep(app, state);
  app.changed();
}

/** A step that asks the exchange. Where its end is not known, the gateway is asked again by `refresh`. */
export async function takeStep(app: App, path: string, body: unknown): Promise<boolean> {
  const { setup: state } = app.state;
  if (state === null || state.isBusy) return false;
  Object.assign(state, { isBusy: true, failure: null });
  app.changed();
  const call = { method: "POST" as const, path, bearer: state.token, body: JSON.stringify(body) };
  const answer = await request<SetupOutcome>(call);
  state.isBusy = false;
  if (answer.kind === "ok") {
    const { status, error, what_to_do: todo, setup } = answer.body;
    state.setup = setup;
    state.failure = status === "succeeded" ? null : [error, todo].filter((words) => words !== null).join(" ");
    if (status === "succeeded") Object.assign(state, { signing: newSigning(), approval: null });
  } else {
    fail(state, answer);
  }
  beginStep(app, state);
  app.changed();
  return answer.kind === "ok" && answer.body.status === "succeeded";
}

/** The key was put where the bot finds it: only now does the proof begin. */
export function takeKeyAlong(app: App, key: MadeKey): void {
  keepKey(app, { ...key, isTaken: true });
  if (app.state.setup !== null) beginStep(app, app.state.setup);
}

/** The step on the screen: a key that was not taken along yet is still the step of the key. */
export function shownStep({ key }: SetupState, setup: Setup): ApiSetupStep {
  if (setup.step !== "finish" && setup.step !== "done") return setup.step;
  return key?.isTaken === true && isGranted(key, setup) ? "finish" : "key";
}

/** The gateway knows it. */
export function isGranted({ grant }: MadeKey, { api_keys: known }: Setup): boolean {
  return known.some(({ key_hash: hash }) => hash === grant.keyHash);
}

function beginStep(app: App, state: SetupState): void {
  const { setup, key, proof } = state;
  if (setup === null || state.isOver) return;
  const step = shownStep(state, setup);
  const isUnseen = state.view === null && !state.isLooking && state.failure === null;
  // After a reload, or where the account was made by a command.
  if (step === "agent" && isUnseen) state.address = setup.account?.owner_address ?? "";
  if ((step === "owner" || step === "agent") && isUnseen && state.address !== "")
    void lookAt(app, state, state.address);
  if (step === "key" && app.state.description.value === null) void readDescription(app);
  const isToProve = step === "finish" && proof.stage === "new" && key?.grant.scopes.includes("trading:write") === true;
  if (isToProve) void prepareProof(app, state, key);
}
