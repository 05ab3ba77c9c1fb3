/** STOP, as a person meets it in a real browser: asked once, shown until it is ended, and not to be ended from here. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser, openSignedIn, seriousFindings, type View } from "./support/browser.ts";
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

test("what rests goes and what protects stays, the page says so after a reload as well, and only the operator ends it", async () => {
  const entry = { market: "ETH", size: "0.1" };
  await place({ ...entry, price: "5000", time_in_force: "ioc" });
  await place({});
  const trigger = { kind: "stop_loss", price: "1800", market: true };
  const protection = await place({ ...entry, side: "sell", price: "1500", reduce_only: true, trigger });
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl }, apiKey);
  const { page } = view;
  await page.getByRole("button", { name: "STOP" }).click();
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
  await banner.getByText("To trade again").click();
  expect(await banner.getByLabel("command that ends the stop", { exact: true }).textContent()).toContain(
    "postern resume --stop",
  );
  await scene.postern("resume");
  await banner.waitFor({ state: "detached" });
});

test("a gateway that is down is asked until it answers, and nothing is said to be stopped before", async () => {
  view = await openSignedIn(browser, { baseUrl: scene.baseUrl }, apiKey);
  const { page } = view;
  await page.getByText("live", { exact: true }).waitFor();
  await scene.stopGateway("SIGKILL");
  await page.getByRole("button", { name: "STOP" }).click();
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
  expect(await page.getByRole("button", { name: "STOP" }).count()).toBe(0);
  await scene.postern("stop");
  await page.getByRole("region", BANNER).getByText("this account.").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
});
