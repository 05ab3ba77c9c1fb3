import { expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backtrackingFault } from "../scripts/tidy/backtracking.ts";
import { checkFiles, readTree } from "../scripts/tidy.ts";
import { REFUSAL_PATTERNS } from "../src/wire/answer/refusal.ts";

const ROOT = join(import.meta.dir, "..");

test("the tree keeps the rules of the house", () => {
  const files = readTree(ROOT);
  expect(files.length).toBeGreaterThan(10);
  expect(checkFiles(files).map(({ file, line, rule, reason }) => `${file}:${line} ${rule}: ${reason}`)).toEqual([]);
});

test("the lockfile pins packages by their content and names no host", () => {
  const lockfile = readFileSync(join(ROOT, "bun.lock"), "utf8");
  expect(lockfile).not.toMatch(/https?:/);
  expect(lockfile.match(/"sha512-/g)?.length).toBeGreaterThan(50);
});

test("every dependency has one exact version", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter((version) => !/^[0-9]+\.[0-9]+\.[0-9]+$/.test(String(version)))).toEqual([]);
});

/** One violation a row: rule, file, code. */
const PLANTED: readonly [rule: string, path: string, text: string][] = [
  ["import-direction", "src/core/order.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/core/order.ts", `import type { Store } from "../store/open.ts";`],
  ["import-direction", "src/core/order.ts", `export type A = import("../wire/digest.ts").A;`],
  ["import-direction", "src/core/order.ts", `import { t } from "@sinclair/typebox";`],
  ["import-direction", "src/wire/digest.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/store/orders.ts", `import { digest } from "../wire/digest.ts";`],
  ["import-direction", "src/vault/signers.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/exchange/http.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/settle/send/send.ts", `import { sign } from "../../vault/signers.ts";`],
  ["import-direction", "src/actions/place-order.ts", `import { sign } from "../vault/signers.ts";`],
  ["import-direction", "src/actions/place-order.ts", `export * from "../http/errors.ts";`],
  ["import-direction", "src/ops/doctor.ts", `import { placeOrder } from "../actions/place-order.ts";`],
  ["import-direction", "src/http/orders.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/paper/server.ts", `import { open } from "../store/open.ts";`],
  ["import-direction", "src/paper/engine/book.ts", `import { journal } from "../journal.ts";`],
  ["import-direction", "src/console/console.ts", `import { order } from "../store/orders.ts";`],
  ["import-direction", "src/console/console.ts", `import { typedDataDigest } from "../wire/typed-data.ts";`],
  ["import-direction", "src/http/server.ts", `const page = await import("../console/console.ts");`],
  ["import-direction", "src/gateway.ts", `import { paper } from "./paper/server.ts";`],
  ["import-direction", "src/cli/key.ts", `import { paper } from "../paper/server.ts";`],
  ["import-direction", "src/cli/serve.ts", `import { page } from "../console/console.ts";`],
  ["import-direction", "src/main.ts", `import { open } from "./store/open.ts";`],
  ["import-direction", "src/deps.ts", `import { open } from "./store/open.ts";`],
  ["import-direction", "src/attic/old.ts", `import { order } from "../core/order.ts";`],
  ["import-direction", "src/core/order.ts", `import { add } from "./decimal";`],
  ["import-direction", "src/store/open.ts", `import { support } from "../../test/support/store.ts";`],
  ["whole-world", "src/actions/place-order.ts", `import type { Deps } from "../deps.ts";`],
  ["whole-world", "src/settle/look/look.ts", `import type { ToLook, World } from "../../deps.ts";`],
  ["pure-room", "src/core/order.ts", `export const now = Date.now();`],
  ["pure-room", "src/core/order.ts", `export const now = globalThis.Date.now();`],
  ["pure-room", "src/core/order.ts", `export const now = Date["now"]();`],
  ["pure-room", "src/core/order.ts", `export const now = new Date();`],
  ["pure-room", "src/wire/digest.ts", `export const dice = Math.random();`],
  ["pure-room", "src/wire/digest.ts", `export const hash = Bun.hash("a");`],
  ["pure-room", "src/wire/digest.ts", `import { createHash } from "node:crypto";`],
  ["pure-room", "src/wire/sha256.ts", `import { hash } from "bun";`],
  ["hash-only", "src/wire/sha256.ts", `import { hash, timingSafeEqual } from "node:crypto";`],
  ["hash-only", "src/wire/sha256.ts", `import * as crypto from "node:crypto";`],
  ["hash-only", "src/wire/sha256.ts", `import crypto from "node:crypto";`],
  ["pure-room", "src/paper/engine/book.ts", `setTimeout(() => {}, 1);`],
  ["pure-room", "src/paper/engine/book.ts", `export function go() { return fetch("http://localhost"); }`],
  ["pure-room", "src/paper/engine/book.ts", `const { random } = globalThis.Math;`],
  ["pure-await", "src/paper/engine/book.ts", `export async function go() {}`],
  ["pure-await", "src/core/order.ts", `for await (const a of b) go(a);`],
  ["clock-and-randomness", "src/settle/settle.ts", `const now = Date.now();`],
  ["clock-and-randomness", "src/settle/settle.ts", `const now = new Date();`],
  ["clock-and-randomness", "src/http/server.ts", `setInterval(go, 5);`],
  ["clock-and-randomness", "src/vault/seal-key.ts", `import { randomBytes } from "node:crypto";`],
  ["clock-and-randomness", "src/exchange/http.ts", `import { setTimeout } from "node:timers/promises";`],
  ["clock-and-randomness", "src/vault/seal-key.ts", `crypto.getRandomValues(key);`],
  ["raced-sleep", "src/settle/settle.ts", `await Promise.race([read(), clock.sleep(5)]);`],
  ["raced-sleep", "src/settle/settle.ts", `await Promise.race([read(), world.clock.sleep(5).then(() => null)]);`],
  ["raced-sleep", "src/settle/settle.ts", `const tooLong = world.clock.sleep(5).then(() => null);`],
  ["own-limit", "test/flows/tour.test.ts", `test("it is so", () => go(), 30_000);`],
  ["own-limit", "test/flows/tour.test.ts", `test.each(rows)("%s is so", async () => {}, LONGEST_MS);`],
  ["sql-outside-store", "src/settle/settle.ts", `import { eq } from "drizzle-orm";`],
  ["sql-outside-store", "src/cli/init.ts", `import { Database } from "bun:sqlite";`],
  ["sql-outside-store", "src/ops/doctor.ts", `const text = "pragma quick_check";`],
  ["sql-outside-store", "src/ops/doctor.ts", "const text = `SELECT 1`;"],
  ["signing-outside-vault", "src/settle/send/send.ts", `import { secp256k1 } from "@noble/curves/secp256k1.js";`],
  ["signing-outside-vault", "src/http/auth.ts", `import { recoverTypedDataAddress } from "viem";`],
  ["signing-outside-vault", "src/wire/digest.ts", `import { secp256k1 } from "@noble/curves/secp256k1.js";`],
  ["typed-data-only", "src/wire/typed-data.ts", `import { recoverAddress } from "viem/utils";`],
  ["typed-data-only", "src/wire/typed-data.ts", `import { hashTypedData } from "viem";`],
  ["recover-only", "src/wire/recover.ts", `export const signature = secp256k1.sign(digest, key);`],
  ["network-outside-exchange", "src/settle/send/send.ts", `export const answer = fetch("http://localhost");`],
  ["network-outside-exchange", "src/settle/send/send.ts", `export const feed = new WebSocket("ws://localhost");`],
  ["network-outside-exchange", "src/ops/notify.ts", `import { request } from "node:https";`],
  ["network-outside-exchange", "src/store/open.ts", `Bun.connect({ hostname: "localhost", port: 1 });`],
  ["process-outside-main", "src/cli/serve.ts", `process.exit(1);`],
  ["process-outside-main", "src/config.ts", `const home = process.env["HOME"];`],
  ["process-outside-main", "src/config.ts", `const home = Bun.env.HOME;`],
  ["process-outside-main", "src/config.ts", `const home = import.meta.env.HOME;`],
  ["logger-outside-log", "src/settle/send/send.ts", `import { pino } from "pino";`],
  ["logger-outside-log", "src/settle/send/send.ts", `console.log("sent");`],
  ["http-framework-outside-http", "src/actions/place-order.ts", `import { status } from "elysia";`],
  ["slow-pattern", "src/http/console.ts", String.raw`entry.split(/\s*;\s*q\s*=\s*/);`],
  ["slow-pattern", "src/http/query.ts", String.raw`text.replace(/\s+$/, "");`],
  ["slow-pattern", "src/http/query.ts", `text.replaceAll(/ *, */g, ",");`],
  ["slow-pattern", "src/http/query.ts", String.raw`const ANY = /^(\w+\s?)*$/;`],
  ["slow-pattern", "src/http/query.ts", `const ANY = new RegExp("^[0-9]*(-)?[0-9]*$");`],
  ["slow-pattern", "src/http/query.ts", `const PART = "a*"; const ANY = RegExp(PART + "b?" + PART + "c");`],
  ["slow-pattern", "src/http/query.ts", `const PART = "a*"; const ANY = new RegExp(\`^\${PART}\${PART}$\`);`],
  ["slow-pattern", "src/http/query.ts", `export function find(part: string) { return new RegExp(part); }`],
  ["slow-pattern", "src/http/query.ts", `const found = text.match("a*a*b");`],
  ["slow-pattern", "src/http/schema/order.ts", `const Name = Type.String({ pattern: "^(a+)+$" });`],
  ["slow-pattern", "src/http/schema/order.ts", `const Name = Type.TemplateLiteral(parts);`],
  ["slow-pattern", "src/wire/json.ts", `const WIDE = /^[0-9]{1,400}[0-9]{1,400}$/;`],
  ["slow-pattern", "src/wire/json.ts", `const COUNTED = /^(a?){30}$/;`],
  ["slow-pattern", "src/exchange/http-answer.ts", String.raw`const FIELD = /^[a-z]+:[ \t]*([\t -~]*)$/;`],
  ["slow-pattern", "src/exchange/http-answer.ts", String.raw`const AHEAD = /^(?:[a-z](?=[a-z]*\d))*$/;`],
  ["slow-pattern", "src/exchange/http-answer.ts", String.raw`const TWICE = /(["']).*\1/;`],
  ["file-size", "src/core/order.ts", "const a = 1;\n".repeat(401)],
  ["vague-name", "src/core/utils.ts", ``],
  ["vague-name", "src/core/order.ts", `export class OrderManager {}`],
  ["arrow-constant", "src/core/order.ts", `export const add = (a: number) => a;`],
  ["idle-spread", "src/core/order.ts", `export const all = [...["a", "b"], "c"];`],
  ["idle-spread", "test/core/order.test.ts", `export const row = { ...({ a: 1 } as const), b: 2 };`],
  ["unfinished", "src/core/order.ts", `// ${"FIX"}${"ME"}: later`],
  ["banner", "src/core/order.ts", `// ---------- orders ----------`],
  ["commented-out-code", "src/core/order.ts", `// const order = read();`],
  ["cast-without-reason", "src/store/orders.ts", `export const order = row as Order;`],
  ["syntax", "src/core/order.ts", `export const = ;`],
];

