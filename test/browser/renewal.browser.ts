/** The agent key that comes after the one that ends, and where the page keeps a key, in a real browser. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { goTo, openBrowser, openSignedIn, openView, seriousFindings, type View } from "./support/browser.ts";
import { addKey, call, openScene, type Scene } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  const approval = await scene.postern("agent", "approval", "--days", "10");
  const signature = await scene.wallet.sign(JSON.stringify(approval["typed_data"]));
  const terms = ["--signature", signature, "--valid-until", String(approval["valid_until_ms"])];
  await scene.postern("agent", "approve", ...terms);
  // The next look at the agents comes with the next start.
  await scene.stopGateway();
  await scene.startGateway();
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await view.context.close();
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

function options() {
  return { baseUrl: scene.baseUrl, wallet: scene.wallet };
}

test("an agent with ten days left is renewed with one signature, and the old one serves until then", async () => {
  const apiKey = await addKey(scene, "trading:read,trading:write");
  const signing = async () =>
    (await call<{ agent: { name: string; valid_until: string } }>(scene, apiKey, "/v1/status")).agent;
  const before = await signing();
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await goTo(page, "Health");
  await page.getByRole("heading", { name: "Renew the agent" }).waitFor();
  await page.getByText("goes on signing").waitFor();
  expect((await signing()).name).toBe(before.name);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel("Allowed for").selectOption({ label: "30 days" });
  await page.getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText("signs from now on").waitFor();
  const after = await signing();
  expect(after.name).not.toBe(before.name);
  const days = (Date.parse(after.valid_until) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  await page.getByRole("heading", { name: "Renew the agent" }).waitFor({ state: "detached" });
});

test.each([
  ["in this browser, if it may only read", "trading:read,trading:write", false],
  ["in this browser, if it may only read", "trading:read", true],
  ["in this browser, even if it may trade", "trading:read,trading:write", true],
  [null, "trading:read,trading:write", false],
])("a key is kept as it was said: %p, %p: %p", async (choice, scopes, isKept) => {
  const apiKey = await addKey(scene, scopes);
  view = await openView(browser, options());
  const { page } = view;
  await page.goto(scene.baseUrl);
  await page.getByText("unencrypted, in its storage").waitFor();
  await page.getByLabel("API key").fill(apiKey);
  if (choice !== null) await page.getByLabel(choice).check();
  await page.getByRole("button", { name: "Sign in" }).click();
  await goTo(page, "Health");
  const kept = () => page.evaluate(() => localStorage.getItem("postern.key") !== null);
  await page.getByText(isKept ? "kept in this browser's storage" : "in this window only").waitFor();
  expect(await kept()).toBe(isKept);
  if (!isKept) return;
  await page.getByRole("button", { name: "Keep it in this window only" }).click();
  await page.getByText("in this window only: it goes").waitFor();
  expect(await kept()).toBe(false);
});
