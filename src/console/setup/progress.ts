/**
 * Set-up as this window goes through it. Which step is next is the gateway's to say; what the window alone knows (its
 * token, a key that was made and not yet granted) survives a reload in the window's own storage.
 */
import { type ApiRefusal, request } from "../api/request.ts";
import type { Approval, ExchangeView, Setup } from "../api/resources.ts";
import type { App } from "../state/app.ts";
import { newSigning, type Signing } from "../state/forms.ts";
import type { PlainGrant } from "../wallet/grant.ts";
import { newProof, PROOF_STORE, type Proof } from "./proof.ts";

export type MadeKey = { apiKey: string; grant: PlainGrant; isRegistered: boolean; isTaken: boolean };

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
  proof: Proof;
};

/** What a window keeps of set-up, by name. */
export const STORES = {
  token: "postern.setup",
  link: "postern.setup.link",
  key: "postern.setup.key",
  address: "postern.setup.address",
  proof: PROOF_STORE,
} as const;

export function newSetup(app: App, token: string): SetupState {
  return {
    token,
    setup: null,
    isBusy: false,
    isLooking: false,
    failure: null,
    isOver: false,
    address: app.sessionStorage.getItem(STORES.address) ?? "",
    view: null,
    validDays: "90",
    signing: newSigning(),
    approval: null,
    mayWrite: true,
    key: readKey(app),
    proof: newProof(),
  };
}

function readKey(app: App): MadeKey | null {
  try {
    // Written by `keepKey` and by nothing else.
    return JSON.parse(app.sessionStorage.getItem(STORES.key) ?? "null") as MadeKey | null;
  } catch {
    return null;
  }
}

export function keepKey(app: App, key: MadeKey | null): void {
  const { setup } = app.state;
  if (setup !== null) setup.key = key;
  if (key === null) app.sessionStorage.removeItem(STORES.key);
  else app.sessionStorage.setItem(STORES.key, JSON.stringify(key));
  app.changed();
}

export function keepAddress(app: App, address: string): void {
  app.sessionStorage.setItem(STORES.address, address);
}

/** The window leaves set-up. */
export function closeSetup(app: App): void {
  for (const name of Object.values(STORES)) app.sessionStorage.removeItem(name);
  app.state.setup = null;
  app.changed();
}

export function fail(state: SetupState, answer: ApiRefusal | { kind: "lost"; message: string }): void {
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

/** Reads what the exchange shows of an address; where that failed, the state says why. */
export async function lookAt(app: App, state: SetupState, address: string): Promise<void> {
  state.isLooking = true;
  app.changed();
  const view = await readSetup<ExchangeView>(app, `/v1/setup/exchange-view?address=${address}`);
  state.isLooking = false;
  if (view !== null && state.address === address) {
    state.view = view;
    keepAddress(app, address);
  }
  app.changed();
}
