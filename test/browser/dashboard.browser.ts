import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { goTo, openBrowser, openSignedIn, seriousFindings, until, type View } from "./support/browser.ts";
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

test("a trigger that is met already is warned of before it is sent, and fires at once", async () => {
  await cancelAll();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await fillIn("0.001", "60000");
  await page.locator("select[name=trigger]").selectOption("stop_loss");
  await page.locator("input[name=triggerMarket]").setChecked(false);
  const warning = page.getByText("it fires at once");
  // Bought when the price has risen to it.
  await page.locator("input[name=triggerPrice]").fill("60000");
  await warning.waitFor();
  await page.locator("input[name=triggerPrice]").fill("600000");
  await warning.waitFor({ state: "hidden" });
  await page.locator("input[name=triggerPrice]").fill("60000");
  await warning.waitFor();
  await page.getByRole("button", { name: "Buy 0.001 BTC" }).click();
  // It has fired and rests at its price.
  await page.getByRole("region", { name: "Open orders" }).getByText("60,000").first().waitFor();
  expect(await openOrders()).toMatchObject([{ price: "60000", status: "open" }]);
  await cancelAll();
});

test("an order at market is bought at no worse than was shown, and many are canceled after one question", async () => {
  await cancelAll();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  for (const price of ["50001", "50002"])
    await call(scene, apiKey, "/v1/orders", { account, market: "BTC", side: "buy", size: "0.001", price });
  await page.getByText("At market", { exact: true }).click();
  await page.getByLabel("Size", { exact: false }).first().fill("0.0019");
  const shown = await page.getByText(/^Worst price as of now/).textContent();
  await page.getByRole("button", { name: "Buy 0.0019 BTC at market" }).click();
  await page.getByText("buy 0.0019 BTC at market: filled").waitFor();
  const [order] = (await call<{ data: (Order & { average_price: string })[] }>(scene, apiKey, "/v1/orders?limit=1"))
    .data;
  const worst = Number(/[0-9,]+/.exec(shown ?? "")?.[0].replaceAll(",", ""));
  // The market moves between the two, by far less than the slippage.
  expect(Math.abs(Number(order?.price) / worst - 1)).toBeLessThan(0.004);
  await page.getByLabel("Choose all open orders").click();
  await page.getByRole("button", { name: "Cancel 2 selected…" }).click();
  await page.getByRole("dialog").getByText("buy 0.001 BTC at 50002").waitFor();
  await page.getByRole("button", { name: "Cancel 2", exact: true }).click();
  await page.getByText("No open order.").waitFor();
  expect(await openOrders()).toEqual([]);
  await page.getByRole("button", { name: "Close BTC" }).click();
  await page.getByRole("button", { name: "Close 100 %" }).click();
  await page.getByRole("button", { name: "Close BTC" }).waitFor({ state: "detached" });
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
  await goTo(page, "History");
  await page.getByText("<img src=x").first().waitFor();
  await page
    .getByRole("link", { name: /^Explain/ })
    .first()
    .click();
  await page.getByText("Story of an order").waitFor();
  await page.getByText("<img src=x").first().waitFor();
  expect(await page.locator("img").count()).toBe(0);
});

test("what another client does is seen at once, and a restart of the gateway loses none of it", async () => {
  await cancelAll();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  await page.getByText("live", { exact: true }).waitFor();
  const terms = { account, market: "BTC", side: "buy", price: "61234" };
  await call(scene, apiKey, "/v1/orders", { ...terms, size: "0.0021" });
  const orders = page.getByRole("region", { name: "Open orders" });
  await orders.getByText("0.0021").waitFor({ timeout: 2_000 });
  await scene.stopGateway();
  await page.getByText(/^not live for/).waitFor();
  await scene.startGateway();
  await call(scene, apiKey, "/v1/orders", { ...terms, size: "0.0022" });
  await page.getByText("live", { exact: true }).waitFor();
  await orders.getByText("0.0022").waitFor({ timeout: 4_000 });
  await call(scene, apiKey, "/v1/orders", {
    account,
    market: "ETH",
    side: "buy",
    size: "0.31",
    price: "5000",
    time_in_force: "ioc",
  });
  await goTo(page, "Fills");
  await page.getByRole("region", { name: "Fills", exact: true }).getByText("0.31").waitFor();
  await page.getByText("(this page's)").waitFor();
});

