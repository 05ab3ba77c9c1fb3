import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { newApiKey } from "../../src/cli/key/new.ts";
import { makeWorkplace, runHere } from "./outside.ts";

test.each(COMMANDS.map((command) => [command.name] as const))(
  "%s has help and refuses unknown options",
  async (name) => {
    const help = await runHere([...name.split(" "), "--help"]);
    expect(help).toMatchObject({ exitCode: 0, err: "" });
    expect(help.out).toContain(`postern ${name}`);
    const misused = await runHere([...name.split(" "), "--no-such-option"]);
    expect(misused).toMatchObject({ exitCode: 2, out: "" });
  },
);

test("docs/commands.md names every command, and no other", () => {
  const text = readFileSync(join(import.meta.dir, "../../docs/commands.md"), "utf8");
  const table = /\| command \| does \|\n[^\n]*\n((?:\|[^\n]*\n)*)/.exec(text)?.[1] ?? "";
  const rows = table
    .split("\n")
    .map((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z ]+)[^`]*`/g)].map((found) => found[1] ?? ""));
  // A row names its group once: `key new`, `grant`.
  const named = rows.flatMap((words) => {
    const [first = "", ...rest] = words.map((word) => word.trim());
    const [group = "", second] = first.split(" ");
    return first === "" ? [] : [first, ...rest.map((word) => (second === undefined ? word : `${group} ${word}`))];
  });
  expect(named.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});

const OWNER = `0x${"ab".repeat(20)}`;

test.each([
  [[]],
  [["nonsense"]],
  [["key"]],
  [["key", "nonsense"]],
  [["key", "grant"]],
  [["key", "grant", "--key-hash", "12"]],
  [["key", "grant", "--key-hash", "ab".repeat(32), "--scopes", "trading:all"]],
  [["key", "block"]],
  [["key", "block", "12"]],
  [["key", "new", "a word too many"]],
  [["init", "--owner", OWNER]],
  [["init", "--network", "moon", "--owner", OWNER]],
  [["init", "--network", "paper", "--owner", "0x12"]],
  [["init", "--network", "testnet", "--owner", OWNER, "--exchange-url", "https://api.hyperliquid.xyz"]],
  [["init", "--network", "paper", "--owner", OWNER, "--exchange-url", "https://api.hyperliquid.xyz"]],
  [["init", "--network", "paper", "--owner", OWNER, "--exchange-url", "127.0.0.1:9797"]],
  [["init", "--network", "mainnet", "--owner", OWNER, "--exchange-url", "http://10.0.0.9:1234"]],
  [["account", "add", "--kind", "purse", "--label", "a", "--address", OWNER]],
  [["agent", "approve", "--signature", "0x12"]],
  [["agent", "approve"]],
  [["agent", "approve", "--signature", "-"]],
  [["serve", "--listen", "nowhere"]],
  [["paper", "--listen", "nowhere"]],
  [["paper", "--network", "moon"]],
  [["paper", "--seed", "-1"]],
  [["paper", "--fund", `${OWNER},0x12`]],
  [["paper", "--faults", "/no/such/file"]],
  [["paper", "--faults", import.meta.path]],
  [["paper", "--prices", import.meta.path]],
])("%j is misused: exit code 2", async (words) => {
  const workplace = makeWorkplace();
  const ran = await runHere(words, { POSTERN_DATA_DIR: workplace.dataDirectory });
  workplace.remove();
  expect(ran).toMatchObject({ exitCode: 2, out: "" });
  expect(ran.err).not.toBe("");
});

test("a variable that is no setting is misuse", async () => {
  expect(await runHere(["serve"], { POSTERN_LISTNE: "127.0.0.1:1" })).toMatchObject({ exitCode: 2 });
});

test("help is printed on request, and the groups have one of their own", async () => {
  expect(await runHere(["--help"])).toMatchObject({ exitCode: 0, err: "" });
  const keys = await runHere(["key", "--help"]);
  expect(keys.exitCode).toBe(0);
  expect(keys.out).toContain("key register");
  expect(keys.out).not.toContain("account list");
});

test("version names the four versions and what signs", async () => {
  const ran = await runHere(["version", "--json"]);
  expect(Object.keys(JSON.parse(ran.out))).toEqual(["version", "commit", "bun", "sqlite", "signing"]);
});

test("a new key is 64 hex digits behind its prefix, and never the same", async () => {
  const keys = await Promise.all([1, 2].map(async () => JSON.parse((await runHere(["key", "new", "--json"])).out)));
  for (const key of keys) {
    expect(key.api_key).toMatch(/^api_trade_[0-9a-f]{64}$/);
    expect(key.key_hash).toBe(new Bun.CryptoHasher("sha256").update(key.api_key).digest("hex"));
  }
  expect(keys[0].api_key).not.toBe(keys[1].api_key);
  // All of it is the random source's, and nothing of it is made twice from the same bytes.
  const random = Uint8Array.from({ length: 32 }, (_item, index) => 0xff - index);
  expect(newApiKey((count) => random.subarray(0, count))).toBe(`api_trade_${Buffer.from(random).toString("hex")}`);
});
