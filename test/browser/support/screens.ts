/** Every screen with something on it, light and dark, wide and on a phone. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { goTo, openBrowser, openSignedIn, openView } from "./browser.ts";
import { addBot, call, openScene, type Scene, setUp } from "./scene.ts";

const SCREENS = ["Now", "Trade", "Bots", "History", "Fills", "TWAPs", "Account", "Health"];
const LOOKS = [
  { name: "light", width: 1_280, height: 800, scheme: "light" },
  { name: "dark", width: 1_280, height: 800, scheme: "dark" },
  { name: "phone", width: 390, height: 844, scheme: "light" },
  { name: "phone-dark", width: 390, height: 844, scheme: "dark" },
] as const;

/** Returns the files that it wrote. */
export async function takeScreens(directory: string): Promise<string[]> {
  const browser = await openBrowser();
  try {
    return [...(await takeSetup(browser, directory)), ...(await takeDashboard(browser, directory))];
  } finally {
    await browser.close();
  }
}

async function takeDashboard(browser: Browser, directory: string): Promise<string[]> {
  // Four times every screen in a minute is more than a person opens.
  const scene = await openScene({ environment: { POSTERN_EXCHANGE_WEIGHT: "6000" } });
  try {
    const apiKey = await setUp(scene);
    await trade(scene, apiKey);
    const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
    const entry = { account, market: "ETH", side: "buy", size: "0.08", price: "3250", time_in_force: "ioc" };
    await call(scene, await addBot(scene, "grid-1", "BTC,ETH"), "/v1/orders", entry);
    const files: string[] = [];
    for (const look of LOOKS) {
      const { page, context } = await openSignedIn(browser, { baseUrl: scene.baseUrl, ...look }, apiKey);
      for (const screen of SCREENS) {
        await goTo(page, screen);
        await page.waitForTimeout(1_500);
        files.push(await take(page, join(directory, `${screen.toLowerCase()}-${look.name}.png`), true));
      }
      await goTo(page, "History");
      // On a phone the time is the way to the story.
      await page.locator("main a[href^='#/story/']:visible").first().click();
      await page.getByText("Step by step").waitFor();
      files.push(await take(page, join(directory, `story-${look.name}.png`)));
      await goTo(page, "Trade");
      await page.getByRole("button", { name: "STOP", exact: true }).click();
      files.push(await take(page, join(directory, `stop-${look.name}.png`)));
      await page.getByRole("button", { name: "Stop now" }).click();
      await page.getByText("STOPPED").waitFor();
      await page.getByText("To trade again").click();
      files.push(await take(page, join(directory, `stopped-${look.name}.png`)));
      await context.close();
      await scene.postern("resume");
      await waitingOrders(scene, apiKey, account);
    }
    return files;
  } finally {
    await scene.end();
  }
}

async function take(page: Page, file: string, fullPage = false): Promise<string> {
  await page.screenshot({ path: file, fullPage });
  return file;
}

const BUILDER = `0x${"bb".repeat(20)}`;

/** The way from the link to the last step. */
async function takeSetup(browser: Browser, directory: string): Promise<string[]> {
  const environment = { POSTERN_BUILDER_ADDRESS: BUILDER };
  const scene = await openScene({ hasOwner: false, environment, fund: [BUILDER] });
  const files: string[] = [];
  try {
    const { page, context } = await openView(browser, { baseUrl: scene.baseUrl, wallet: scene.wallet, height: 720 });
    async function shot(name: string): Promise<void> {
      await page.waitForTimeout(500);
      files.push(await take(page, join(directory, `setup-${name}.png`)));
    }
    await page.goto(scene.baseUrl);
    await page.getByLabel("API key").waitFor();
    await shot("0-sign-in");
    await page.goto((await scene.postern("setup"))["setup_url"] ?? "");
    await page.getByLabel("Owner's address").fill(scene.wallet.address);
    await page.getByText("100,000.00").first().waitFor();
    await shot("1-account");
    await page.getByRole("button", { name: "Continue with this account" }).click();
    await page.getByRole("heading", { level: 2, name: "Allow the gateway to trade" }).waitFor();
    await page.getByText("Hardware or offline wallet").click();
    await shot("2-agent");
    await page.getByRole("button", { name: "Sign with Test wallet" }).click();
    await page.getByRole("heading", { level: 2, name: "Builder fee" }).waitFor();
    await shot("3-builder");
    await page.getByRole("button", { name: "Skip: no fee" }).click();
    await page.getByRole("button", { name: "Make the key" }).waitFor();
    await shot("4-scopes");
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByRole("button", { name: "Sign with Test wallet" }).click();
    await page.getByRole("button", { name: "I have it" }).waitFor();
    await shot("5-key");
    await page.getByRole("button", { name: "I have it" }).click();
    await page.getByText("It cannot trade").waitFor();
    await page.waitForTimeout(1_000);
    await shot("6-proof");
    await context.close();
    return files;
  } finally {
    await scene.end();
  }
}

/** Orders, fills, positions, a TWAP: what a day leaves behind. */
export async function trade(scene: Scene, apiKey: string): Promise<void> {
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  async function order(terms: object): Promise<void> {
    await call(scene, apiKey, "/v1/orders", { account, ...terms });
  }
  await call(scene, apiKey, "/v1/leverage", { market: "ETH", leverage: 10, margin_type: "isolated" });
  for (const [index, side] of ["buy", "buy", "sell", "buy", "sell", "sell"].entries()) {
    const price = side === "buy" ? "5000" : "1500";
    await order({ market: "ETH", side, size: `0.${index + 3}`, price, time_in_force: "ioc" });
    await Bun.sleep(400);
  }
  await order({ market: "ETH", side: "buy", size: "2", price: "5000", time_in_force: "ioc" });
  await order({ market: "BTC", side: "sell", size: "0.05", price: "60000", time_in_force: "ioc" });
  await order({ market: "BTC", side: "buy", size: "0.01", price: "81000.5" });
  await waitingOrders(scene, apiKey, account);
  const trigger = { kind: "stop_loss", price: "2400", market: true };
  await order({ market: "ETH", side: "sell", size: "1", price: "2000", reduce_only: true, trigger });
  await order({ market: "BTC", side: "buy", size: "0.0001", price: "60000" });
  await call(scene, apiKey, "/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
}

/** Near enough to the market to be lines in the chart; a STOP takes them away. */
async function waitingOrders(scene: Scene, apiKey: string, account: string): Promise<void> {
  const resting = { market: "BTC", side: "buy", size: "0.02", price: "94100", time_in_force: "alo" };
  await call(scene, apiKey, "/v1/orders", { account, ...resting });
  const guards = { stop_loss: { trigger_price: "90000" }, take_profit: { trigger_price: "99000" } };
  const entry = { market: "BTC", side: "buy", size: "0.01", entry: { price: "94200" } };
  await call(scene, apiKey, "/v1/trades", { account, ...entry, ...guards });
}