test("a key is made, granted and revoked by the owner's wallet, and the wallet's no is said in words", async () => {
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await goTo(page, "Bots");
  await page.getByRole("checkbox", { name: /^trading:write/ }).uncheck();
  await page.getByRole("button", { name: "Make a key" }).click();
  scene.wallet.refusal = { code: 4_001, message: "User rejected the request." };
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("You declined in Test wallet.").waitFor();
  scene.wallet.isElsewhere = true;
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText(/^Test wallet is open with 0x1111/).waitFor();
  scene.wallet.isElsewhere = false;
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("This is the only time that the key is shown.").waitFor();
  const made = (await page.getByLabel("new API key", { exact: true }).textContent()) ?? "";
  expect(await call(scene, made, "/v1/whoami")).toMatchObject({ scopes: ["trading:read"] });
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByText(made).first().waitFor({ state: "detached" });
  const hash = new Bun.CryptoHasher("sha256").update(made).digest("hex");
  await page.getByRole("button", { name: `Revoke ${hash.slice(0, 8)}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText(`Revoked ${hash.slice(0, 8)}`).waitFor();
  expect(call(scene, made, "/v1/whoami")).rejects.toThrow("revoked_api_key");
});

test("a signature from elsewhere is pasted, and a private key is not taken", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl }, apiKey);
  const { page } = view;
  await goTo(page, "Bots");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByText("No wallet has announced itself").waitFor();
  await page.getByText("Hardware or offline wallet").click();
  const typedData = (await page.getByLabel("typed data", { exact: true }).textContent()) ?? "";
  await page.getByLabel("Signature").fill(`0x${"ab".repeat(32)}`);
  await page.getByRole("button", { name: "Use this signature" }).click();
  await page.getByText("A private key never belongs here.").waitFor();
  await page.getByLabel("Signature").fill(await scene.wallet.sign(typedData));
  await page.getByRole("button", { name: "Use this signature" }).click();
  await page.getByText("This is the only time that the key is shown.").waitFor();
});

test("everything is reached and done by the keyboard alone, and the focus is seen", async () => {
  await cancelAll();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  const { keyboard } = page;
  await page.getByText("live", { exact: true }).waitFor();
  await keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("To the content");
  await keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await tabTo(page, "size");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  expect(outline).toBe("solid");
  await keyboard.type("0.0031");
  await tabTo(page, "price");
  expect(await isBarredAfter(page, "60000")).toBe(false);
  await keyboard.press("Enter");
  await page.getByText("buy 0.0031 BTC at 60000: open").waitFor();
  await tabTo(page, "Modify buy 0.0031 BTC at 60000");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("Modify buy 0.0031 BTC at 60000");
  await tabTo(page, "Cancel buy 0.0031 BTC at 60000");
  await keyboard.press("Space");
  await page.getByRole("button", { name: "Cancel buy 0.0031 BTC at 60000" }).waitFor({ state: "detached" });
});

test("letters go where the help says, unless somebody types, and can be put off", async () => {
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  const { keyboard } = page;
  await page.getByText("live", { exact: true }).waitFor();
  const focusIs = (name: string) =>
    until(page, `(document.activeElement.name || document.activeElement.ariaLabel) === ${JSON.stringify(name)}`);
  const sideIs = (side: string) =>
    until(page, `document.querySelector("input[name=side]:checked")?.value === "${side}"`);
  const screenIs = (hash: string) => until(page, `location.hash === "${hash}"`);
  await keyboard.press("g");
  await keyboard.press("h");
  await screenIs("#/history");
  await keyboard.press("/");
  await focusIs("historyText");
  await keyboard.type("bs?/g");
  expect(await page.getByLabel("Text").inputValue()).toBe("bs?/g");
  expect(await page.evaluate("location.hash")).toBe("#/history");
  await page.evaluate("document.activeElement.blur()");
  await keyboard.press("s");
  await screenIs("#/trade");
  await focusIs("size");
  await sideIs("sell");
  await page.evaluate("document.activeElement.blur()");
  await keyboard.press("b");
  await sideIs("buy");
  await focusIs("size");
  await page.evaluate("document.activeElement.blur()");
  await keyboard.press("/");
  await focusIs("market");
  await page.evaluate("document.activeElement.blur()");
  await keyboard.press("g");
  await keyboard.press("b");
  await screenIs("#/bots");
  await keyboard.press("g");
  await keyboard.press("o");
  await screenIs("#/trade");
  // Though there are none.
  await until(page, 'document.activeElement.id === "section-open-orders"');
  // However fast they come: the address is followed before the browser tells of it.
  await press(page, "g", "h", "/");
  await screenIs("#/history");
  await focusIs("historyText");
  await page.evaluate("document.activeElement.blur()");
  await press(page, "g", "t", "/");
  await screenIs("#/trade");
  await focusIs("market");
  await page.evaluate("document.activeElement.blur()");
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByLabel("They are heard, in this browser").uncheck();
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await keyboard.press("g");
  await keyboard.press("h");
  await page.waitForTimeout(300);
  expect(await page.evaluate("location.hash")).toBe("#/trade");
});

/** All of them in one task of the page. */
function press(page: Page, ...keys: string[]): Promise<void> {
  return page.evaluate(`for (const key of ${JSON.stringify(keys)})
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));`);
}

/** Whether the form's button is barred when Enter comes in the same frame as what was typed last. */
function isBarredAfter(page: Page, typed: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const input = document.activeElement;
    input.value = ${JSON.stringify(typed)};
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    return input.form.querySelector("button.primary").disabled;
  })()`);
}

