/** Keys that are pressed while nobody types: heard here, and told in a dialog, where they are put off as well. */
import { meaningOf } from "../figures/keyboard.ts";
import type { App } from "./app.ts";
import { parseFragment } from "./fragment.ts";
import { changeDraft } from "./order-draft.ts";

const STORE = "postern.keys";
/** Milliseconds between `g` and where to go. */
const PAIR_MS = 1_500;

export function areKeysOn({ localStorage }: App): boolean {
  return localStorage.getItem(STORE) !== "off";
}

export function setKeys(app: App, areOn: boolean): void {
  if (areOn) app.localStorage.removeItem(STORE);
  else app.localStorage.setItem(STORE, "off");
  app.changed();
}

export function showHelp(app: App, isShown: boolean): void {
  app.state.forms.isHelpShown = isShown;
  app.changed();
}

/** @param arrived follows the address bar at once: the event that tells of it comes later than the next letter may */
export function watchKeys(app: App, arrived: () => void): void {
  let waitsUntilMs = 0;
  const go = (hash: string, focus: string | null) => {
    location.hash = hash;
    arrived();
    if (focus !== null) afterDrawing(() => focusOn(focus));
  };
  addEventListener("keydown", (event) => {
    const isTyped = event.target instanceof Element && event.target.closest("input, select, textarea, dialog") !== null;
    const isAnother = event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented;
    if (isTyped || isAnother || app.state.session === null || !areKeysOn(app)) return;
    const meaning = meaningOf(event.key, app.nowMs() < waitsUntilMs);
    waitsUntilMs = meaning?.kind === "wait" ? app.nowMs() + PAIR_MS : 0;
    if (meaning === null) return;
    event.preventDefault();
    if (meaning.kind === "help") showHelp(app, true);
    if (meaning.kind === "screen") go(meaning.hash, meaning.focus);
    if (meaning.kind === "search") go(...whereToSearch());
    if (meaning.kind === "side") {
      changeDraft(app, { side: meaning.side });
      go("#/trade", "input[name=size]");
    }
  });
}

function whereToSearch(): [hash: string, focus: string] {
  const { route } = parseFragment(location.hash);
  return route.screen === "trade" ? ["#/trade", "input[name=market]"] : ["#/history", "input[name=historyText]"];
}

/** The frame that draws may have been asked for, and the one behind it comes after that. */
function afterDrawing(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

function focusOn(selector: string): void {
  const found = document.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
  if (found instanceof HTMLInputElement) found.select();
}
