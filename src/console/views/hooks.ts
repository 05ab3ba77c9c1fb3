/** Addresses for the alerts of charts: which there are, what comes to them, and a new one with the text to be pasted. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { alertText } from "../../core/hook/alert-text.ts";
import { HOOK_MODES } from "../../core/hook/hook.ts";
import { hookRevocationTypedData, hookTypedData } from "../../wire/grant-data.ts";
import type { ApiHook } from "../api/resources.ts";
import { ageOf, NOTHING, shortId } from "../figures/format.ts";
import { state } from "../parts/badges.ts";
import { copyable } from "../parts/copy.ts";
import { dialog } from "../parts/dialog.ts";
import { choice, isChecked, typed } from "../parts/fields.ts";
import { ownersWord } from "../parts/owners-word.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { type HookDraft, type MadeHook, newSigning } from "../state/forms.ts";
import { botOfHook, endHook, forgetHook, hookWishOf, keysForHooks, makeHook, registerHook } from "../state/hooks.ts";
import { ownerOf } from "../state/session.ts";
import { standingHook } from "../state/standing.ts";
import { hashOfKey } from "../wallet/make-key.ts";

export function hooksSection(app: App): TemplateResult {
  const content = whenLoaded(app.state.hooks, (hooks) =>
    table({ caption: "Hooks", columns: columnsOf(app), rows: hooks, id: ({ id }) => id, empty: "No hook." }),
  );
  return section("Hooks", content, "addresses for alerts of charts; each acts as a bot, within its rails");
}

function columnsOf(app: App): readonly Column<ApiHook>[] {
  const { nowMs } = app.state;
  return [
    { name: "Hook", cell: ({ name }) => name },
    { name: "Acts as", cell: ({ bot, key_hash: hash }) => bot ?? shortId(hash) },
    { name: "Mode", rank: 2, cell: ({ mode, rehearsal }) => (rehearsal ? `${mode}, rehearsal` : mode) },
    { name: "Market", rank: 2, cell: ({ market }) => market ?? "each names one" },
    { name: "Last alert", rank: 2, cell: (hook) => lastAlert(hook, nowMs) },
    { name: "State", cell: (hook) => state(hook.state) },
    { name: "", cell: (hook) => endButton(app, hook) },
  ];
}

function lastAlert(hook: ApiHook, nowMs: number): TemplateResult | string {
  const { last_alert_at: at, last_alert_status: status, last_alert_reason: reason } = hook;
  if (at === null || status === null) return NOTHING;
  return html`${ageOf(at, nowMs)} ago: <span class="reason" title=${reason ?? ""}>${status.replaceAll("_", " ")}</span>`;
}

function endButton(app: App, hook: ApiHook): TemplateResult | typeof nothing {
  if (hook.state === "revoked") return nothing;
  function open(): void {
    app.state.forms.hook.ending = { hook, signing: newSigning() };
    app.changed();
  }
  return html`<button type="button" aria-label=${`End hook ${hook.name}`} @click=${open}>End…</button>`;
}

export function newHookSection(app: App): TemplateResult {
  const { made } = app.state.forms.hook;
  return section("New hook", made === null ? wished(app) : granted(app, made), "where a chart sends its alerts");
}

const MODE_WORDS = { order: "each alert is an order", target: "an alert says what to hold" } as const;

function wished(app: App): TemplateResult {
  const { hook: form } = app.state.forms;
  const { draft } = form;
  const keys = keysForHooks(app);
  const wish = hookWishOf(app, draft);
  function change(change: Partial<HookDraft>): void {
    Object.assign(draft, change);
    form.isTouched = true;
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    makeHook(app);
  }
  const text = textFields(draft, change);
  const bots = keys.map(({ key_hash: hash, limits }) => [hash, limits?.bot ?? shortId(hash)] as const);
  const chosen = keys.some(({ key_hash: hash }) => hash === draft.keyHash) ? draft.keyHash : (bots[0]?.[0] ?? "");
  return html`
    <form class="rails" @submit=${submit} aria-label="New hook" autocomplete="off">
      ${text("name", "Hook", "a-z, 0-9 and -")}
      ${choice({ words: "Acts as bot", name: "hookBot", value: chosen, options: bots }, (keyHash) => change({ keyHash }))}
      ${choice({ words: "Mode", name: "hookMode", value: draft.mode, options: HOOK_MODES.map((mode) => [mode, MODE_WORDS[mode]] as const) }, (mode) => change({ mode }))}
      ${text("market", "Only market", "or each its own")}
      ${text("maxAgeS", "Oldest alert", "seconds")}
      ${text("sameWithinS", "Repeats are one", "seconds")}
      ${text("slippageBps", "Slippage", "bps at most")}
      ${text("sources", "Comes from", "or anywhere")}
      ${text("base", "Hooks are at", "https")}
      <label class="check wide"><input type="checkbox" name="isRehearsal" .checked=${live(draft.isRehearsal)} @change=${(event: Event) => change({ isRehearsal: isChecked(event) })} /> Rehearsal: keep what comes, and carry nothing out</label>
      <div class="wide" aria-live="polite">${wish.kind === "fault" && (form.isTouched || keys.length === 0) ? html`<p class="late">${wish.words}.</p>` : nothing}</div>
      <div class="buttons wide"><button class="primary" ?disabled=${wish.kind === "fault"}>Make a hook</button></div>
    </form>`;
}

type TextName = Exclude<keyof HookDraft, "isRehearsal" | "keyHash" | "mode">;

function textFields(draft: HookDraft, change: (change: Partial<HookDraft>) => void) {
  return (name: TextName, words: string, hint: string): TemplateResult => html`
    <label><span>${words} <small>${hint}</small></span>
      <input name=${`hook-${name}`} spellcheck="false" .value=${live(draft[name])} @input=${(event: Event) => change({ [name]: typed(event) })} />
    </label>`;
}

function granted(app: App, made: MadeHook): TemplateResult {
  const { hook, account, secret, issuedAtMs } = made;
  if (made.isRegistered) return shownOnce(app, made);
  return html`
    <p class="words">An address for <strong>${hook.name}</strong> is ready, which acts as <strong>${botOfHook(app, made) ?? shortId(hook.keyHash)}</strong>. It works once the owner has signed what it may do.</p>
    ${ownersWord(app, {
      signing: made.signing,
      owner: ownerOf(app),
      purpose: "grant the hook",
      withdrawn: () => withdrawnHook(app, made),
      write: (audience) =>
        hookTypedData({ audience, accountId: account, hook, secretHash: hashOfKey(secret), issuedAtMs }),
      signed: (signature) => registerHook(app, made, signature),
    })}
    <button type="button" @click=${() => backToForm(app)}>Back to the form</button>`;
}

/** As which it would act is there no more. */
function withdrawnHook(app: App, made: MadeHook): string | null {
  return botOfHook(app, made) === null ? "The key of the bot as which it would act opens nothing any more." : null;
}

