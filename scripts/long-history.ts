/**
 * How long a page of the record takes deep in a long history, and how the owner's page scrolls through it:
 *
 *   bun run long-history [--rows 1000000] [--seconds 60]
 *
 * Six rows in ten are orders, the others fills, three seconds apart each, in the database of a gateway of its own that is stopped
 * meanwhile. Lists are asked for with 500 rows a page from half a dozen depths; then the page scrolls down for so many seconds.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { decimal, ZERO } from "../src/core/decimal.ts";
import { inTransaction } from "../src/store/commit.ts";
import { insertFills } from "../src/store/fills.ts";
import { listOrdersAnew } from "../src/store/listed-orders.ts";
import { closeStore, openStore } from "../src/store/open.ts";
import { insertOrder } from "../src/store/orders.ts";
import { goTo, openBrowser, openSignedIn } from "../test/browser/support/browser.ts";
import { call, openScene, setUp } from "../test/browser/support/scene.ts";
import { orderRow } from "../test/support/rows.ts";

const { values } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, seconds: { type: "string", default: "60" } },
});
const ROWS = Number(values.rows);
const SECONDS = Number(values.seconds);

const STEP_MS = 3_000;
const ORDERS_OF_TEN = 6;
const BATCH = 10_000;
const nowMs = Date.now();

/** Oldest first, so that numbers and times go up together. */
function fillDatabase(database: string, accountId: string, keyHash: string): void {
  const store = openStore(database);
  for (let from = 0; from < ROWS; from += BATCH) {
    inTransaction(store, () => {
      for (let nth = from; nth < Math.min(ROWS, from + BATCH); nth += 1) insertRow(nth);
    });
  }
  // As a gateway does it in its first minutes after an upgrade.
  while (inTransaction(store, () => listOrdersAnew(store, BATCH)) > 0);
  closeStore(store);

  function insertRow(nth: number): void {
    const timeMs = timeOf(nth);
    const market = nth % 7 === 0 ? "ETH" : "BTC";
    const digits = String(nth).padStart(12, "0");
    if (nth % 10 < ORDERS_OF_TEN) {
      const id = `0190a0b0-0000-7007-8000-${digits}`;
      insertOrder(store, orderRow({ id, accountId, market, keyHash, status: "canceled", createdAtMs: timeMs }));
      return;
    }
    const names = { accountId, id: `${timeMs}-${market}-${nth}`, market, oid: String(nth), side: "buy" } as const;
    const figures = { price: decimal("100"), size: decimal("1"), fee: decimal("0.05"), builderFee: null };
    const rest = { isTaker: true, feeToken: "USDC", direction: "Open Long", twapId: null, isLiquidation: false };
    const row = {
      ...names,
      ...figures,
      ...rest,
      timeMs,
      realizedPnl: ZERO,
      startPosition: ZERO,
      transactionHash: "0x",
    };
    insertFills(store, [row], { atMs: timeMs, toldFromMs: Number.MAX_SAFE_INTEGER });
  }
}

function timeOf(nth: number): number {
  return nowMs - (ROWS - nth) * STEP_MS;
}

const TRIES = 9;

async function median(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < TRIES; nth += 1) {
    const startMs = performance.now();
    await ask();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(TRIES / 2)] ?? 0;
}

const WATCH = `{
  globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
}`;

/** To the end of what is there, again and again. */
async function scrollFor(page: Page, seconds: number): Promise<void> {
  await page.evaluate(WATCH);
  const startMs = performance.now();
  while (performance.now() - startMs < seconds * 1_000) {
    await page.evaluate("{ const box = document.querySelector('.table.long'); box.scrollTop = box.scrollHeight; }");
    await page.waitForTimeout(20);
  }
  const tasks: number[] = await page.evaluate("longTasks");
  const rows: string = await page.evaluate("document.querySelector('.table.long table').getAttribute('aria-rowcount')");
  const shown: number = await page.evaluate("document.querySelectorAll('.table.long tbody tr').length");
  const heap: number = await page.evaluate("performance.memory.usedJSHeapSize");
  console.log(
    `page: ${rows} rows in ${seconds} s of scrolling, ${shown} of them in the document; ${tasks.length} long tasks, the longest ${Math.max(0, ...tasks).toFixed(0)} ms; heap ${(heap / 1_048_576).toFixed(0)} MiB`,
  );
}

const scene = await openScene({ environment: { POSTERN_LIMIT_READS: "1000/1000" } });
const browser = await openBrowser();
try {
  const apiKey = await setUp(scene);
  const { account, key_hash: keyHash } = await call<Record<string, string>>(scene, apiKey, "/v1/whoami");
  await scene.stopGateway();
  const startMs = performance.now();
  fillDatabase(scene.database, account ?? "", keyHash ?? "");
  console.log(`${ROWS} rows written in ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
  await scene.startGateway();
  for (const depth of [0, 0.1, 0.25, 0.5, 0.75, 0.99]) {
    const until = new Date(timeOf(Math.floor(ROWS * (1 - depth)))).toISOString();
    const told: string[] = [];
    for (const query of ["orders?", "orders?market=ETH&", "fills?", "fills?market=ETH&", "audit?"]) {
      const path = `/v1/${query}limit=500&until=${until}`;
      told.push(`${query.slice(0, -1)} ${(await median(() => call(scene, apiKey, path))).toFixed(1)}`);
    }
    console.log(`${Math.floor(ROWS * depth)} rows deep, ms a page of 500: ${told.join(", ")}`);
  }
  const { page } = await openSignedIn(browser, { baseUrl: scene.baseUrl }, apiKey);
  await goTo(page, "History");
  await page.locator(".table.long").waitFor();
  await scrollFor(page, SECONDS);
} finally {
  await browser.close();
  await scene.end();
}
