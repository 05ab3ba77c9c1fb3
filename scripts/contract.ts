/**
 * `bun run contract`: the interface description against a running paper gateway. Two linters read it, a generator makes
 * requests from it, good ones and spoilt ones, and every case is judged by the description itself.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, member, parsed } from "./contract/case.ts";
import { type Description, describe } from "./contract/document.ts";
import { ask, type Gateway, startGateway } from "./contract/gateway.ts";
import { startProxy } from "./contract/proxy.ts";
import { cursorPlace, type Facts, RULES } from "./contract/rules.ts";
import { generate, lint, TOOLS } from "./contract/tools.ts";
import { judge, type Verdict } from "./contract/verdict.ts";
import { FOREIGN_CURSOR, generatorView, type Seeds } from "./contract/view.ts";

/** Fewer cases than this prove nothing. */
const MIN_CASES = 500;
/** Faults that are printed in full. */
const SHOWN_FAULTS = 25;
/** Rows of one page when the facts are read. */
const PAGE_ROWS = 500;

type Judged = { one: Case; verdict: Verdict };

const directory = mkdtempSync(join(tmpdir(), "postern-contract-"));
const startedAtMs = Date.now();
try {
  process.exitCode = (await contract()) ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function contract(): Promise<boolean> {
  const gateway = await startGateway(join(directory, "data"));
  try {
    const document = await ask(gateway, "/openapi.json");
    const documentPath = join(directory, "openapi.json");
    await Bun.write(documentPath, JSON.stringify(document));
    const description = await describe(document, TOOLS);
    const seeds = await plantSeeds(document, gateway);
    const generating = generateCases({ document, seeds }, gateway);
    const [failedLinters, cases] = await Promise.all([lint(documentPath, directory), generating]);
    const facts = await readFacts(gateway, cases, seeds);
    const judged = cases.map((one, index) => ({ one, verdict: verdictOf(one, index, { description, facts, cases }) }));
    return report(judged) && failedLinters.length === 0;
  } finally {
    await gateway.stop();
  }
}

async function generateCases(
  { document, seeds }: { document: unknown; seeds: Seeds },
  gateway: Gateway,
): Promise<readonly Case[]> {
  const viewPath = join(directory, "view.json");
  // `ask` returns what JSON.parse gave: the description is an object.
  await Bun.write(viewPath, JSON.stringify(generatorView(document as Record<string, unknown>, seeds)));
  const proxy = startProxy(gateway.baseUrl);
  try {
    await generate(viewPath, { url: proxy.url, apiKey: gateway.apiKey });
  } finally {
    await proxy.stop();
  }
  return proxy.cases;
}

/** Orders that rest, fills, positions and operations, for the cases to find. */
async function plantSeeds(document: unknown, gateway: Gateway): Promise<Seeds> {
  const order = { account: gateway.accountId, market: "BTC", side: "buy", size: "0.001" };
  const resting = await ask(gateway, "/v1/orders", { ...order, price: "60000" });
  const modified = await ask(gateway, "/v1/orders", { ...order, price: "61000" });
  const operation = await ask(gateway, "/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" });
  await ask(gateway, "/v1/leverage", { market: "ETH", leverage: 5, margin_type: "cross" });
  // Far above any price: they fill at what the book offers.
  for (const [market, size, price] of [
    ["BTC", "0.001", "110000"],
    ["ETH", "0.01", "4500"],
  ]) {
    await ask(gateway, "/v1/orders", { ...order, market, size, price, time_in_force: "ioc" });
  }
  return {
    accountId: gateway.accountId,
    restingOrderId: String(member(resting, "id")),
    modifiedOrderId: String(member(modified, "id")),
    operationId: String(member(operation, "id")),
    cursors: await readCursors(document, gateway),
  };
}

