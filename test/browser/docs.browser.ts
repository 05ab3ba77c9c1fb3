/** The interface as Swagger UI: offline, under the page's own policy, with Authorize and Try it out. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Browser, Locator } from "playwright-core";
import { openBrowser, openView, seriousFindings, type View } from "./support/browser.ts";
import { call, openScene, type Scene, setUp } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let apiKey: string;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  apiKey = await setUp(scene);
});

beforeEach(async () => {
  view = await openView(browser, { baseUrl: scene.baseUrl });
  await view.page.goto(`${scene.baseUrl}/docs`);
  await view.page.locator("h1.title").waitFor();
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await view.context.close();
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

async function authorize(): Promise<void> {
  const { page } = view;
  await page.locator(".scheme-container").getByRole("button", { name: "Authorize" }).click();
  const dialog = page.locator(".modal-ux");
  await dialog.locator("input").first().fill(apiKey);
  await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
  await dialog.getByRole("button", { name: "Close" }).first().click();
}

/** Opens an operation and lets it be tried. */
async function open(name: string): Promise<Locator> {
  const operation = view.page.locator(`[id$="-${name}"]`);
  await operation.locator(".opblock-summary").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  return operation;
}

test("the guide, every chapter and every route are there, nobody else is asked, and nothing keeps people out", async () => {
  const { page } = view;
  for (const title of ["Writes", "Quotas", "How old an answer is", "Paging", "Errors"]) {
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
  }
  await page.locator('[data-path="/v1/orders"]').first().waitFor();
  expect(await page.locator(".opblock").count()).toBeGreaterThan(40);
  expect(await page.locator(".errors-wrapper").count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
});

test("Try it out is the gateway's own 401 without a key, and reads the account with one, which stays in the window", async () => {
  const { page } = view;
  const operation = await open("get_account");
  const answer = operation.locator(".live-responses-table .response");
  await operation.getByRole("button", { name: "Execute" }).click();
  await answer.locator(".response-col_status").getByText("401").waitFor();
  await authorize();
  await operation.getByRole("button", { name: "Execute" }).click();
  await answer.locator(".response-col_status").getByText("200").waitFor();
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  expect(await answer.locator(".response-col_description").textContent()).toContain(account);
  const stored: string = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  );
  expect(stored).toBe('[{},{},""]');
  await page.reload();
  await page.locator(".scheme-container .unlocked").waitFor();
});
