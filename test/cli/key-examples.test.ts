/** How a key is made, as the interface description tells it: each example as a reader would copy it, against the demo. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { curlRequest } from "./curl.ts";
import { makeWorkplace, type Workplace } from "./outside.ts";
import { type Running, runShell, startProcess } from "./process.ts";

const ROOT = join(import.meta.dir, "../..");

let workplace: Workplace;
let gateway: Running;
let facts: { base_url: string; account: string };
let ownerKey: `0x${string}`;
/** The chapter about keys of the description that the gateway serves. */
let chapter: string;

beforeAll(async () => {
  workplace = makeWorkplace();
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  gateway = await startProcess(["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports]);
  facts = JSON.parse(gateway.firstLine);
  ownerKey = JSON.parse(readFileSync(join(workplace.dataDirectory, "demo.json"), "utf8")).ownerPrivateKey;
  const description = (await (await fetch(`${facts.base_url}/openapi.json`)).json()) as { tags: Tag[] };
  chapter = description.tags.find(({ name }) => name === "API keys")?.description ?? "";
});

type Tag = { name: string; description: string };

afterAll(async () => {
  await gateway?.end("SIGKILL");
  workplace.remove();
});

/** The blocks of one language, in their order. */
function blocks(language: string): string[] {
  return [...chapter.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text ?? "",
  );
}

async function scopesOf(apiKey: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const answer = await (await fetch(`${facts.base_url}/v1/whoami`, { headers })).json();
  return (answer as { scopes: unknown }).scopes;
}

test("the TypeScript example makes a key that trades and reads", async () => {
  const [code = ""] = blocks("ts");
  const directory = workplace.directory;
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const path = join(directory, "make-key.ts");
  writeFileSync(path, code);
  const child = Bun.spawn([process.execPath, path], {
    env: { PATH: process.env["PATH"] ?? "", POSTERN: facts.base_url, ACCOUNT: facts.account, OWNER_KEY: ownerKey },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
  expect(out).toMatch(/^api_trade_[0-9a-f]{64}\n$/);
  expect(await scopesOf(out.trim())).toEqual(["trading:read", "trading:write"]);
});

test("the example by hand does, too, with what any wallet signs", async () => {
  const [making = "", registering = ""] = blocks("sh");
  const [grant = ""] = blocks("json");
  const lines = making.trim().split("\n");
  const shell = await runShell(`${lines.filter((line) => !line.startsWith("curl ")).join("\n")}\necho "$KEY $HASH"`);
  const [apiKey = "", HASH = ""] = shell.out.trim().split(" ");
  const known = { POSTERN: facts.base_url, ACCOUNT: facts.account, HASH, ISSUED_AT: String(Date.now()) };
  const asking = lines.find((line) => line.startsWith("curl ")) ?? "";
  const { audience } = (await (await fetch(curlRequest(asking, known))).json()) as { audience: string };
  const filled = Object.entries({ ...known, AUDIENCE: audience }).reduce(
    (text, [name, value]) => text.replace(new RegExp(`"(0x)?${name}"`), `"$1${value}"`),
    grant,
  );
  // The block is EIP-712 data: the gateway refuses what it is not.
  const SIGNATURE = await privateKeyToAccount(ownerKey).signTypedData(JSON.parse(filled) as TypedDataDefinition);
  const answer = await fetch(curlRequest(registering.trim(), { ...known, SIGNATURE }));
  expect([answer.status, await answer.text()]).toEqual([201, expect.stringContaining(HASH)]);
  expect(await scopesOf(apiKey)).toEqual(["trading:read", "trading:write"]);
});

test("the hash that the text tells is the hash of the key that it tells", () => {
  const key = `api_trade_${"0123456789abcdef".repeat(4)}`;
  expect(chapter).toContain(new Bun.CryptoHasher("sha256").update(key).digest("hex"));
});
