/** What a person holds the bots to, in a real browser: STOP, and keys with rails that the owner signs. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { goTo, openBrowser, openSignedIn, seriousFindings, type View } from "./support/browser.ts";
import { addKey, call, openScene, type Scene, setUp } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let apiKey: string;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  apiKey = await setUp(scene);
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await scene.postern("resume");
  await view.context.close();
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

type Stop = { id: string; status: string; keep_protection: boolean };

async function inForce(): Promise<Stop[]> {
  return (await call<{ data: Stop[] }>(scene, apiKey, "/v1/stops")).data;
}

async function place(terms: object): Promise<{ id: string }> {
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  return call(scene, apiKey, "/v1/orders", {
    account,
    market: "BTC",
    side: "buy",
    size: "0.001",
    price: "60000",
    ...terms,
  });
}

const BANNER = { name: "Stops in force" };

test("what rests goes and what protects stays, a reload says so too, what is held is closed when asked, and the owner's signature ends it", async () => {
  const entry = { market: "ETH", size: "0.1" };
  await place({ ...entry, price: "5000", time_in_force: "ioc" });
  await place({});
  const trigger = { kind: "stop_loss", price: "1800", market: true };
  const protection = await place({ ...entry, side: "sell", price: "1500", reduce_only: true, trigger });
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl, wallet: scene.wallet }, apiKey);
  const { page } = view;
  await page.getByRole("button", { name: "STOP", exact: true }).click();
  await page.getByLabel("Keep what protects").waitFor();
  expect(await page.getByLabel("Keep what protects").isChecked()).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Stop now" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  const banner = page.getByRole("region", BANNER);
  await banner.getByText("STOPPED: this account.").waitFor();
  await banner.getByRole("link", { name: protection.id.slice(-4) }).waitFor();
  expect(await inForce()).toMatchObject([{ status: "stopped", keep_protection: true }]);
  await page.reload();
  await banner.getByText("STOPPED: this account.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel("Size").fill("0.001");
  await page.locator("input[name=price]").fill("60000");
  await page.getByRole("button", { name: "Buy 0.001 BTC" }).click();
  await page.getByText("Nothing was sent: buy 0.001 BTC at 60000").waitFor();
  await banner.getByRole("button", { name: "Close what is held…" }).click();
  await page.getByRole("dialog").getByLabel("Furthest from the best price").fill("100");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Close it now" }).click();
  await banner.getByText("nothing is held any more").waitFor();
  await banner.getByText("To trade again").click();
  expect(await banner.getByLabel("command that ends the stop", { exact: true }).textContent()).toContain(
    "postern resume --stop",
  );
  await banner.getByRole("button", { name: "Sign to end it…" }).click();
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("The stop of this account is ended. No other stop stands.").waitFor();
  await banner.waitFor({ state: "detached" });
  expect(await inForce()).toEqual([]);
});

test("a gateway that is down is asked until it answers, and nothing is said to be stopped before", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl }, apiKey);
  const { page } = view;
  await page.getByText("live", { exact: true }).waitFor();
  await scene.stopGateway("SIGKILL");
  await page.getByRole("button", { name: "STOP", exact: true }).click();
  await page.getByLabel("Cancel everything").check();
  await page.getByRole("button", { name: "Stop now" }).click();
  await page.getByText("it is not known whether trading is stopped").waitFor();
  expect(await page.getByRole("region", BANNER).count()).toBe(0);
  await scene.startGateway();
  await page.getByRole("region", BANNER).getByText("Orders that protect are canceled as well.").waitFor();
  expect((await inForce()).map(({ keep_protection: keeps }) => keeps)).toEqual([false]);
});

test("a key that may only read sees a stop that another has asked for, and has no button", async () => {
  const reader = await addKey(scene, "trading:read");
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl, width: 390 }, reader);
  const { page } = view;
  await page.getByText("live", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "STOP", exact: true }).count()).toBe(0);
  await scene.postern("stop");
  await page.getByRole("region", BANNER).getByText("this account.").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  await scene.postern("resume");
  await page.getByRole("region", BANNER).waitFor({ state: "detached" });
});

type Me = { account: string; limits: { bot: string; rails: Record<string, string> } | null };

/** What an order of one ETH at this price is answered with. */
async function orderOf(key: string, size: string): Promise<string> {
  const { account } = await call<Me>(scene, key, "/v1/whoami");
  const terms = { account, market: "ETH", side: "buy", size, price: "3000" };
  return call<{ status: string }>(scene, key, "/v1/orders", terms).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
}