test.each(PLANTED)("finds a planted %s in %s", (rule, path, text) => {
  expect(checkFiles([{ path, text }]).map((finding) => finding.rule)).toContain(rule);
});

test("finds a type that two files of the source declare", () => {
  const files = [
    {
      path: "src/core/a.ts",
      text: "export type Level = 1;\ntype Own = 1;\nexport const Both = 1;\nexport type Both = 1;\n",
    },
    {
      path: "src/core/b.ts",
      text: "type Level = 2;\nexport type Own = 2;\nexport function level(): Level {\n  return 2;\n}\n",
    },
    { path: "src/paper/c.ts", text: "\nexport type Level = 3;\n" },
    { path: "test/core/d.ts", text: "export type Level = 4;\n" },
  ];
  const found = checkFiles(files).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
  expect(found).toEqual(["src/core/b.ts:1 one-meaning", "src/core/b.ts:2 one-meaning", "src/paper/c.ts:2 one-meaning"]);
});

/** What looks like a violation and is none. */
const INNOCENT: readonly [path: string, text: string][] = [
  ["src/core/order.ts", `// The clock is Date.now(), which nothing here calls.`],
  ["src/core/order.ts", `export const text = "fetch and await are words";`],
  ["src/core/order.ts", `export type Clock = { now: () => number; fetch: string };`],
  ["src/core/order.ts", `export function take({ fetch: take }: { fetch: number }) { return { fetch: take }; }`],
  ["src/core/order.ts", `export const day = new Date(0);`],
  ["src/wire/recover.ts", `import { secp256k1 } from "@noble/curves/secp256k1.js";`],
  ["src/paper/server.ts", `Bun.serve({ fetch: (request) => paper.handle(request) });`],
  ["src/http/console.ts", `import page from "../console/index.html";`],
  ["src/console/console.ts", `import { decimal } from "../core/decimal.ts";`],
  ["src/console/console.ts", `import { readSignature } from "../wire/signature.ts";`],
  ["src/cli/clock.ts", `export const clock = { now: () => Date.now() };`],
  ["src/settle/settle.ts", `void clock.sleep(5).then(() => wakeUp());`],
  ["test/flows/tour.test.ts", `test.each(rows)("%s is so", async () => {});`],
  ["test/flows/tour.test.ts", `test("it is so", () => go(words, 1, 30_000));`],
  ["src/settle/settle.ts", `export async function go() {\n  await world.clock.sleep(5);\n}`],
  ["src/store/migrations.ts", `import first from "../../drizzle/0000_create_tables.sql" with { type: "text" };`],
  ["src/http/openapi.ts", `import chapter from "./guide/events.md" with { type: "text" };`],
  ["src/deps.ts", `import type { Store } from "./store/open.ts";`],
  ["src/main.ts", `process.exit(Number(process.argv[2]));`],
  [
    "src/store/orders.ts",
    `// A row of this table is an Order: the columns are the same.\nexport const order = row as Order;`,
  ],
  ["src/store/orders.ts", `export const kinds = ["a"] as const;`],
  ["src/store/orders.ts", `export const all = [...kinds, ...(isPaper ? ["b"] : [])];`],
  ["src/http/guard.ts", String.raw`export const PATH = /^(\/|(\/[A-Za-z0-9._-]+)+)$/;`],
  ["src/http/body.ts", String.raw`export const TYPE = /^application\/json *(; *charset=("utf-8"|utf-8) *)?$/i;`],
  ["src/http/query.ts", `export const clean = text.replaceAll(/[^a-z]+/g, " ");`],
  ["src/http/query.ts", `export const whole = text.replace(/^0+/, "");`],
  [
    "src/http/schema/order.ts",
    String.raw`export const Figure = Type.String({ pattern: "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" });`,
  ],
  ["src/vault/keystore.ts", `export const hex = new RegExp(\`^(0x)?[0-9a-f]{\${2 * bytes}}$\`);`],
  ["test/http/query.test.ts", String.raw`const ANY = /\s*;\s*/;`],
];

