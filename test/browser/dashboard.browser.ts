import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { goTo, openBrowser, openSignedIn, seriousFindings, type View } from "./support/browser.ts";
import { call, openScene, type Scene, setUp } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let apiKey: string;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  apiKey = await setUp(scene);
});

afterEach(async () => {
  await scene.control({ faults: { rules: [] } });
  expect(view.faults).toEqual([]);
  await view.context.close();
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

/** Reads of one account are shared for this long, milliseconds. */
const SHARED_MS = 1_100;

type Order = { id: string; status: string; price: string };

/** What the exchange has, read later than anything that was seen before. */
async function openOrders(): Promise<Order[]> {
  await Bun.sleep(SHARED_MS);
  return (await call<{ data: Order[] }>(scene, apiKey, "/v1/orders?status=open")).data;
}

async function cancelAll(): Promise<void> {
  for (const { id } of await openOrders()) await call(scene, apiKey, `/v1/orders/${id}/cancel`, {});
}

async function fillIn(size: string, price: string): Promise<void> {
  await view.page.getByLabel("Size", { exact: false }).first().fill(size);
  await view.page.getByLabel("Price", { exact: false }).first().fill(price);
}

function options() {
  return { baseUrl: scene.baseUrl, wallet: scene.wallet };
}

test("an order is placed, modified and canceled, and each is seen without a reload", async () => {
  await cancelAll();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await fillIn("0.001", "60000");
  await page.getByRole("button", { name: "Buy 0.001 BTC" }).click();
  await page.getByText("buy 0.001 BTC at 60000: open").waitFor();
  const row = page.getByRole("region", { name: "Open orders" }).getByRole("row").nth(1);
  expect(await row.textContent()).toContain("60,000");
  await page.getByRole("button", { name: /^Modify buy/ }).click();
  await page.getByLabel("New price").fill("61000");
  await page.getByRole("dialog").getByRole("button", { name: "Modify" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("region", { name: "Open orders" }).getByText("61,000").waitFor();
  expect((await openOrders()).map(({ price }) => price)).toEqual(["61000"]);
  await page.getByRole("button", { name: /^Cancel buy/ }).click();
  await page.getByText("No open order.").waitFor();
  expect(await openOrders()).toEqual([]);
});

test("what the exchange says is text, whatever it looks like", async () => {
  const text = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  await scene.control({
    faults: { rules: [{ on: "exchange", type: "order", times: 1, fault: { kind: "refuse", text } }] },
  });
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await fillIn("0.001", "60000");
  await page.getByRole("button", { name: "Buy 0.001 BTC" }).click();
  await page.getByText("<img src=x").first().waitFor();
  await goTo(page, "Orders");
  await page.getByText("<img src=x").first().waitFor();
  await page
    .getByRole("link", { name: /^Explain/ })
    .first()
    .click();
  await page.getByText("Story of an order").waitFor();
  await page.getByText("<img src=x").first().waitFor();
  expect(await page.locator("img").count()).toBe(0);
});

const SCREENS = ["Trade", "Account", "Orders", "Fills", "TWAPs", "Keys", "Health"];

test.each([
  { width: 1_280, scheme: "light" },
  { width: 1_280, scheme: "dark" },
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
] as const)("no screen keeps anybody out or is wider than the window: $width, $scheme", async ({ width, scheme }) => {
  view = await openSignedIn(browser, { ...options(), width, scheme }, apiKey);
  const { page } = view;
  for (const screen of SCREENS) {
    await goTo(page, screen);
    await page.getByRole("heading", { level: 1, name: screen }).waitFor();
    await page.waitForTimeout(300);
    expect([screen, await seriousFindings(page)]).toEqual([screen, []]);
    expect([screen, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([screen, width]);
    expect(await page.getByText("PAPER · no real money").isVisible()).toBe(true);
  }
});
