/** From the one-time link to the first order, in a real browser with a wallet that really signs. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { approveElsewhere } from "../support/approve-elsewhere.ts";
import { openBrowser, openView, seriousFindings, type View } from "./support/browser.ts";
import { call, openScene, type Scene } from "./support/scene.ts";

const BUILDER = `0x${"bb".repeat(20)}`;

let browser: Browser;
let scene: Scene;
let view: View;

beforeAll(async () => {
  browser = await openBrowser();
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await view.context.close();
  await scene.end();
});

afterAll(() => browser.close());

async function link(): Promise<string> {
  return (await scene.postern("setup"))["setup_url"] ?? "";
}

async function open(options: { width?: number; scheme?: "light" | "dark" } = {}): Promise<Page> {
  view = await openView(browser, { baseUrl: scene.baseUrl, wallet: scene.wallet, ...options });
  await view.page.goto(await link());
  return view.page;
}

/** Reloaded, and still at this step, on which network is said and nobody is kept out. */
async function isAt(page: Page, step: string): Promise<void> {
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload();
    await page.getByRole("heading", { level: 2, name: step }).waitFor();
    expect(await page.getByText("PAPER · no real money").isVisible()).toBe(true);
  }
  expect([step, await seriousFindings(page)]).toEqual([step, []]);
}

function sign(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Sign with Test wallet" }).click();
}

function signatures(): number {
  return scene.wallet.asked.filter((method) => method === "eth_signTypedData_v4").length;
}