async function readCursors(document: unknown, gateway: Gateway): Promise<Map<string, string>> {
  const cursors = new Map<string, string>();
  for (const [path, methods] of Object.entries(member(document, "paths") ?? {})) {
    const parameters = member(methods, "get", "parameters");
    if (!Array.isArray(parameters) || !parameters.some((each) => member(each, "name") === "cursor")) continue;
    // What is listed of one thing: the seeds have none that has a list.
    if (path.includes("{id}")) continue;
    const cursor = member(await ask(gateway, `${path.replace("{market}", "BTC")}?limit=1`), "next_cursor");
    if (typeof cursor === "string") cursors.set(path, cursor);
    else console.log(`note    ${path} has no second page: no case with a cursor`);
  }
  return cursors;
}

async function readFacts(gateway: Gateway, cases: readonly Case[], seeds: Seeds): Promise<Facts> {
  const markets = rowsOf(await ask(gateway, "/v1/markets"));
  const answers = cases.filter(({ status }) => status < 300).map(({ answer }) => parsed(answer));
  const shown = answers.flatMap((answer) => [answer, ...rowsOf(answer)]);
  const orders = rowsOf(await ask(gateway, `/v1/orders?limit=${PAGE_ROWS}`));
  const waiting = member(await ask(gateway, "/v1/agent-renewal"), "waiting", "address");
  const closed = orders.filter((order) => ["filled", "canceled", "rejected"].includes(String(member(order, "status"))));
  return {
    markets: new Set(markets.flatMap((market) => texts(member(market, "market"), member(market, "pair")))),
    dexes: new Set(["", ...markets.flatMap((market) => texts(member(market, "dex")))]),
    ids: new Set(shown.flatMap((item) => texts(member(item, "id"), member(item, "exchange_order_id")))),
    cursors: new Set(
      cases.flatMap(({ path, query, answer }) =>
        texts(member(parsed(answer), "next_cursor")).map((cursor) => cursorPlace(path, query, cursor)),
      ),
    ),
    offeredCursors: new Set([...seeds.cursors.values(), FOREIGN_CURSOR]),
    closedOrders: new Set(closed.flatMap((order) => texts(member(order, "id")))),
    waitingAgent: typeof waiting === "string" ? waiting.toLowerCase() : null,
    startedAtMs,
    endedAtMs: Date.now(),
  };
}

function rowsOf(answer: unknown): unknown[] {
  const data = member(answer, "data");
  return Array.isArray(data) ? data : [];
}

function texts(...values: unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string");
}

type Evidence = { description: Description; facts: Facts; cases: readonly Case[] };

function verdictOf(one: Case, index: number, { description, facts, cases }: Evidence): Verdict {
  return judge(one, { description, facts, earlier: cases.slice(0, index) });
}

function report(judged: readonly Judged[]): boolean {
  const count = (is: (verdict: Verdict) => boolean) => judged.filter(({ verdict }) => is(verdict)).length;
  const faults = judged.filter(({ verdict }) => verdict.kind === "fault");
  for (const { one, verdict } of faults.slice(0, SHOWN_FAULTS)) {
    if (verdict.kind !== "fault") continue;
    console.log(`FAILED  ${one.method} ${one.path}${one.query.size > 0 ? `?${one.query}` : ""} ${verdict.reason}`);
    if (one.body !== "") console.log(`        ${one.body.replaceAll(/\s+/g, " ")}`);
  }
  console.log(`${judged.length} cases: ${count(({ kind }) => kind === "accepted")} accepted`);
  for (const by of ["the generator's intent", "the description"] as const) {
    console.log(`${count((verdict) => verdict.kind === "refused" && verdict.by === by)} refused, wrong by ${by}`);
  }
  for (const { name } of RULES) {
    console.log(`${count((verdict) => verdict.kind === "excused" && verdict.rule === name)} refused by rule: ${name}`);
  }
  console.log(`${faults.length} faults`);
  if (judged.length < MIN_CASES) console.log(`FAILED  fewer than ${MIN_CASES} cases`);
  return faults.length === 0 && judged.length >= MIN_CASES;
}
