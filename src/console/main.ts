/** The owner's page: one state, drawn whole, at most once a frame. */
import { render } from "lit-html";
import { openSetup } from "./setup/steps.ts";
import type { App } from "./state/app.ts";
import { takeFragment } from "./state/fragment.ts";
import { beginHooks } from "./state/hooks.ts";
import { beginLimitedKey } from "./state/limited-key.ts";
import { watchMarket } from "./state/market-live.ts";
import { watchKeys } from "./state/pressing.ts";
import { readStory } from "./state/read.ts";
import { beginRenewal } from "./state/renewal.ts";
import { resumeSession, signIn } from "./state/session.ts";
import { emptyState } from "./state/state.ts";
import { beginHistory } from "./state/timeline.ts";
import { page, titleOf } from "./views/page.ts";
import { watchWallets } from "./wallet/discover.ts";

/** Milliseconds between two drawings of what only grows older. */
const CLOCK_MS = 1_000;

/** A browser sends no form whose button is barred: they must not find it as it was before the last digit. */
const SENDING_KEYS: ReadonlySet<string> = new Set(["Enter", " "]);

function start(root: HTMLElement): void {
  const state = emptyState(Date.now(), sessionStorage);
  let isDue = false;
  function draw(): void {
    isDue = false;
    state.nowMs = Date.now();
    document.title = titleOf(state);
    render(page(app), root);
  }
  function drawIfDue(): void {
    if (isDue) draw();
  }
  const app: App = {
    state,
    sessionStorage,
    localStorage,
    nowMs: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    changed() {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(drawIfDue);
    },
  };
  root.replaceChildren();
  open(app);
  draw();
  setInterval(app.changed, CLOCK_MS);
  addEventListener("hashchange", () => arrive(app));
  addEventListener("resize", app.changed);
  addEventListener("keydown", ({ key }) => SENDING_KEYS.has(key) && drawIfDue(), { capture: true });
  watchKeys(app, () => arrive(app));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", app.changed);
  watchWallets((wallets) => {
    state.wallets = wallets;
    app.changed();
  });
}

function open(app: App): void {
  openSetup(app, null);
  if (!arrive(app)) void resumeSession(app);
}

/** At the start, and when a link is pasted into a page that is open already. True when it brought a key to sign in with. */
function arrive(app: App): boolean {
  const { key, link } = follow(app);
  if (link !== null) openSetup(app, link);
  if (key !== null) void signIn(app, key, "window");
  return key !== null;
}

/** Reads the address bar; what is secret in it is taken out at once. */
function follow(app: App): { key: string | null; link: string | null } {
  const before = app.state.route;
  const { route, key, link } = takeFragment();
  app.state.route = route;
  const isNew = route.screen !== before.screen || route.argument !== before.argument;
  if (route.screen === "story" && (isNew || app.state.story.id === null)) void readStory(app, route.argument);
  beginRenewal(app);
  beginLimitedKey(app);
  beginHooks(app);
  watchMarket(app);
  if (isNew) void beginHistory(app);
  if (isNew) scrollTo(0, 0);
  app.changed();
  return { key, link };
}

const root = document.getElementById("page");
if (root !== null) start(root);