test("the whole way, reloaded in the middle of every step, with three signatures", async () => {
  scene = await openScene({
    hasOwner: false,
    environment: { POSTERN_BUILDER_ADDRESS: BUILDER, POSTERN_BUILDER_FEE_BPS: "2.5" },
    fund: [BUILDER],
  });
  const page = await open();
  await isAt(page, "Account");
  expect(page.url()).not.toContain("setup_");
  await page.getByLabel("Owner's address").fill(scene.wallet.address);
  await page.getByText("100,000.00").first().waitFor();
  await page.reload();
  await page.getByText("standard").waitFor();
  await page.getByRole("button", { name: "Continue with this account" }).click();

  await isAt(page, "Allow the gateway to trade");
  await page.getByLabel("Allowed for").selectOption({ label: "30 days" });
  await sign(page);

  await isAt(page, "Builder fee");
  await page.getByText("0.25 USDC for every 1,000 USDC traded").waitFor();
  await sign(page);

  await isAt(page, "API key");
  await page.getByRole("button", { name: "Make the key" }).click();
  await page.getByText("is made. It works once").waitFor();
  await isAt(page, "API key");
  await sign(page);

  await page.getByText("This is the only time that the key is shown.").waitFor();
  await isAt(page, "API key");
  const apiKey = (await page.getByLabel("new API key", { exact: true }).textContent()) ?? "";
  expect(await page.getByLabel("curl line", { exact: true }).textContent()).toContain(apiKey);
  expect(await call(scene, apiKey, "/v1/whoami")).toMatchObject({ scopes: ["trading:read", "trading:write"] });
  await page.getByRole("button", { name: "I have it" }).click();

  await page.getByText("It cannot trade").waitFor();
  await isAt(page, "Proof");
  const delay = { kind: "delay", ms: 2_000, executed: true };
  await scene.control({ faults: { rules: [{ on: "exchange", type: "order", times: 1, fault: delay }] } });
  await page.getByRole("button", { name: "Place and cancel it" }).click();
  await page.getByText("Placing…").waitFor();
  await page.reload();
  await page.getByText("It works from end to end.").waitFor();
  await page.getByRole("button", { name: "Finish set-up" }).click();
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  expect(signatures()).toBe(3);
  const { data } = await call<{ data: { status: string; filled_size: string; time_in_force: string }[] }>(
    scene,
    apiKey,
    "/v1/orders",
  );
  expect(data).toMatchObject([{ status: "canceled", filled_size: "0", time_in_force: "alo" }]);
  const { agent, builder_fee: fee } = await call<{ agent: { valid_until: string }; builder_fee: object }>(
    scene,
    apiKey,
    "/v1/status",
  );
  const days = (Date.parse(agent.valid_until) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(fee).toMatchObject({ is_approved: true });
});

test("every no is said in words with what to do, and no private key leaves the page", async () => {
  scene = await openScene({ hasOwner: false });
  const page = await open();
  const secret = `0x${"4c".repeat(32)}`;
  await page.getByLabel("Owner's address").fill(secret);
  await page.getByLabel("Owner's address").press("Enter");
  await page.getByText("A longer text may be a private key: it never belongs here.").waitFor();
  await page.getByLabel("Owner's address").fill(`0x${"12".repeat(20)}`);
  await page.getByRole("button", { name: "Continue with this account" }).waitFor();
  await page.locator(".late").first().waitFor();

  await page.getByRole("button", { name: "Use Test wallet's address" }).click();
  await page.getByText("100,000.00").first().waitFor();
  await page.getByRole("button", { name: "Continue with this account" }).click();
  await page.getByRole("heading", { level: 2, name: "Allow the gateway to trade" }).waitFor();
  scene.wallet.refusal = { code: 4_001, message: "User rejected the request." };
  await sign(page);
  await page.getByText("You declined in Test wallet.").waitFor();
  scene.wallet.refusal = { code: -32_002, message: "Already processing." };
  await sign(page);
  await page.getByText("has a request waiting already").waitFor();
  const text = `Must deposit before performing actions. User: ${scene.wallet.address}`;
  await scene.control({ faults: { rules: [{ on: "exchange", times: 1, fault: { kind: "refuse", text } }] } });
  await sign(page);
  await page.locator(".late").getByText("deposit").first().waitFor();
  await sign(page);
  await page.getByRole("heading", { level: 2, name: "API key" }).waitFor();
});

test("a hardware wallet that is elsewhere signs what is copied, on a phone, in the dark", async () => {
  scene = await openScene({ hasOwner: false });
  view = await openView(browser, { baseUrl: scene.baseUrl, width: 390, scheme: "dark" });
  const { page } = view;
  await page.goto(await link());
  await page.getByLabel("Owner's address").fill(scene.wallet.address);
  await page.getByText("100,000.00").first().waitFor();
  await page.getByRole("button", { name: "Continue with this account" }).click();
  await signElsewhere(page);
  await page.getByRole("button", { name: "Make the key" }).click();
  await page.getByText("is made. It works once").waitFor();
  await signElsewhere(page);
  await page.getByText("This is the only time that the key is shown.").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});

async function signElsewhere(page: Page): Promise<void> {
  await page.getByText("Hardware or offline wallet").click();
  const typedData = (await page.getByLabel("typed data", { exact: true }).textContent()) ?? "";
  await page.getByLabel("Signature").fill(await scene.wallet.sign(typedData));
  await page.getByRole("button", { name: "Use this signature" }).click();
}

test("the agents that are there are shown before the signature, and in red what would end one of them", async () => {
  scene = await openScene();
  // A wallet takes them with the domain's own type or without.
  const wallet = { sign: (data: object) => scene.wallet.sign(JSON.stringify(data)) };
  const page = await open();
  await page.getByText("The account has no other agent with a name.").waitFor();
  const name =
    (await page.locator("dt", { hasText: "Name" }).locator("xpath=following-sibling::dd").textContent()) ?? "";
  expect(name).toMatch(/^postern-[a-z2-7]{5}-1$/);
  await approveElsewhere(scene.exchangeUrl, "mobile", wallet);
  await approveElsewhere(scene.exchangeUrl, name, wallet);
  await isAt(page, "Allow the gateway to trade");
  await page.getByRole("cell", { name: "mobile" }).waitFor();
  await page.getByRole("alert").getByText("which is not of this gateway").waitFor();
});

test("a link is good once: a second window is told so, and the first goes on", async () => {
  scene = await openScene();
  const page = await open();
  const used = await link();
  // Pasted into the window that is open already.
  await page.goto(used);
  await page.getByRole("heading", { level: 2, name: "Allow the gateway to trade" }).waitFor();
  const other = await view.context.newPage();
  await other.goto(used);
  await other.getByText("This set-up link was used or is too old.").waitFor();
  await sign(page);
  await page.getByRole("heading", { level: 2, name: "API key" }).waitFor();
});

test("a gateway that restarts between two steps is gone on with", async () => {
  scene = await openScene();
  const page = await open();
  await page.getByRole("heading", { level: 2, name: "Allow the gateway to trade" }).waitFor();
  await scene.stopGateway("SIGKILL");
  await sign(page);
  await page
    .getByText(/did not answer/)
    .first()
    .waitFor();
  await scene.startGateway();
  await sign(page);
  await page.getByRole("button", { name: "Make the key" }).waitFor();
});

test("a price that cannot be read at the last step is said, asked for again with pauses, and by hand", async () => {
  scene = await openScene();
  const page = await open();
  await sign(page);
  await page.getByRole("button", { name: "Make the key" }).click();
  await page.getByText("is made. It works once").waitFor();
  await sign(page);
  await page.getByText("This is the only time that the key is shown.").waitFor();
  const reads = () => view.requests.filter((request) => request === "GET /v1/prices").length;
  await page.route("**/v1/prices", (route) =>
    route.fulfill({ status: 503, json: { error: { code: "exchange_unavailable", message: "No exchange." } } }),
  );
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByText("The price and your orders could not be read: No exchange.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const before = reads();
  // Well before the second of the step's own attempts, which would find the price before it is asked for by hand.
  await Bun.sleep(3_000);
  // The page itself, once signed in, asks every five seconds; the step asks after two and after four more.
  expect(reads() - before).toBeLessThanOrEqual(4);
  await page.unroute("**/v1/prices");
  await page.getByRole("button", { name: "Try again now" }).click();
  await page.getByRole("button", { name: "Place and cancel it" }).click();
  await page.getByText("It works from end to end.").waitFor();
});

test("a set-up link that is not whole is said to be so", async () => {
  scene = await openScene();
  view = await openView(browser, { baseUrl: scene.baseUrl });
  await view.page.goto((await link()).slice(0, -1));
  await view.page.getByText("This set-up link is not whole").waitFor();
});
