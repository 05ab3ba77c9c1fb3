/** Making a hook (an address for alerts): its secret is made here, the owner signs what it may do, and the gateway registers it. */
import { TRADINGVIEW_SOURCES, type WantedHook } from "../../core/hook/hook.ts";
import { faultOfHook } from "../../core/hook/wanted-hook.ts";
import { request } from "../api/request.ts";
import type { ListedApiKey } from "../api/resources.ts";
import { hashOfKey, makeHookSecret } from "../wallet/make-key.ts";
import type { App } from "./app.ts";
import { type HookDraft, type MadeHook, newHookForm, newSigning } from "./forms.ts";
import { notify } from "./notices.ts";
import { readHooks } from "./read.ts";

/** No event tells of hooks: they are read as their screen is opened. */
export function beginHooks(app: App): void {
  const { route, session } = app.state;
  if (session !== null && route.screen === "bots") void readHooks(app);
}

/** Keys of bots as which a hook may act. */
export function keysForHooks({ state: { keys } }: App): ListedApiKey[] {
  return (keys.value ?? []).filter(
    ({ limits, scopes, state }) => limits !== null && state === "active" && scopes.includes("trading:write"),
  );
}

/** The name of the bot as which it acts; null where its key is none as which a hook may act now. */
export function botOfHook(app: App, { hook: { keyHash } }: MadeHook): string | null {
  return keysForHooks(app).find(({ key_hash: hash }) => hash === keyHash)?.limits?.bot ?? null;
}

export type HookWish = { kind: "wish"; hook: WantedHook } | { kind: "fault"; words: string };

export function hookWishOf(app: App, draft: HookDraft): HookWish {
  const keys = keysForHooks(app);
  const key = keys.find(({ key_hash: hash }) => hash === draft.keyHash) ?? keys[0];
  if (key === undefined) return { kind: "fault", words: "a hook acts as a bot: make a key with rails first" };
  const { name, mode, isRehearsal } = draft;
  const hook: WantedHook = {
    name: name.trim(),
    keyHash: key.key_hash,
    mode,
    market: draft.market.trim() === "" ? null : draft.market.trim(),
    maxAgeMs: wholeIn(draft.maxAgeS) * 1_000,
    sameWithinMs: wholeIn(draft.sameWithinS) * 1_000,
    maxSlippageBps: wholeIn(draft.slippageBps),
    sources: sourcesIn(draft.sources.replaceAll(" ", "")),
    isRehearsal,
  };
  const words = faultOfHook(hook);
  return words === null ? { kind: "wish", hook } : { kind: "fault", words };
}

function wholeIn(text: string): number {
  return /^[0-9]{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

function sourcesIn(text: string): string | null {
  if (text === "") return null;
  return text === "tradingview" ? TRADINGVIEW_SOURCES : text;
}

export function makeHook(app: App): void {
  const { session, forms } = app.state;
  const form = forms.hook;
  const wish = hookWishOf(app, form.draft);
  form.isTouched = true;
  if (session !== null && wish.kind === "wish") {
    const secret = makeHookSecret(app.randomBytes);
    const { account } = session.me;
    form.made = {
      secret,
      hook: wish.hook,
      account,
      issuedAtMs: app.nowMs(),
      signing: newSigning(),
      isRegistered: false,
    };
  }
  app.changed();
}

export async function registerHook(app: App, made: MadeHook, signature: string): Promise<void> {
  const { hook, secret, account, issuedAtMs } = made;
  const body = JSON.stringify({
    account,
    name: hook.name,
    key_hash: hook.keyHash,
    mode: hook.mode,
    market: hook.market,
    max_age_s: hook.maxAgeMs / 1_000,
    same_within_s: hook.sameWithinMs / 1_000,
    max_slippage_bps: hook.maxSlippageBps,
    sources: hook.sources,
    rehearsal: hook.isRehearsal,
    secret_hash: hashOfKey(secret),
    issued_at: issuedAtMs,
    signature,
  });
  const answer = await request<unknown>({ method: "POST", path: "/v1/hooks", bearer: null, body });
  if (answer.kind === "ok") {
    made.isRegistered = true;
    await readHooks(app);
    return;
  }
  made.signing.failure =
    answer.kind === "lost" ? "No answer. Sign again: the same grant twice is one hook." : answer.message;
}

export function forgetHook(app: App): void {
  app.state.forms.hook = newHookForm();
  app.changed();
}

type Ending = NonNullable<App["state"]["forms"]["hook"]["ending"]>;

export async function endHook(app: App, { hook, signing }: Ending, signature: string): Promise<void> {
  const body = JSON.stringify({ account: hook.account, signature });
  const path = `/v1/hooks/${hook.id}/revoke`;
  const answer = await request<unknown>({ method: "POST", path, bearer: null, body });
  if (answer.kind !== "ok") {
    signing.failure = answer.kind === "lost" ? "No answer. Sign again: ending twice does no harm." : answer.message;
    return;
  }
  notify(app, "good", `${hook.name} takes nothing any more.`);
  app.state.forms.hook.ending = null;
  await readHooks(app);
}
