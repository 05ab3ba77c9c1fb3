/** An approval is no placing: what a command says and ends with is what became of the order. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import { placesIn } from "../../src/ops/data-directory.ts";
import { makeWorkplace, runHere, type Workplace } from "./outside.ts";

const PROPOSAL = "1795253400000-5f0c8a526f0e4f3b9c550e7d1b2a4c90";
const WORDS = "buy 0.001 BTC at 60000 or better (gtc)";

let workplace: Workplace;
let server: Server | null = null;

beforeAll(async () => {
  workplace = makeWorkplace();
  const owner = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
  const at = ["--data-dir", workplace.dataDirectory, "--passphrase-file", workplace.passphraseFile];
  expect(await runHere(["init", "--network", "paper", "--owner", owner, ...at])).toMatchObject({ exitCode: 0 });
});

afterEach(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (server === null) resolve();
  else server.close(() => resolve());
  server = null;
  await promise;
});
afterAll(() => workplace.remove());

/** A gateway whose answer to everything is this. */
async function answering(told: object): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ in_words: WORDS, ...told }));
    });
  });
  server.listen(placesIn(workplace.dataDirectory).control, resolve);
  await promise;
}

function decide(word: string, ...more: string[]) {
  return runHere(["proposal", word, PROPOSAL, "--data-dir", workplace.dataDirectory, ...more]);
}

function order(status: string, error: string | null = null) {
  return { outcome: "order", order: { id: "o-1", status, error } };
}

test.each([
  ["rests", order("open"), "Approved. Order o-1 is open.\n"],
  ["was filled", order("filled"), "Approved. Order o-1 is filled.\n"],
])("an approved order that %s: 0", async (_what, told, words) => {
  await answering(told);
  expect(await decide("approve")).toMatchObject({ exitCode: 0, out: `${WORDS}\n${words}`, err: "" });
});

test.each([
  [
    "was refused by its code",
    { outcome: "unknown_market", order: null },
    "approved, and not placed: unknown_market. App",
  ],
  ["was too late", { outcome: "not_placed", order: null }, "approved, and not placed: its time was over"],
  ["waits for another", { outcome: "unsettled", order: null }, "approved, and not placed: an order of the bot there"],
  ["was rejected", order("rejected", "Too small."), "approved, and order o-1 is rejected: Too small."],
  ["may have been placed", { outcome: "unknown", order: null }, "approved, and it may have been placed. "],
  ["is not known", order("unknown"), "approved, and it may have been placed. "],
])("an approved order that %s: 1, and nobody reads that it was placed", async (_what, told, words) => {
  await answering(told);
  const ran = await decide("approve");
  expect([ran.exitCode, ran.out]).toEqual([1, `${WORDS}\n`]);
  expect(ran.err).toContain(`postern proposal approve: ${words}`);
  const scripted = await decide("approve", "--json");
  expect([scripted.exitCode, JSON.parse(scripted.out)]).toEqual([1, { in_words: WORDS, ...told }]);
});

test("a refusal is done: 0", async () => {
  await answering({ outcome: "refused", order: null });
  expect(await decide("refuse")).toMatchObject({ exitCode: 0, out: `${WORDS}\nRefused. Nothing is placed.\n` });
});