function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.name || document.activeElement.ariaLabel || ''");
}

/** Presses of Tab until everything was reached. */
const MAX_TABS = 120;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${name} is not reached by Tab`);
}

const SCREENS = ["Now", "Trade", "Bots", "History", "Fills", "TWAPs", "Account", "Health"];

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
    await page.waitForTimeout(100);
    expect([screen, await seriousFindings(page)]).toEqual([screen, []]);
    expect([screen, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([screen, width]);
    expect(await page.getByText("PAPER · no real money").isVisible()).toBe(true);
  }
});

test("a mistyped page says so, signed in or not, and leads on; a story is read after a reload", async () => {
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  for (const typed of ["#/ordres", "#orders", "#/orders/12", "#/story"]) {
    await page.goto(`${scene.baseUrl}/${typed}`);
    await page.getByRole("heading", { level: 1, name: "No such page" }).waitFor();
    await page.getByText(typed, { exact: true }).waitFor();
  }
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("main").getByRole("link", { name: "Trade" }).click();
  await fillIn("0.001", "60000");
  await page.getByRole("button", { name: "Buy 0.001 BTC" }).click();
  await page.getByText("buy 0.001 BTC at 60000: open").waitFor();
  const [order] = await openOrders();
  await page.goto(`${scene.baseUrl}/#/story/${order?.id}`);
  await page.getByRole("heading", { name: "Step by step" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Step by step" }).waitFor();
  const other = await view.context.newPage();
  await other.goto(`${scene.baseUrl}/ordres`);
  await other.getByRole("heading", { name: "No such page" }).waitFor();
  await other.getByRole("link", { name: "the owner's page" }).click();
  await other.goto(`${scene.baseUrl}/#/ordres`);
  await other.getByRole("link", { name: "Sign in" }).click();
  await other.getByLabel("API key").waitFor();
});
