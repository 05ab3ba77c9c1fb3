/** Making a bot's key: it is made here, the owner signs its grant, and the gateway registers it. */
import { parseLimitedGrant } from "../../core/rails/limited-grant.ts";
import { grantAsSent, grantTextOf, PROPOSED_RAILS } from "../../core/rails/wished-grant.ts";
import { request } from "../api/request.ts";
import type { KeyLimits, ListedApiKey, TypedDataDescription } from "../api/resources.ts";
import { hashOfKey, makeApiKey } from "../wallet/make-key.ts";
import type { App } from "./app.ts";
import { newSigning } from "./forms.ts";
import { notify } from "./notices.ts";
import { draftOf, type LimitedKey, newRailsForm, type RailsForm, wishOf } from "./rails-form.ts";
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
  const [described] = await Promise.all([describe(), readKeys(app)]);
  if (!form.isTouched && form.replaces === null) form.draft.bot = freeName(app);
  app.changed();
  if (typeof described === "string" || described.asking_network === null) return;
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

async function describe(): Promise<TypedDataDescription | string> {
  const answer = await request<TypedDataDescription>({ method: "GET", path: "/v1/api-keys/typed-data", bearer: null });
  return answer.kind === "ok" ? answer.body : answer.message;
}

/** What the owner is to sign, as it stands in the form now. */
export async function writeGrant(app: App, form: RailsForm): Promise<void> {
  const { session } = app.state;
  const wish = wishOf(form.draft);
  if (session === null || wish.kind === "fault" || form.isBusy) return;
  Object.assign(form, { isBusy: true, failure: null });
  app.changed();
  const described = await describe();
  form.isBusy = false;
  if (typeof described === "string") form.failure = described;
  else form.made = madeKey(app, form, described.audience);
  app.changed();
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
  return { apiKey, text, days: wish.days, signing: newSigning(), isRegistered: false };
}

type SignedLimitedKey = { form: RailsForm; key: LimitedKey; signature: string };

export async function registerLimitedKey(app: App, { form, key, signature }: SignedLimitedKey): Promise<void> {
  const body = JSON.stringify({ grant: grantAsSent(key.text), signature });
  const answer = await request<unknown>({ method: "POST", path: "/v1/api-keys/limited", bearer: null, body });
  if (answer.kind === "ok") {
    if (key.apiKey === null) notify(app, "good", `${key.text.bot} is held to its new rails.`);
    if (key.apiKey === null) endLimitedKey(app);
    key.isRegistered = true;
    await readKeys(app);
    return;
  }
  // The gateway refuses a grant that is older than an hour: the next signature is for a fresh one.
  if (answer.kind === "refused" && answer.code === "grant_expired") renewGrant(app, key);
  const words = answer.kind === "lost" ? "No answer. Sign again: the same grant twice is one key." : answer.message;
  form.made = { ...key, signing: { ...newSigning(), failure: words } };
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
  app.state.forms.limitedKey = { ...newRailsForm(), asksFrom, replaces: key, draft: draftOf(limits) };
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
