/** Debian's chromium, and what is watched on every page: other hosts, policy violations, errors. */
import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { injectWallet, type TestWallet } from "./wallet.ts";

export const CHROMIUM = "/usr/bin/chromium";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A profile of its own in a temporary directory, gone when it is closed. */
export function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no ${CHROMIUM}: apt-get install chromium`);
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}

export type View = {
  page: Page;
  context: BrowserContext;
  /** What must stay empty. */
  faults: string[];
  /** Paths that were asked for. */
  requests: string[];
};

export type ViewOptions = {
  baseUrl: string;
  wallet?: TestWallet;
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
};

/** What does not come in this time does not come, on a slow machine either, milliseconds: Swagger UI takes ten seconds to draw its document on one. */
const LONGEST_WAIT_MS = 25_000;

export async function openView(browser: Browser, options: ViewOptions): Promise<View> {
  const { baseUrl, wallet, width = 1_280, height = 800, scheme = "light" } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  if (wallet !== undefined) await injectWallet(context, wallet);
  const page = await context.newPage();
  const view: View = { page, context, faults: [], requests: [] };
  context.on("request", (request) => {
    const url = new URL(request.url());
    view.requests.push(`${request.method()} ${url.pathname}`);
    if (url.protocol !== "data:" && url.origin !== new URL(baseUrl).origin) view.faults.push(`asked ${url.origin}`);
  });
  page.on("console", (message) => {
    if (/Content.Security.Policy|Refused to|violates/i.test(message.text())) view.faults.push(message.text());
  });
  page.on("pageerror", (error) => view.faults.push(`${error.message} ${error.stack ?? ""}`));
  page.on("dialog", (dialog) => {
    view.faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return view;
}

/** Signed in, with the first figures there. */
export async function openSignedIn(browser: Browser, options: ViewOptions, apiKey: string): Promise<View> {
  const view = await openView(browser, options);
  await view.page.goto(`${options.baseUrl}/#key=${apiKey}`);
  await view.page.getByRole("navigation", { name: "Screens" }).waitFor();
  // By the address bar: the focus stays where a page begins.
  await view.page.evaluate('location.hash = "#/trade"');
  return view;
}

export async function goTo(page: Page, screen: string): Promise<void> {
  const screens = page.getByRole("navigation", { name: "Screens" });
  const link = screens.getByRole("link", { name: screen });
  // Whether something is seen is not waited for.
  await screens.getByRole("link").first().waitFor();
  // On a phone some are behind a button.
  if (!(await link.isVisible())) await screens.getByRole("button").click();
  await link.click();
}

/** What axe-core finds that keeps people out: serious and critical. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Handed over as expressions: the page's own policy lets no script in.
  await page.evaluate(axe.source);
  const found: axe.AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .join(" ")
          .slice(0, 400)}`,
    );
}

/** Until that is true in the page, whose own policy lets no script in that asks again by itself. */
export async function until(page: Page, expression: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await page.evaluate<boolean>(expression)) return;
    await page.waitForTimeout(TRY_AGAIN_MS);
  }
  throw new Error(`it does not come to be that ${expression}`);
}

const MAX_TRIES = 200;
const TRY_AGAIN_MS = 50;
