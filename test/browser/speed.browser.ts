/**
 * The page stays small and does no more than it has to: bytes, what is painted before anything is answered, rows and drawings. How long
 * that takes here goes to the output.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { goTo, openBrowser, openSignedIn, openView, until, type View } from "./support/browser.ts";
import { openProxy } from "./support/proxy.ts";
import { openScene, type Scene, setUp } from "./support/scene.ts";

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
  await view.context.close();
});

afterAll(async () => {
  await browser.close();
  await scene.end();
});

const PAINTED = 'performance.getEntriesByName("first-contentful-paint").length > 0';
const MAX_SCRIPT_BYTES = 250 * 1_024;

test("the scripts are small, and how long the first paint takes is told", async () => {
  view = await openView(browser, { baseUrl: scene.baseUrl });
  const { page } = view;
  // The first request builds the page from its sources; the executable has it built.
  await page.goto(scene.baseUrl);
  const paints: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.goto(`${scene.baseUrl}/`);
    await page.reload();
    await page.getByLabel("API key").waitFor();
    await until(page, PAINTED);
    paints.push(await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime'));
  }
  const sources: string[] = await page.evaluate("[...document.scripts].map(({ src }) => src)");
  const texts = await Promise.all(sources.map(async (source) => (await fetch(source)).text()));
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  const median = paints.sort((one, other) => one - other)[2] ?? 0;
  console.log(`scripts ${bytes} bytes gzip; first paint, median of 5: ${median.toFixed(0)} ms`);
  expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
});

test("the page is painted before anything is answered", async () => {
  const proxy = openProxy(scene.baseUrl);
  const held: (() => void)[] = [];
  proxy.answer = (_request, url) =>
    url.pathname.startsWith("/v1/") ? new Promise<Response | null>((resolve) => held.push(() => resolve(null))) : null;
  view = await openView(browser, { baseUrl: proxy.baseUrl });
  const { page } = view;
  await page.goto(`${proxy.baseUrl}/#key=${apiKey}`);
  await until(page, PAINTED);
  while (held.length === 0) await page.waitForTimeout(20);
  expect(((await page.locator("#main").textContent()) ?? "").trim()).not.toBe("");
  proxy.answer = () => null;
  for (const go of held) go();
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  await proxy.stop();
});

function fill(number: number) {
  return {
    object: "fill",
    id: `fill-${number}`,
    dex: "",
    market: number % 3 === 0 ? "ETH" : "BTC",
    order_id: null,
    key_hash: number % 2 === 0 ? "ab".repeat(32) : "cd".repeat(32),
    exchange_order_id: String(number),
    side: number % 2 === 0 ? "buy" : "sell",
    price: `${60_000 + (number % 500)}.5`,
    size: "0.00123",
    liquidity: "taker",
    fee: "0.033187",
    fee_token: "USDC",
    builder_fee: null,
    realized_pnl: number % 2 === 0 ? "0" : "1.25",
    direction: "Open Long",
    twap_id: null,
    liquidation: false,
    created_at: new Date(1_795_000_000_000 + number * 1_000).toISOString(),
  };
}

const FILLS = 5_000;

function fillsPage(url: URL): Response {
  const from = Number(url.searchParams.get("cursor") ?? FILLS);
  const limit = Number(url.searchParams.get("limit"));
  const data = Array.from({ length: Math.min(limit, from) }, (_, index) => fill(from - index));
  const rest = from - data.length;
  return Response.json({ object: "list", data, has_more: rest > 0, next_cursor: rest > 0 ? String(rest) : null });
}

/** Milliseconds of the main thread's tasks over 50 ms, since the page was told to listen. */
const WATCH = `{
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
}`;

const MAX_ROWS_DRAWN = 80;