function backToForm(app: App): void {
  app.state.forms.hook.made = null;
  app.changed();
}

function shownOnce(app: App, { hook, secret }: MadeHook): TemplateResult {
  const given = app.state.forms.hook.draft.base;
  const base = given.endsWith("/") ? given.slice(0, -1) : given;
  const address = `${base}/hooks/${secret}`;
  return html`
    <p class="words"><strong>This is the only time that the address is shown.</strong> Whoever has it can do what the bot may do.</p>
    <p class="words">In the alert, as its webhook URL:</p>
    ${copyable(address, "webhook URL")}
    <p class="words">And as its message:</p>
    ${copyable(alertText(hook), "alert message")}
    ${base === "" ? html`<p class="note">Before it goes how the sender reaches the port of the hooks: what <code>POSTERN_HOOKS_LISTEN</code> says, behind your own name.</p>` : nothing}
    <button type="button" class="primary" @click=${() => forgetHook(app)}>I have it</button>`;
}

export function endHookDialog(app: App): TemplateResult {
  const { ending } = app.state.forms.hook;
  const content = ending === null ? null : endContent(app, ending);
  return dialog("End a hook", content, () => {
    app.state.forms.hook.ending = null;
    app.changed();
  });
}

function endContent(app: App, ending: NonNullable<App["state"]["forms"]["hook"]["ending"]>): TemplateResult {
  const { hook, signing } = ending;
  return html`
    <p class="words">For good: <strong>${hook.name}</strong> takes no alert any more, and what was not carried out yet goes with it. Orders stay. To hold the bot back and keep the hook, pause the bot.</p>
    ${ownersWord(app, {
      signing,
      owner: ownerOf(app),
      purpose: "end the hook",
      withdrawn: () => standingHook(app.state, hook).changed,
      write: (audience) => hookRevocationTypedData({ audience, accountId: hook.account, hookId: hook.id }),
      signed: (signature) => endHook(app, ending, signature),
    })}`;
}
