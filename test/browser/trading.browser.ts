/** What is done from the Trade screen beyond a plain order: an entry with its stop, a line that is dragged, cancel-all. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { verifyTypedData } from "ethers";
import type { Browser, Locator } from "playwright-core";

import { proposalTypedData } from "../../src/wire/grant-data.ts";
import { goTo, openBrowser, openSignedIn, type View } from "./support/browser.ts";
import { openProxy } from "./support/proxy.ts";
import { call, openScene, type Scene, setUp } from "./support/scene.ts";

let scene: Scene;
let browser: Browser;
let apiKey: string;
let account: string;
let view: View;

beforeAll(async () => {
  [scene, browser] = await Promise.all([openScene(), openBrowser()]);
  apiKey = await setUp(scene);
  account = (await call<{ account: string }>(scene, apiKey, "/v1/whoami")).account;
});

afterEach(async () => {
  expect(view.faults).toEqual([]);
  await view.context.close();
  await call(scene, apiKey, "/v1/orders/cancel-all", { account, touches: "all", keep_protection: false });
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

type Order = { id: string; market: string; price: string; status: string };

/** Tries, 100 ms apart, until the list is as expected: reads of one account are shared for a second. */
const TRIES = 50;

async function openOrders(isExpected: (orders: Order[]) => boolean): Promise<Order[]> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { data } = await call<{ data: Order[] }>(scene, apiKey, "/v1/orders?status=open");
    if (isExpected(data)) return data;
    await Bun.sleep(100);
  }
  throw new Error("the open orders did not become what they should");
}

function options() {
  return { baseUrl: scene.baseUrl, wallet: scene.wallet };
}

test("an entry brings its stop, which is moved, and is entered no more", async () => {
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await page.locator("input[name=market]").fill("ETH");
  await page.locator("input[name=size]").fill("0.02");
  await page.locator("input[name=price]").fill("3000");
  await page.locator("input[name=entry-profitPrice]").fill("4000");
  await page.getByText("A profit alone protects nothing").waitFor();
  await page.locator("input[name=entry-stopPrice]").fill("3100");
  await page.getByText("The stop of a buy is below its price.").waitFor();
  await page.locator("input[name=entry-stopPrice]").fill("2900");
  await page.getByText("At the trigger −2.00 before fees.").waitFor();
  await page.getByRole("button", { name: "Buy 0.02 ETH" }).click();
  const trades = page.getByRole("region", { name: "Trades" }).last();
  await trades.getByText("entering").waitFor();
  await trades.getByRole("button", { name: "Move the stop of ETH" }).click();
  await page.locator("input[name=tradeStop]").fill("2800");
  await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await trades.getByText("2,800").waitFor();
  await trades.getByRole("button", { name: "Enter no more of ETH" }).click();
  await trades.getByRole("button").first().waitFor({ state: "detached" });
  await openOrders((orders) => orders.length === 0);
});

/** Where it is drawn, in pixels of the page: waits while it is being drawn anew. */
async function boxOf(part: Locator) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await part.waitFor();
    const box = await part.boundingBox();
    if (box !== null) return box;
  }
  throw new Error("it is never there long enough to be measured");
}

test("a line that is dragged proposes a modify with its worst price, and nothing is sent before the button", async () => {
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  const { mid_price: mid } = await call<{ mid_price: string }>(scene, apiKey, "/v1/markets/BTC");
  const price = String(Math.floor(Number(mid) * 0.99));
  await call(scene, apiKey, "/v1/orders", { account, market: "BTC", side: "buy", size: "0.001", price });
  await page.getByRole("img", { name: /1 orders? of your own/ }).waitFor();
  const over = page.locator(".chart .u-over").first();
  const box = await boxOf(over);
  const x = box.x + box.width / 2;
  // Where the line is taken the cursor says so. The chart is drawn once a second.
  const isTaken = async () => (await over.getAttribute("class"))?.includes("taking") === true;
  for (let y = box.y + box.height; !(await isTaken()); y = y > box.y ? y - 4 : box.y + box.height)
    await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, box.y + 8, { steps: 4 });
  await page.mouse.up();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^buys at [0-9,]+ at worst\.$/).waitFor();
  // Above the market: the post-only replacement would be refused, and the original be gone.
  await dialog.getByText("the original is gone all the same").waitFor();
  expect((await openOrders((orders) => orders.length === 1)).map((order) => order.price)).toEqual([price]);
  const proposed = Number(await dialog.getByLabel("New price").inputValue());
  expect(proposed).toBeGreaterThan(Number(price));
  const lower = String(Number(price) - 500);
  await dialog.getByLabel("New price").fill(lower);
  await dialog.getByRole("button", { name: "Modify" }).click();
  await dialog.waitFor({ state: "hidden" });
  await openOrders(([order]) => order?.price === lower);
});

