/** `key list` and `key narrow`: whose bots the keys are, what a thief of each could lose, and rails as people write them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorkplace, type Ran, runHere, type Workplace } from "./outside.ts";
import { type Running, startProcess } from "./process.ts";
import { walletOf } from "./wallet.ts";

const KEY_HASH = "ab".repeat(32);

let workplace: Workplace;
let gateway: Running;

beforeAll(async () => {
  workplace = makeWorkplace();
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  gateway = await startProcess(["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports], 1);
  const demo = JSON.parse(readFileSync(join(workplace.dataDirectory, "demo.json"), "utf8"));
  const owner = walletOf(Buffer.from(demo.ownerPrivateKey.slice(2), "hex"));
  const rails = ["--bot", "grid-1", "--markets", "BTC", "--key-hash", KEY_HASH, "--days", "30"];
  const { typed_data: typedData, grant } = JSON.parse((await postern("key", "grant", ...rails, "--json")).out);
  const signed = ["--grant", JSON.stringify(grant), "--signature", owner.sign(typedData)];
  expect(await postern("key", "register", ...signed)).toMatchObject({ exitCode: 0 });
});

afterAll(async () => {
  await gateway?.end("SIGKILL");
  workplace.remove();
});

function postern(...words: string[]): Promise<Ran> {
  return runHere([...words, "--data-dir", workplace.dataDirectory]);
}

test("a bot's key is listed with its name, its end and what a thief of it could lose; a plain one with neither", async () => {
  const { out } = await postern("key", "list");
  const [head, ...lines] = out.split("\n");
  expect(head?.split(/ {2,}/)).toEqual(["KEY HASH", "ACCOUNT", "BOT", "SCOPES", "STATE", "SINCE", "ENDS"]);
  expect(lines.find((line) => line.startsWith(KEY_HASH))).toMatch(/ grid-1 .*T.*Z {2}20[0-9-]+T.*Z$/);
  expect(lines.find((line) => / none .* never$/.test(line))).toBeDefined();
  expect(lines[lines.indexOf(`grid-1 (${KEY_HASH}):`) + 1]).toStartWith(
    "A thief of this key can lose you, in a day, at most",
  );
  const { keys } = JSON.parse((await postern("key", "list", "--json")).out);
  expect(keys).toHaveLength(2);
  expect(keys).toContainEqual(expect.objectContaining({ bot: null, bound: null, expires_at: null }));
});

test("a rail that is none is a misuse, and an amount without its unit is one of USD", async () => {
  const narrow = (...words: string[]) => postern("key", "narrow", KEY_HASH, ...words);
  const misused = await narrow("--max-order", "lots");
  expect([misused.exitCode, misused.out]).toEqual([2, ""]);
  expect(misused.err).toContain("--max-order must be");
  const done = await narrow("--max-order", "120", "--may", "cancel, increase");
  expect(done).toMatchObject({ exitCode: 0 });
  expect(done.out).toMatch(/ {2}max_order {2}120 USD\n/);
});
