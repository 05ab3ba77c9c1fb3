import { html, nothing, type TemplateResult } from "lit-html";
import { ribbon } from "../parts/badges.ts";
import { setupScreen } from "../setup/setup-screen.ts";
import type { App } from "../state/app.ts";
import { accountScreen } from "./account.ts";
import { fillsScreen } from "./fills.ts";
import { healthScreen } from "./health.ts";
import { historyScreen } from "./history.ts";
import { keysScreen, revokeDialog } from "./keys.ts";
import { messages } from "./messages.ts";
import { modifyDialog } from "./modify-order.ts";
import { signInScreen } from "./sign-in.ts";
import { storyScreen } from "./story.ts";
import { topBar } from "./top-bar.ts";
import { tradeScreen } from "./trade.ts";
import { twapsScreen } from "./twaps.ts";

type Screen = { name: string; title: string; view: (app: App) => TemplateResult };

const SCREENS: readonly Screen[] = [
  { name: "trade", title: "Trade", view: tradeScreen },
  { name: "account", title: "Account", view: accountScreen },
  { name: "orders", title: "Orders", view: historyScreen },
  { name: "fills", title: "Fills", view: fillsScreen },
  { name: "twaps", title: "TWAPs", view: twapsScreen },
  { name: "keys", title: "Keys", view: keysScreen },
  { name: "health", title: "Health", view: healthScreen },
];

export function page(app: App): TemplateResult {
  const { setup, session } = app.state;
  const where = setup?.setup ?? session?.me ?? null;
  return html`
    <a class="skip" href="#main" @click=${skip}>To the content</a>
    ${ribbon(where)}
    ${content(app)}
    ${session === null ? nothing : html`${modifyDialog(app)}${revokeDialog(app)}`}`;
}

/** The fragment is the screen: jumping to the content must not change it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function content(app: App): TemplateResult {
  const { setup, session } = app.state;
  if (setup !== null) return html`${messages(app)}${setupScreen(app, setup)}`;
  if (session === null) return signInScreen(app);
  return html`${topBar(app)}${navigation(app)}${messages(app)}${screen(app)}`;
}

function screen(app: App): TemplateResult {
  const { screen: name } = app.state.route;
  const found = SCREENS.find((one) => one.name === name);
  const title = found?.title ?? "Order";
  document.title = `${title} – Postern`;
  return html`<main id="main" tabindex="-1"><h1 class="hidden">${title}</h1>${(found?.view ?? storyScreen)(app)}</main>`;
}

function navigation(app: App): TemplateResult {
  const { screen: name } = app.state.route;
  const unknown = app.state.status.value?.unknown_orders.count ?? 0;
  return html`
    <nav aria-label="Screens">
      ${SCREENS.map((one) => html`<a href=${`#/${one.name}`} aria-current=${one.name === name ? "page" : nothing}>${one.title}${one.name === "orders" && unknown > 0 ? html` <span class="count">${unknown} unknown</span>` : nothing}</a>`)}
    </nav>`;
}