test.each(INNOCENT)("finds nothing to complain about in %s", (path, text) => {
  expect(checkFiles([{ path, text: `${text}\n` }])).toEqual([]);
});

test("no text of the exchange's takes longer to be recognised than it is long", () => {
  expect(REFUSAL_PATTERNS.length).toBeGreaterThan(50);
  const slow = REFUSAL_PATTERNS.filter(({ source, flags }) => backtrackingFault(source, flags) !== null);
  expect(slow).toEqual([]);
});

type Tool = { name: string; planted: string; command: readonly string[]; says: string };

const TOOLS: readonly Tool[] = [
  {
    name: "tsc",
    planted: `export function first(list: string[]): string {\n  return list[0];\n}\n`,
    command: ["typescript/bin/tsc"],
    says: "TS2322",
  },
  {
    name: "biome",
    planted: `export const anything: any = 1;\n`,
    command: ["@biomejs/biome/bin/biome", "check", "--error-on-warnings"],
    says: "noExplicitAny",
  },
  {
    name: "oxlint",
    planted: `async function send(): Promise<void> {}\nexport function go(): void {\n  send();\n}\n`,
    command: ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", "src"],
    says: "no-floating-promises",
  },
  {
    name: "knip",
    planted: `export const forgotten = 1;\n`,
    command: ["knip/bin/knip.js", "--no-progress"],
    says: "planted",
  },
];

