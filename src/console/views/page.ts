import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { KEYS } from "../figures/keyboard.ts";
import { ribbon } from "../parts/badges.ts";
import { dialog } from "../parts/dialog.ts";
import { isChecked } from "../parts/fields.ts";
import { setupScreen } from "../setup/setup-screen.ts";
import type { App } from "../state/app.ts";
import { areKeysOn, setKeys, showHelp } from "../state/pressing.ts";
import type { ScreenRoute, Session, State } from "../state/state.ts";
import { accountScreen } from "./account.ts";
import { cancelAllDialog } from "./cancel-all-dialog.ts";
import { cancelDialog } from "./cancel-dialog.ts";
import { closeDialog } from "./close-dialog.ts";
import { fillsScreen } from "./fills.ts";
import { flattenDialog } from "./flatten-dialog.ts";
import { healthScreen } from "./health.ts";
import { historyScreen } from "./history.ts";
import { endHookDialog } from "./hooks.ts";
import { keysScreen, revokeDialog } from "./keys.ts";
import { messages } from "./messages.ts";
import { modifyDialog } from "./modify-order.ts";
import { nowScreen } from "./now.ts";
import { tradeDialog } from "./open-trades.ts";
import { decideDialog } from "./proposals.ts";
import { protectDialog } from "./protect-dialog.ts";
import { resumeDialog } from "./resume-dialog.ts";
import { signInScreen } from "./sign-in.ts";
import { stopDialog } from "./stop-dialog.ts";
import { stopsInForce } from "./stops-in-force.ts";
import { storyScreen } from "./story.ts";
import { topBar } from "./top-bar.ts";
import { tradeScreen } from "./trade.ts";
import { twapsScreen } from "./twaps.ts";

type Screen = { name: string; title: string; view: (app: App) => TemplateResult };

const SCREENS: readonly Screen[] = [
  { name: "now", title: "Now", view: nowScreen },
  { name: "trade", title: "Trade", view: tradeScreen },
  { name: "bots", title: "Bots", view: keysScreen },
  { name: "history", title: "History", view: historyScreen },
  { name: "fills", title: "Fills", view: fillsScreen },
  { name: "twaps", title: "TWAPs", view: twapsScreen },
  { name: "account", title: "Account", view: accountScreen },
  { name: "health", title: "Health", view: healthScreen },
];

/** The screen of a route, or null where there is none: an order's story takes its id, and no other takes anything. */
function screenOf({ screen, argument }: ScreenRoute): Omit<Screen, "name"> | null {
  if (screen === "story") return /^[^/]+$/.test(argument) ? { title: "Order", view: storyScreen } : null;
  return argument === "" ? (SCREENS.find(({ name }) => name === screen) ?? null) : null;
}

/** What the window is called. */
export function titleOf({ setup, session, route }: State): string {
  if (setup !== null) return "Set-up – Postern";
  const found = screenOf(route);
  if (found === null) return "No such page – Postern";
  return `${session === null ? "Sign in" : found.title} – Postern`;
}

export function page(app: App): TemplateResult {
  const { setup, session } = app.state;
  const where = setup?.setup ?? session?.me ?? null;
  return html`
    <a class="skip" href="#main" @click=${skip}>To the content</a>
    ${ribbon(where)}
    ${content(app)}
    ${session === null ? nothing : html`${modifyDialog(app)}${revokeDialog(app)}${stopDialog(app)}${flattenDialog(app)}${resumeDialog(app)}${protectDialog(app)}${closeDialog(app)}${cancelDialog(app)}${cancelAllDialog(app)}${decideDialog(app)}${endHookDialog(app)}${tradeDialog(app)}${helpDialog(app)}`}`;
}

/** The fragment is the screen: jumping to the content must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function content(app: App): TemplateResult {
  const { setup, session } = app.state;
  if (setup !== null) return html`${messages(app)}${setupScreen(app, setup)}`;
  if (session === null) return screenOf(app.state.route) === null ? noSuchPage(app) : signInScreen(app);
  return html`${topBar(app)}${navigation(app)}${refusedKey(session)}${stopsInForce(app)}${messages(app)}${screen(app)}`;
}

/** Said once, above all that goes on being shown as it was. */
function refusedKey({ refused }: Session): TemplateResult | typeof nothing {
  if (refused === null) return nothing;
  return html`<p class="late" role="alert">${refused} Nothing here is up to date any more, and nothing is asked for. Sign in with another key, or reload once this one is let in again.</p>`;
}

function screen(app: App): TemplateResult {
  const found = screenOf(app.state.route);
  if (found === null) return noSuchPage(app);
  return html`<main id="main" tabindex="-1"><h1 class="hidden">${found.title}</h1>${found.view(app)}</main>`;
}

function noSuchPage({ state: { session } }: App): TemplateResult {
  const links = session === null ? [{ name: "", title: "Sign in" }] : SCREENS;
  return html`
    <main id="main" class="narrow" tabindex="-1">
      <h1>No such page</h1>
      <p class="words">The address bar says <code>${location.hash}</code>, and there is no such page here. There is:</p>
      <ul class="words">${links.map(({ name, title }) => html`<li><a href=${`#/${name}`}>${title}</a></li>`)}</ul>
    </main>`;
}

/** On a phone the first ones have a place each; behind a button are the others. */
const AT_HAND = 4;

function navigation(app: App): TemplateResult {
  const { screen: name } = app.state.route;
  const rest = SCREENS.slice(AT_HAND);
  const open = rest.find((one) => one.name === name);
  return html`
    <nav aria-label="Screens">
      ${SCREENS.map((one) => screenLink(app, one))}
      <button type="button" class="phone-only" popovertarget="more-screens" aria-current=${open === undefined ? nothing : "page"}>${open?.title ?? "More"}</button>
      <div id="more-screens" popover @click=${({ currentTarget }: Event) => currentTarget instanceof HTMLElement && currentTarget.hidePopover()}>
        ${rest.map((one) => screenLink(app, one))}
      </div>
    </nav>`;
}

function screenLink({ state: { route, status } }: App, { name, title }: Screen): TemplateResult {
  const unknown = status.value?.unknown_orders.count ?? 0;
  return html`<a href=${`#/${name}`} aria-current=${name === route.screen ? "page" : nothing}>${title}${name === "history" && unknown > 0 ? html` <span class="count">${unknown} unknown</span>` : nothing}</a>`;
}

function helpDialog(app: App): TemplateResult {
  return dialog("Keys", app.state.forms.isHelpShown ? keysHelp(app) : null, () => showHelp(app, false));
}

function keysHelp(app: App): TemplateResult {
  return html`
    <dl class="lines">${KEYS.map(([keys, words]) => html`<div><dt><kbd>${keys}</kbd></dt><dd>${words}</dd></div>`)}</dl>
    <p class="words"><label class="check"><input type="checkbox" name="keysOn" .checked=${live(areKeysOn(app))} @change=${(event: Event) => setKeys(app, isChecked(event))} /> They are heard, in this browser</label></p>`;
}
