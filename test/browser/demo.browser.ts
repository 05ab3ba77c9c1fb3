/** The demo of `serve --paper`: what needs no wallet there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { makeWorkplace, type Workplace } from "../cli/outside.ts";
import { type Running, startProcess } from "../cli/process.ts";
import { goTo, openBrowser, openSignedIn } from "./support/browser.ts";

let workplace: Workplace;
let gateway: Running;
let browser: Browser;

beforeAll(async () => {
  workplace = makeWorkplace();
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const words = ["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports];
  [gateway, browser] = await Promise.all([startProcess(words), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await gateway.end("SIGKILL");
  workplace.remove();
});

test("a further key is one click, shown once, and reads and writes", async () => {
  const { base_url: baseUrl, api_key: apiKey } = JSON.parse(gateway.firstLine);
  const view = await openSignedIn(browser, { baseUrl }, apiKey);
  const { page } = view;
  await goTo(page, "Bots");
  await page.getByRole("button", { name: "One more at once" }).click();
  await page.getByText("This is the only time that the key is shown.").waitFor();
  const [made = ""] = /api_trade_[0-9a-f]{64}/.exec((await page.locator("main").textContent()) ?? "") ?? [];
  const headers = { Authorization: `Bearer ${made}` };
  const told = await (await fetch(`${baseUrl}/v1/whoami`, { headers })).json();
  expect(told).toMatchObject({ scopes: ["trading:read", "trading:write"], limits: null, network: "paper" });
  await page.getByRole("button", { name: "I have it" }).click();
  await page.getByText("This is the only time that the key is shown.").waitFor({ state: "detached" });
  expect(await page.locator("main").textContent()).not.toContain(made);
  expect(view.faults).toEqual([]);
  await view.context.close();
});