test("a table of 5,000 fills is drawn by what is seen of it, also while it is scrolled", async () => {
  const proxy = openProxy(scene.baseUrl);
  proxy.answer = (_request, url) => (url.pathname === "/v1/fills" ? fillsPage(url) : null);
  view = await openSignedIn(browser, { baseUrl: proxy.baseUrl }, apiKey);
  const { page } = view;
  await goTo(page, "Fills");
  await page.getByText("5,000 fills, all of them").waitFor();
  // 2,500 sells at 1.25.
  await page.getByRole("region", { name: "Fills", exact: true }).getByText("+3,125.00").first().waitFor();
  expect(await page.locator(".long tbody tr").count()).toBeLessThan(MAX_ROWS_DRAWN);
  await page.evaluate(WATCH);
  const frames: number[] = await page.evaluate(`new Promise((done) => {
    const region = document.querySelector(".long");
    const frames = [];
    globalThis.mostRows = 0;
    let before = performance.now();
    let step = 0;
    function next(now) {
      frames.push(now - before);
      mostRows = Math.max(mostRows, region.querySelectorAll("tbody tr").length);
      before = now;
      region.scrollTop = step * 600;
      step += 1;
      step < 200 ? requestAnimationFrame(next) : done(frames);
    }
    requestAnimationFrame(next);
  })`);
  await page.getByRole("region", { name: "Fills", exact: true }).getByText("buy").last().waitFor();
  const sorted = frames.toSorted((one, other) => one - other);
  const [usual = 0, slow = 0] = [0.5, 0.99].map((part) => sorted[Math.floor(frames.length * part)]);
  const tasks: number[] = await page.evaluate("longTasks");
  console.log(
    `5,000 fills: a frame ${usual.toFixed(0)} ms, 99th percentile ${slow.toFixed(0)} ms; ${tasks.length} long tasks`,
  );
  expect(await page.evaluate<number>("mostRows")).toBeLessThan(MAX_ROWS_DRAWN);
  await proxy.stop();
});

const EVENTS_A_SECOND = 50;
const SECONDS = 3;

/** Counts the page's drawings: whatever one changes is told in one piece. */
const COUNT_DRAWINGS = `{
  globalThis.drawings = 0;
  new MutationObserver(() => { drawings += 1; })
    .observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}`;

test("of fifty events a second many are drawn at once, and only what is seen of them", async () => {
  const proxy = openProxy(scene.baseUrl);
  let sent = 0;
  const begin = Promise.withResolvers<void>();
  proxy.answer = (_request, url) => {
    if (url.pathname === "/v1/fills") return fillsPage(url);
    if (url.pathname !== "/v1/events") return null;
    const text = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        const ready = { object: "event", id: "1", type: "ready", data: { resumed: false } };
        controller.enqueue(text.encode(`retry: 1000\n\nid: 1\nevent: ready\ndata: ${JSON.stringify(ready)}\n\n`));
        await begin.promise;
        for (; sent < EVENTS_A_SECOND * SECONDS; sent += 1) {
          const data = { ...fill(FILLS + 1 + sent), order_id: "0" };
          const event = { object: "event", id: String(sent + 2), type: "fill.created", data };
          const lines = `id: ${sent + 2}\nevent: fill.created\ndata: ${JSON.stringify(event)}\n\n`;
          controller.enqueue(text.encode(lines));
          if (sent % EVENTS_A_SECOND === 0) await Bun.sleep(1_000);
        }
      },
    });
    return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  };
  view = await openSignedIn(browser, { baseUrl: proxy.baseUrl }, apiKey);
  const { page } = view;
  await goTo(page, "Fills");
  await page.getByText("5,000 fills").first().waitFor();
  await page.evaluate(WATCH);
  await page.evaluate(COUNT_DRAWINGS);
  const last = fill(FILLS + EVENTS_A_SECOND * SECONDS);
  begin.resolve();
  while (sent < EVENTS_A_SECOND * SECONDS) await Bun.sleep(100);
  const price = Number(last.price).toLocaleString("en-US");
  await page.locator(".long tbody").getByText(price).first().waitFor();
  const tasks: number[] = await page.evaluate("longTasks");
  const sum = tasks.reduce((total, duration) => total + duration, 0);
  const drawings: number = await page.evaluate("drawings");
  console.log(
    `${EVENTS_A_SECOND} events a second for ${SECONDS} s: ${drawings} drawings, ${tasks.length} long tasks, ${sum.toFixed(0)} ms in all`,
  );
  expect(drawings).toBeLessThan((EVENTS_A_SECOND * SECONDS) / 2);
  expect(await page.locator(".long tbody tr").count()).toBeLessThan(MAX_ROWS_DRAWN);
  await proxy.stop();
});