/** The section of a bot's stop is open while the account's comes: what is signed is the end of the one that is read. */
async function endsTheBotsStop(page: Page, bot: string): Promise<void> {
  const { id } = await call<Stop>(scene, bot, "/v1/stop", { scope: "bot" });
  const banner = page.getByRole("region", BANNER);
  await banner.getByText("To trade again").click();
  await scene.postern("stop");
  await banner.getByText("this account.").waitFor();
  const open = banner.locator("details[open]");
  expect(await open.count()).toBe(1);
  expect(await open.textContent()).toContain(id);
  await open.getByRole("button", { name: "Sign to end it…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("the bot grid-1").waitFor();
  expect(await dialog.locator(".lines").textContent()).toContain(id);
  expect(await seriousFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("The stop of the bot grid-1 is ended. Another stop stands on, of this account.").waitFor();
  expect((await inForce()).map((stop) => stop.id)).not.toContain(id);
  await scene.postern("resume");
  await banner.waitFor({ state: "detached" });
}

/** An address for a chart's alerts, which acts as the bot: what is to be pasted is shown once. */
async function addAndEndHook(page: Page): Promise<void> {
  await page.locator("input[name=hook-market]").fill("ETH");
  await page.locator("input[name=hook-base]").fill("https://hooks.example.org/");
  await page.getByRole("button", { name: "Make a hook" }).click();
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  const address = await page.getByLabel("webhook URL", { exact: true }).textContent();
  expect(address).toMatch(/^https:\/\/hooks\.example\.org\/hooks\/hook_[0-9a-f]{64}$/);
  const message = JSON.parse((await page.getByLabel("alert message", { exact: true }).textContent()) ?? "");
  expect(message).toMatchObject({ market: "ETH", side: "{{strategy.order.action}}" });
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("button", { name: "End hook tradingview" }).click();
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("tradingview takes nothing any more.").waitFor();
  await page.getByRole("button", { name: "End hook tradingview" }).waitFor({ state: "detached" });
}

test("a bot's key is made with the rails of the form, says what a thief could lose, and is held to what was signed", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl, wallet: scene.wallet }, apiKey);
  const { page } = view;
  await goTo(page, "Bots");
  const form = page.getByRole("form", { name: "New key for a bot" });
  await form.getByText("at most 450 USD by bad prices").waitFor();
  await form.locator("input[name=markets]").fill("ETH, BTC");
  await form.locator("input[name=maxOrder]").fill("5,000");
  await form.getByText("One order: `any`, or an amount above 0").waitFor();
  expect(await form.getByRole("button", { name: "Make a limited key" }).isDisabled()).toBe(true);
  await form.locator("input[name=maxOrder]").fill("250.00");
  await form.locator("input[name=maxTurnoverPerDay]").fill("1000");
  await form.getByText("at most 210 USD by bad prices (2 % of what it opens").waitFor();
  await form.getByRole("button", { name: "Make a limited key" }).click();
  await page.getByText("line by line").waitFor();
  expect(await page.locator(".lines").textContent()).toMatch(/markets\s*BTC,ETH\s*maxOrder\s*250 USD/);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("This is the only time that the key is shown.").waitFor();
  const made = (await page.getByLabel("new API key", { exact: true }).textContent()) ?? "";
  await page.getByRole("button", { name: "I have it" }).click();
  const { limits } = await call<Me>(scene, made, "/v1/whoami");
  expect(limits).toMatchObject({ bot: "grid-1", rails: { max_order: "250 USD", markets: "BTC,ETH" } });
  await addAndEndHook(page);
  expect(await orderOf(made, "0.1")).toContain("rail_refused");
  expect(await orderOf(made, "0.01")).toBe("open");
  await page.getByText("1 of 2,000").waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  // The owner loosens it, with a wallet that is elsewhere.
  await page.getByRole("button", { name: "Change the rails of grid-1" }).click();
  // The form is drawn with what holds now: only then is it typed into.
  await page.getByRole("button", { name: "Write the new rails" }).waitFor();
  await page.locator("form.rails input[name=maxOrder]").fill("500");
  await page.getByRole("button", { name: "Write the new rails" }).click();
  await page.getByText("Hardware or offline wallet: sign elsewhere").click();
  const typedData = (await page.getByLabel("typed data", { exact: true }).textContent()) ?? "";
  expect(typedData).toContain("500 USD");
  await page.getByLabel("Signature").fill(await scene.wallet.sign(typedData));
  await page.getByRole("button", { name: "Use this signature" }).click();
  await page.getByText("grid-1 is held to its new rails.").waitFor();
  expect(await orderOf(made, "0.1")).toBe("open");

  await endsTheBotsStop(page, made);

  // Taken away again, with what it has placed.
  await page
    .getByRole("row", { name: "grid-1" })
    .getByRole("button", { name: /^Revoke/ })
    .click();
  await page.getByLabel("Cancel what it has placed").check();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText(/^Revoked [0-9a-f]{8}/).waitFor();
  await goTo(page, "Trade");
  await page.getByText("No open order.").waitFor();
});

test("on a phone, light and dark, what a bot is held to and the form for it keep nobody out", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl, width: 390 }, apiKey);
  const { page } = view;
  await goTo(page, "Bots");
  await page.getByText("A thief of this key can lose you").first().waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousFindings(page)).toEqual([]);
  }
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

test("on a phone every screen is a touch or two away, STOP is there, and nothing is too small for a finger", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl, width: 390 }, apiKey);
  const { page } = view;
  await page.emulateMedia({ reducedMotion: "reduce" });
  const foot = page.getByRole("navigation", { name: "Screens" });
  for (const name of ["Now", "Trade", "Bots", "History"]) {
    await foot.getByRole("link", { name }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor({ state: "attached" });
    expect([name, await tooSmall(page)]).toEqual([name, []]);
    expect(await page.getByRole("button", { name: "STOP" }).isVisible()).toBe(true);
  }
  for (const name of ["Fills", "TWAPs", "Account", "Health"]) {
    expect(await foot.getByRole("link", { name }).isVisible()).toBe(false);
    await foot.getByRole("button").click();
    await foot.getByRole("link", { name }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor({ state: "attached" });
    expect([await foot.getByRole("button").textContent(), await tooSmall(page)]).toEqual([name, []]);
  }
  expect(await page.evaluate("document.getAnimations().length")).toBe(0);
});

/** What is touched and is lower than 44 CSS pixels, by its words. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("button, nav a, select, input:not([type=checkbox]):not([type=radio])")]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
    .map((each) => each.textContent.trim() || each.ariaLabel || each.name)`);
}
