/** `key grant --bot`: what a person is shown before the owner signs, and what is refused before that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { makeWorkplace, type Ran, runHere, type Workplace } from "./outside.ts";

let workplace: Workplace;

beforeAll(async () => {
  workplace = makeWorkplace();
  const owner = ["--owner", `0x${"ab".repeat(20)}`, "--passphrase-file", workplace.passphraseFile];
  await runHere(["init", "--network", "paper", ...owner, "--data-dir", workplace.dataDirectory]);
});

afterAll(() => workplace.remove());

function grant(...words: string[]): Promise<Ran> {
  const about = ["--key-hash", "ef".repeat(32), "--data-dir", workplace.dataDirectory];
  return runHere(["key", "grant", ...about, ...words]);
}

test("a bot's grant is shown as the wallet shows it, line by line, with what a thief of the key could lose", async () => {
  const { exitCode, out } = await grant("--bot", "grid-1", "--markets", "ETH, BTC", "--max-order", "250");
  expect(exitCode).toBe(0);
  const lines = out.split("\n");
  for (const line of ["  bot: grid-1", "  markets: BTC,ETH", "  maxOrder: 250 USD", "  maxDistance: 2 %"])
    expect(lines).toContain(line);
  expect(lines).toContain("  maxTurnoverPerDay: 5000 USD");
  expect(out).toContain("A thief of this key can lose you, in a day, at most 450 USD by bad prices");
  expect(out).toContain(" --grant '{");
});

test("what is called `any` is unlimited, and said to be", async () => {
  const { out } = await grant("--bot", "grid-1", "--markets", "any", "--max-turnover-per-day", "any", "--json");
  const { grant: sent, bound } = JSON.parse(out);
  expect(sent).toMatchObject({ markets: "any", max_turnover_per_day: "any", max_order: "500 USD" });
  expect(bound).toContain("Nothing bounds what a thief of this key can lose you");
});

test.each([
  [["--bot", "grid-1"], "--markets"],
  [["--bot", "grid-1", "--markets", "BTC", "--max-order", "0"], "--max-order must be"],
  [["--bot", "grid-1", "--markets", "BTC", "--max-order", "5,000"], "--max-order must be"],
  [["--bot", "Grid 1", "--markets", "BTC"], "--bot must be"],
  [["--bot", "grid-1", "--markets", "BTC", "--may", "increase,withdraw"], "--may must be"],
  [["--bot", "grid-1", "--markets", "BTC", "--days", "366"], "--days is 1 to 365"],
  [["--markets", "BTC"], "--markets is a rail of a bot"],
])("%p is refused before anything is signed", async (words, why) => {
  const { exitCode, out, err } = await grant(...words);
  expect([exitCode, out]).toEqual([2, ""]);
  expect(err).toContain(why);
});