test("everything open in a market is canceled by one request, after a question that keeps what protects", async () => {
  for (const [market, price] of [
    ["BTC", "50001"],
    ["BTC", "50002"],
    ["ETH", "1500"],
  ] as const)
    await call(scene, apiKey, "/v1/orders", { account, market, side: "buy", size: "0.01", price });
  view = await openSignedIn(browser, options(), apiKey);
  const { page } = view;
  await page.getByRole("button", { name: "Cancel all…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("select[name=cancelMarket]").selectOption("BTC");
  expect(await dialog.locator("input[name=cancelKeeps]").isChecked()).toBe(true);
  await dialog.getByRole("button", { name: "Cancel them all" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await openOrders((orders) => orders.length === 1)).toMatchObject([{ market: "ETH" }]);
  await page
    .getByRole("button", { name: /^Cancel buy .* BTC/ })
    .first()
    .waitFor({ state: "detached" });
  await goTo(page, "History");
  await page.getByRole("region", { name: "History" }).last().getByRole("cell", { name: "canceled" }).first().waitFor();
});

test("what an agent asks for is approved by the owner's signature of just those words", async () => {
  const proxy = openProxy(scene.baseUrl);
  const id = `1795253400000-${"ab".repeat(16)}`;
  const words = "buy 0.001 BTC at 60000 or better (gtc)";
  const until = new Date(Date.now() + 60_000).toISOString();
  const about = { id, object: "proposal", account, bot: "agent-1", key_hash: "cd".repeat(32), in_words: words };
  const proposal = { ...about, status: "waiting", asked_at: until, expires_at: until, order_id: null };
  const decided: unknown[] = [];
  // Read before it is answered: what an answered request still holds is lost with its connection.
  const approve = async (request: Request): Promise<Response> => {
    decided.push(await request.json());
    return Response.json({ ...proposal, status: "approved", outcome: "order", order: null });
  };
  proxy.answer = (request, { pathname }) => {
    if (pathname === "/v1/proposals")
      return Response.json({ object: "list", data: decided.length > 0 ? [] : [proposal] });
    return pathname === `/v1/proposals/${id}/decide` ? approve(request) : null;
  };
  view = await openSignedIn(browser, { baseUrl: proxy.baseUrl, wallet: scene.wallet }, apiKey);
  const { page } = view;
  await goTo(page, "Now");
  await page.getByText(`agent-1 asks to ${words}.`).waitFor();
  await page.getByRole("link", { name: "Approve or refuse" }).click();
  await page.getByRole("button", { name: `Approve ${words}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign with Test wallet" }).click();
  await page.getByText(`${words}: approved and placed.`).waitFor();
  const [sent] = decided;
  expect(sent).toMatchObject({ account, decision: "approve" });
  const { audience } = await call<{ audience: string }>(scene, apiKey, "/v1/api-keys/typed-data");
  const asked = { audience, accountId: account, proposalId: id, order: words, decision: "approve" } as const;
  const { domain, types, message } = proposalTypedData(asked);
  const fields = { ProposalDecision: [...(types["ProposalDecision"] ?? [])] };
  const signer = verifyTypedData(domain, fields, message, (sent as { signature: string }).signature);
  expect(signer.toLowerCase()).toBe(scene.wallet.address);
  await proxy.stop();
});
