/** Making a bot's key: it is made here, the owner signs its grant, and the gateway registers it. */
import { parseLimitedGrant } from "../../core/rails/limited-grant.ts";
import { grantAsSent, grantTextOf, PROPOSED_RAILS } from "../../core/rails/wished-grant.ts";
import { request } from "../api/request.ts";
import type { KeyLimits, ListedApiKey } from "../api/resources.ts";
import { hashOfKey, makeApiKey } from "../wallet/make-key.ts";
import type { App } from "./app.ts";
import { readDescription } from "./description.ts";
import { newSigning } from "./forms.ts";
import { notify } from "./notices.ts";
import { besideNow, isBaseChanged, railsNow } from "./rails-base.ts";
import {
  draftOf,
  type LimitedKey,
  marketsFault,
  newRailsForm,
  type RailsForm,
  railsTextOf,
  wishOf,
} from "./rails-form.ts";
import { readKeys } from "./read.ts";

const SCOPES = "trading:read,trading:write";

/** When the form is first opened: asks the gateway from which network it sees this page, to propose that as the key's source. */
export function beginLimitedKey(app: App): void {
  const { route, session, forms } = app.state;
  if (session === null || route.screen !== "bots" || forms.limitedKey.asksFrom !== undefined) return;
  forms.limitedKey.asksFrom = null;
  void proposeSources(app, forms.limitedKey);
}

async function proposeSources(app: App, form: RailsForm): Promise<void> {
  await Promise.all([readDescription(app), readKeys(app)]);
  const { value: described, failure } = app.state.description;
  if (!form.isTouched && form.replaces === null) form.draft.bot = freeName(app);
  app.changed();
  if (described === null || failure !== null || described.asking_network === null) return;
  form.asksFrom = described.asking_network;
  if (form.draft.sources === PROPOSED_RAILS.sources && form.replaces === null)
    form.draft.sources = described.asking_network;
  app.changed();
}

/** The first name that no bot has: a grant under a name that is taken would replace that bot's rails. */
function freeName({ state: { keys } }: App): string {
  const taken = new Set((keys.value ?? []).map(({ limits }) => limits?.bot));
  const names = Array.from({ length: taken.size + 1 }, (_, nth) => `grid-${nth + 1}`);
  return names.find((name) => !taken.has(name)) ?? "";
}

/** What the owner is to sign, as it stands in the form now. */
export async function writeGrant(app: App, form: RailsForm): Promise<void> {
  const { session } = app.state;
  const wish = wishOf(form.draft);
  if (session === null || wish.kind === "fault" || form.isBusy) return;
  Object.assign(form, { isBusy: true, failure: null });
  app.changed();
  // No event tells of rails that were narrowed.
  await Promise.all([readDescription(app), readKeys(app)]);
  const { value: described, failure } = app.state.description;
  form.isBusy = false;
  const fault = marketsFault(app.state.markets.value, form.draft);
  if (described === null || failure !== null) form.failure = failure;
  else if (fault?.isRefused === true) form.failure = fault.words;
  // Where what holds has changed meanwhile the form says so, and nothing is written down.
  else if (formChanged(app, form) === null) form.made = madeKey(app, form, described.audience);
  app.changed();
}

/** Why the form is not to be written down as it stands: what it was filled with does not hold any more. */
export function formChanged({ state }: App, { replaces, base, draft: { bot } }: RailsForm): string | null {
  if (replaces === null || base === null) return null;
  const now = railsNow(state, bot);
  if (!isBaseChanged(base, now)) return null;
  const lines = now === null ? [] : besideNow(now, base).map(({ name, now: holds }) => `${name} ${holds}`);
  return `What ${bot} is held to has changed since this form was opened: ${lines.join("; ")}.`;
}

function madeKey(app: App, { draft, replaces }: RailsForm, audience: string): LimitedKey | null {
  const { session } = app.state;
  const wish = wishOf(draft);
  if (session === null || wish.kind === "fault") return null;
  const { account: id, owner_address: owner, trading_address: tradingAddress, network } = session.me;
  const apiKey = replaces === null ? makeApiKey(app.randomBytes) : null;
  const keyHash = apiKey === null ? (replaces?.key_hash ?? "") : hashOfKey(apiKey);
  const grant = {
    audience,
    account: { id, owner, tradingAddress, network },
    keyHash,
    scopes: replaces?.scopes.join(",") ?? SCOPES,
    issuedAtMs: app.nowMs(),
    days: wish.days,
  };
  const text = grantTextOf(grant, wish.rails);
  return {
    apiKey,
    text,
    base: railsNow(app.state, text.bot),
    days: wish.days,
    signing: newSigning(),
    isRegistered: false,
  };
}

