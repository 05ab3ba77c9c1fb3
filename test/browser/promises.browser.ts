/** The promise of the page: one wish, one order; through lost answers, reloads, restarts and double clicks. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { openBrowser, openSignedIn, type View } from "./support/browser.ts";
import { type Between, openProxy } from "./support/proxy.ts";
import { call, openScene, type Scene, setUp } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let apiKey: string;
let proxy: Between;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  apiKey = await setUp(scene);
});

beforeEach(async () => {
  proxy = openProxy(scene.baseUrl);
  view = await openSignedIn(browser, { baseUrl: proxy.baseUrl, wallet: scene.wallet }, apiKey);
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await view.context.close();
  await proxy.stop();
  await scene.control({ faults: { rules: [] } });
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

type Order = { id: string; size: string; status: string };

/** Orders of this size that the gateway took. */
async function taken(size: string): Promise<Order[]> {
  const { data } = await call<{ data: Order[] }>(scene, apiKey, "/v1/orders?limit=100");
  return data.filter((order) => order.size === size);
}

async function submit(size: string): Promise<void> {
  await view.page.getByLabel("Size").fill(size);
  await view.page.getByLabel("Price", { exact: true }).or(view.page.locator("input[name=price]")).first().fill("60000");
  await view.page.getByRole("button", { name: `Buy ${size} BTC` }).click();
}

test("answers that are lost are asked for under the same key, and there is one order", async () => {
  proxy.loseAnswers = 2;
  await submit("0.0011");
  await view.page.getByText("buy 0.0011 BTC at 60000: open").waitFor();
  expect(proxy.keys).toHaveLength(3);
  expect(new Set(proxy.keys).size).toBe(1);
  expect(await taken("0.0011")).toHaveLength(1);
});

test("a reload while the exchange thinks asks under the same key, and there is one order", async () => {
  await scene.control({
    faults: {
      rules: [{ on: "exchange", type: "order", times: 1, fault: { kind: "delay", ms: 2_500, executed: true } }],
    },
  });
  await submit("0.0012");
  await Bun.sleep(500);
  await view.page.reload();
  await view.page.getByText("buy 0.0012 BTC at 60000: open").waitFor();
  expect(new Set(proxy.keys).size).toBe(1);
  expect(proxy.keys.length).toBeGreaterThan(1);
  expect(await taken("0.0012")).toHaveLength(1);
});

test("what is typed survives a reload, and nothing is sent by it", async () => {
  await view.page.getByLabel("Size").fill("0.0777");
  await view.page.reload();
  await view.page.getByRole("navigation", { name: "Screens" }).waitFor();
  expect(await view.page.getByLabel("Size").inputValue()).toBe("0.0777");
  expect(proxy.keys).toEqual([]);
});

test("two clicks on the button are one order", async () => {
  await view.page.getByLabel("Size").fill("0.0013");
  await view.page.locator("input[name=price]").fill("60000");
  await view.page.getByRole("button", { name: "Buy 0.0013 BTC" }).dblclick();
  await view.page.getByText("buy 0.0013 BTC at 60000: open").waitFor();
  expect(await taken("0.0013")).toHaveLength(1);
});

test("a gateway that restarts under an open page is found again, and a wish in between ends once", async () => {
  await scene.stopGateway("SIGKILL");
  await submit("0.0014");
  await view.page.getByText("Sending: buy 0.0014 BTC").waitFor();
  await scene.startGateway();
  await view.page.getByText("buy 0.0014 BTC at 60000: open").waitFor({ timeout: 30_000 });
  expect(await taken("0.0014")).toHaveLength(1);
});

test("an old wish without an answer waits for a person, who may ask again or put it aside", async () => {
  const { account } = await call<{ account: string }>(scene, apiKey, "/v1/whoami");
  const wish = (key: string, size: string) => ({
    key,
    path: "/v1/orders",
    body: JSON.stringify({ account, market: "BTC", side: "buy", size, price: "60000" }),
    words: `buy ${size} BTC at 60000`,
    createdAtMs: Date.now() - 3_600_000,
    state: "sending",
    mayHaveHappened: false,
    reason: null,
  });
  for (const [key, size] of [
    ["page-old-wish-1", "0.0015"],
    ["page-old-wish-2", "0.0016"],
  ] as const) {
    const item = JSON.stringify([`postern.intention.${account}.${key}`, JSON.stringify(wish(key, size))]);
    await view.page.evaluate(`localStorage.setItem(...${item})`);
  }
  await view.page.reload();
  await view.page.getByText("No answer yet: buy 0.0015 BTC").waitFor();
  expect(proxy.keys).toEqual([]);
  await view.page.getByRole("button", { name: "Ask again" }).first().click();
  await view.page.getByText("buy 0.0015 BTC at 60000: open").waitFor();
  await view.page.getByRole("button", { name: /^Put aside/ }).click();
  await view.page.getByText("No answer yet").waitFor({ state: "detached" });
  expect(proxy.keys).toEqual(["page-old-wish-1"]);
  expect(await taken("0.0016")).toEqual([]);
});

test("an order whose outcome nobody knows is shown with its age and its story", async () => {
  await scene.control({
    faults: {
      rules: [
        { on: "exchange", type: "order", times: 1, fault: { kind: "lose_answer", executed: true } },
        { on: "info", type: "orderStatus", times: 200, fault: { kind: "status_lag", ms: 600_000 } },
      ],
    },
  });
  await submit("0.0017");
  await view.page.getByRole("region", { name: "Unknown orders" }).getByText("0.0017").waitFor({ timeout: 20_000 });
  await view.page
    .getByRole("link", { name: /^Explain buy 0.0017/ })
    .first()
    .click();
  await view.page.getByText("Step by step").waitFor();
  expect(await view.page.getByText("intent stored").count()).toBeGreaterThan(0);
});
