/**
 * Set-up as this window goes through it. Which step is next is the gateway's to say; what the window alone knows (its
 * token, a key that was made and not yet granted) survives a reload in the window's own storage.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Answer, type Refusal, request } from "../api/request.ts";
import { newSigning, type Signing } from "../parts/signing.ts";
import type { App } from "../state/app.ts";
import type { Grant } from "../wallet/grant.ts";
import { hashOfKey } from "../wallet/make-key.ts";
import type { Approval, ExchangeView, Setup, SetupOutcome } from "./resources.ts";

export type MadeKey = { apiKey: string; grant: Grant; isRegistered: boolean; isTaken: boolean };

export type SetupState = {
  token: string;
  setup: Setup | null;
  /** A step is being taken. */
  isBusy: boolean;
  /** The exchange is being asked what it shows of an address. */
  isLooking: boolean;
  /** What is wrong, and the one thing to do about it. */
  failure: string | null;
  /** The link cannot be used any more. */
  isOver: boolean;
  address: string;
  view: ExchangeView | null;
  validDays: string;
  signing: Signing;
  /** What was signed for: its nonce, chain and end go back with the signature. */
  approval: Approval | null;
  mayWrite: boolean;
  key: MadeKey | null;
};

const TOKEN_STORE = "postern.setup";
const LINK_STORE = "postern.setup.link";
const KEY_STORE = "postern.setup.key";
const ADDRESS_STORE = "postern.setup.address";
const TOKEN_BYTES = 32;
const TOKEN = /^setup_[0-9a-f]{64}$/;

/** Begins with a link from the address bar, or goes on where a reload interrupted. */
export function openSetup(app: App, link: string | null): void {
  const { sessionStorage: store } = app;
  if (link !== null && !TOKEN.test(link)) {
    app.state.signIn.failure =
      "This set-up link is not whole: it ends in setup_ and 64 hex digits. Copy all of it, or run `postern setup` for a new one.";
  } else if (link !== null) {
    for (const name of [KEY_STORE, ADDRESS_STORE]) store.removeItem(name);
    store.setItem(TOKEN_STORE, `setup_${bytesToHex(app.randomBytes(TOKEN_BYTES))}`);
    store.setItem(LINK_STORE, link);
  }
  const token = store.getItem(TOKEN_STORE);
  if (token === null) return;
  app.state.setup = newSetup(app, token);
  app.changed();
  const unclaimed = store.getItem(LINK_STORE);
  void (unclaimed === null ? refresh(app) : claim(app, unclaimed));
}

function newSetup(app: App, token: string): SetupState {
  return {
    token,
    setup: null,
    isBusy: false,
    isLooking: false,
    failure: null,
    isOver: false,
    address: app.sessionStorage.getItem(ADDRESS_STORE) ?? "",
    view: null,
    validDays: "90",
    signing: newSigning(),
    approval: null,
    mayWrite: true,
    key: readKey(app),
  };
}

function readKey(app: App): MadeKey | null {
  try {
    // Written by `keepKey` and by nothing else.
    return JSON.parse(app.sessionStorage.getItem(KEY_STORE) ?? "null") as MadeKey | null;
  } catch {
    return null;
  }
}

export function keepKey(app: App, key: MadeKey | null): void {
  const { setup } = app.state;
  if (setup !== null) setup.key = key;
  if (key === null) app.sessionStorage.removeItem(KEY_STORE);
  else app.sessionStorage.setItem(KEY_STORE, JSON.stringify(key));
  app.changed();
}

export function keepAddress(app: App, address: string): void {
  app.sessionStorage.setItem(ADDRESS_STORE, address);
}

/** The window leaves set-up. */
export function closeSetup(app: App): void {
  for (const name of [TOKEN_STORE, LINK_STORE, KEY_STORE, ADDRESS_STORE]) app.sessionStorage.removeItem(name);
  app.state.setup = null;
  app.changed();
}

/** A lost answer may be asked for again: the same link with the same token is the same claim. */
async function claim(app: App, link: string): Promise<void> {
  const { setup } = app.state;
  if (setup === null) return;
  const body = JSON.stringify({ session_hash: hashOfKey(setup.token) });
  const answer = await request<Setup>({ method: "POST", path: "/v1/setup/claim", bearer: link, body });
  if (answer.kind === "ok") app.sessionStorage.removeItem(LINK_STORE);
  take(app, setup, answer);
}

/** Where the gateway says that set-up stands. */
export async function refresh(app: App): Promise<void> {
  const { setup } = app.state;
  if (setup === null) return;
  const link = app.sessionStorage.getItem(LINK_STORE);
  if (link !== null) return claim(app, link);
  take(app, setup, await request<Setup>({ method: "GET", path: "/v1/setup", bearer: setup.token }));
}

function take(app: App, state: SetupState, answer: Answer<Setup>): void {
  if (answer.kind === "ok") Object.assign(state, { setup: answer.body, failure: null });
  else fail(state, answer);
  app.changed();
}

export function fail(state: SetupState, answer: Refusal | { kind: "lost"; message: string }): void {
  state.failure = answer.kind === "lost" ? "The gateway did not answer. Is it running? Try again." : answer.message;
  if (answer.kind !== "refused") return;
  if (answer.code === "invalid_setup_token") {
    state.isOver = true;
    state.failure = "This set-up link was used or is too old. Run `postern setup` on the machine for a new one.";
  }
  if (answer.code === "setup_done") {
    state.isOver = true;
    state.failure = "Set-up is done. Sign in with an API key.";
  }
}

/** A read with the set-up token; null where it failed, and then the state says why. */
export async function readSetup<Body>(app: App, path: string): Promise<Body | null> {
  const { setup } = app.state;
  if (setup === null) return null;
  const answer = await request<Body>({ method: "GET", path, bearer: setup.token });
  if (answer.kind === "ok") return answer.body;
  fail(setup, answer);
  app.changed();
  return null;
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
  app.changed();
  return answer.kind === "ok" && answer.body.status === "succeeded";
}