type SignedLimitedKey = { form: RailsForm; key: LimitedKey; signature: string };

export async function registerLimitedKey(app: App, { form, key, signature }: SignedLimitedKey): Promise<void> {
  const body = JSON.stringify({ grant: grantAsSent(key.text), signature });
  const answer = await request<unknown>({ method: "POST", path: "/v1/api-keys/limited", bearer: null, body });
  if (answer.kind === "ok") {
    key.isRegistered = true;
    await readKeys(app);
    tellWhatHolds(app, key);
    if (key.apiKey === null) endLimitedKey(app);
    return;
  }
  // The gateway refuses a grant that is older than an hour: the next signature is for a fresh one.
  if (answer.kind === "refused" && answer.code === "grant_expired") renewGrant(app, key);
  const words = answer.kind === "lost" ? "No answer. Sign again: the same grant twice is one key." : answer.message;
  form.made = { ...key, signing: { ...newSigning(), failure: words } };
}

/** What was signed holds as far as nobody has narrowed it after it was written. */
function tellWhatHolds(app: App, { apiKey, text }: LimitedKey): void {
  const now = app.state.keys.failure === null ? railsNow(app.state, text.bot) : null;
  const others = now === null ? [] : besideNow(now, text);
  if (now === null) notify(app, "bad", `${text.bot}: the grant was taken. What holds now could not be read.`);
  else if (others.length > 0) {
    const lines = others.map(({ name, now: holds }) => `${name} ${holds}`).join("; ");
    notify(
      app,
      "bad",
      `${text.bot}: what was signed is not what holds: narrowed since it was written. It holds: ${lines}.`,
    );
  } else if (apiKey === null) notify(app, "good", `${text.bot} is held to its new rails.`);
}

function renewGrant(app: App, key: LimitedKey): void {
  const parsed = parseLimitedGrant(key.text);
  if (parsed.kind === "fault") return;
  const {
    audience,
    account: id,
    owner,
    tradingAddress,
    keyHash,
    scopes,
    issuedAt: _was,
    expiresAt: _then,
    ...rails
  } = key.text;
  const account = { id, owner, tradingAddress, network: parsed.grant.network };
  key.text = grantTextOf({ audience, account, keyHash, scopes, issuedAtMs: app.nowMs(), days: key.days }, rails);
}

/** Empties the form, and proposes a free name and the network that this page asks from. */
export function endLimitedKey(app: App): void {
  const { asksFrom } = app.state.forms.limitedKey;
  const form = newRailsForm();
  app.state.forms.limitedKey = form;
  Object.assign(form, { asksFrom });
  form.draft.bot = freeName(app);
  if (typeof asksFrom === "string") form.draft.sources = asksFrom;
  app.changed();
}

/** The rails of a bot's key, to be signed anew: looser ones too, because it is the owner who signs. */
export function changeRails(app: App, key: ListedApiKey): void {
  const { limits } = key;
  if (limits === null) return;
  const { asksFrom } = app.state.forms.limitedKey;
  app.state.forms.limitedKey = {
    ...newRailsForm(),
    asksFrom,
    replaces: key,
    base: railsTextOf(limits),
    draft: draftOf(limits),
  };
  app.changed();
}

/** What remains of a bot that is paused: it may get out, and take back what it has placed. */
const PAUSED = new Set(["reduce", "cancel"]);

export function isPaused({ rails }: KeyLimits): boolean {
  return rails.may.split(",").every((verb) => PAUSED.has(verb));
}

/** A bot's rails without anything that could make a position larger, to be signed. */
export function pauseRails(app: App, key: ListedApiKey): void {
  changeRails(app, key);
  const { draft } = app.state.forms.limitedKey;
  const stays = draft.may.split(",").filter((verb) => PAUSED.has(verb));
  draft.may = stays.length === 0 ? "cancel" : stays.join(",");
  app.changed();
}