test.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s fails on its planted mistake", async (_name, tool) => {
  const root = mkdtempSync(join(tmpdir(), "postern-tidy-"));
  try {
    plantTree(root, tool.planted);
    expect(await runTool(root, tool)).toEqual({ exitCode: 1, saysIt: true });
    plantTree(root, null);
    expect(await runTool(root, tool)).toEqual({ exitCode: 0, saysIt: false });
  } finally {
    rmSync(root, { recursive: true });
  }
});

const PLANTED_PACKAGE = `{
  "name": "planted",
  "type": "module",
  "main": "src/main.ts"
}
`;

function plantTree(root: string, planted: string | null): void {
  rmSync(root, { recursive: true });
  for (const room of ["src", "test", "scripts"]) mkdirSync(join(root, room), { recursive: true });
  for (const file of ["tsconfig.json", "biome.json", ".oxlintrc.json", ".gitignore"])
    cpSync(join(ROOT, file), join(root, file));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "package.json"), PLANTED_PACKAGE);
  writeFileSync(join(root, "knip.json"), `{ "project": ["src/**/*.ts"] }\n`);
  writeFileSync(join(root, "src/main.ts"), `export const start = 1;\n`);
  if (planted !== null) writeFileSync(join(root, "src/planted.ts"), planted);
}

async function runTool(root: string, tool: Tool): Promise<{ exitCode: number; saysIt: boolean }> {
  const [path = "", ...rest] = tool.command;
  const child = Bun.spawn([process.execPath, join("node_modules", path), ...rest], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode: exitCode === 0 ? 0 : 1, saysIt: `${stdout}${stderr}`.includes(tool.says) };
}
