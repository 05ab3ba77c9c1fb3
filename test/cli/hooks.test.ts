/** A hook from its making to what it would have done: the commands as they are typed, the port as a chart reaches it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { makeWorkplace, type Ran, runHere, type Workplace } from "./outside.ts";
import { type Running, startProcess } from "./process.ts";
import { walletOf } from "./wallet.ts";

const KEY_HASH = createHash("sha256").update("api_trade_of_the_chart").digest("hex");
const OTHER_TEXT = { type: "text/plain; charset=utf-8" };

let workplace: Workplace;
let gateway: Running;
let port: number;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

beforeAll(async () => {
  workplace = makeWorkplace();
  port = await freePort();
  const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const words = ["serve", "--paper", "--json", "--data-dir", workplace.dataDirectory, ...ports];
  gateway = await startProcess(words, 1, { POSTERN_HOOKS_LISTEN: `127.0.0.1:${port}` });
  await makeKey();
});

afterAll(async () => {
  await gateway?.end("SIGKILL");
  workplace.remove();
});

function postern(...words: string[]): Promise<Ran> {
  return runHere([...words, "--data-dir", workplace.dataDirectory]);
}

async function asJson(...words: string[]) {
  const { exitCode, out, err } = await postern(...words, "--json");
  if (exitCode !== 0) throw new Error(err);
  return JSON.parse(out);
}

/** As the operator does: granted by what is printed, signed by the owner's wallet, registered. */
async function makeKey(): Promise<void> {
  const demo = JSON.parse(readFileSync(join(workplace.dataDirectory, "demo.json"), "utf8"));
  const owner = walletOf(Buffer.from(demo.ownerPrivateKey.slice(2), "hex"));
  const rails = ["--bot", "chart-1", "--markets", "BTC,PURR/USDC", "--key-hash", KEY_HASH];
  const { typed_data: typedData, grant } = await asJson("key", "grant", ...rails);
  await asJson("key", "register", "--grant", JSON.stringify(grant), "--signature", owner.sign(typedData));
}

async function send(url: string, body: object, { type } = { type: "application/json" }) {
  const answer = await fetch(url, { method: "POST", headers: { "Content-Type": type }, body: JSON.stringify(body) });
  return { status: answer.status, told: await answer.json() };
}

function make(name: string, ...words: string[]) {
  const where = ["--public-url", `http://127.0.0.1:${port}`];
  return asJson("hook", "create", "--key-hash", KEY_HASH, "--name", name, ...where, ...words);
}

test("the address is printed once, with the text to paste, which is an alert that it takes once it is filled in", async () => {
  const terms = ["--name", "printed", "--mode", "order", "--market", "BTC", "--rehearsal"];
  const where = ["--public-url", "https://hooks.example.org"];
  const { exitCode, out } = await postern("hook", "create", "--key-hash", KEY_HASH, ...terms, ...where);
  expect(exitCode).toBe(0);
  const [, secret = ""] = /^ {2}https:\/\/hooks\.example\.org\/hooks\/(\S+)$/m.exec(out) ?? [];
  const [, template = ""] = /^ {2}(\{.*\})$/m.exec(out) ?? [];
  expect(out).toContain("acts as bot chart-1, and only keeps what comes");
  const filled = template
    .replace("{{timenow}}", new Date().toISOString())
    .replace("{{strategy.order.action}}", "buy")
    .replace("{{strategy.order.contracts}}", "0.001")
    .replace("{{strategy.order.id}}", "Long");
  expect(filled).not.toContain("{{");
  const url = `http://127.0.0.1:${port}/hooks/${secret}`;
  expect(await send(url, JSON.parse(filled), OTHER_TEXT)).toMatchObject({ status: 200 });
  const listed = await postern("hook", "list");
  expect(listed.out).toContain("printed");
  expect(listed.out).not.toContain(secret);
});

test("rehearse tells what came, what became of it and what it would do, and places nothing", async () => {
  const { url } = await make("rehearsed", "--mode", "order", "--rehearsal");
  const time = new Date().toISOString();
  const alerts = [
    { market: "BTC", side: "buy", size: "0.001", time },
    { market: "PURR/USDC", side: "buy", size: "100", time },
    { market: "BTC", side: "buy", size: "0.0000001", time },
    { market: "NONE", side: "buy", size: "1", time },
    { market: "BTC", side: "buy", size: "0.001", time: "2020-01-01T00:00:00Z" },
  ];
  for (const alert of alerts) await send(url, alert);
  await send(url, alerts[0] ?? {});
  const { alerts: told, rules } = await asJson("hook", "rehearse", "rehearsed");
  expect(rules).toBe(true);
  const shown = told.map((each: Record<string, unknown>) => [each["market"], each["status"], each["repeats"]]);
  expect(shown.toSorted()).toEqual(
    [
      ["BTC", "rehearsed", 1],
      ["PURR/USDC", "rehearsed", 0],
      ["BTC", "rehearsed", 0],
      ["NONE", "rehearsed", 0],
      ["BTC", "too_old", 0],
    ].toSorted(),
  );
  const would = told.map((each: Record<string, unknown>) => String(each["would"])).join("\n");
  for (const word of ["0.0000001", "NONE"]) expect(would).toContain(word);
  const { deliveries } = await asJson("hook", "deliveries", "rehearsed");
  expect(deliveries.map((each: { order_ids: string[] }) => each.order_ids)).toEqual(told.map(() => []));
});

test("what a hook that is no rehearsal placed is told beside its alert", async () => {
  const { url, name } = await make("placing", "--mode", "order");
  await send(url, { market: "BTC", side: "buy", size: "0.001", time: new Date().toISOString() });
  const deadlineMs = Date.now() + 4_000;
  let told: { status: string; order_ids: string[] } | undefined;
  while (told?.status !== "done" && Date.now() < deadlineMs) {
    await Bun.sleep(100);
    [told] = (await asJson("hook", "deliveries", name)).deliveries;
  }
  expect(told).toMatchObject({ status: "done", order_ids: [expect.any(String)] });
});

test.each([
  ["a name that is none", ["--name", "My Chart", "--mode", "order"], "name"],
  ["a mode that there is not", ["--name", "x", "--mode", "follow"], "mode"],
  ["networks that are none", ["--name", "x", "--mode", "order", "--sources", "everywhere"], "sources"],
  ["a base URL with a path", ["--name", "x", "--mode", "order", "--public-url", "https://a.example/x"], "--public-url"],
])("%s is refused, and nothing is made", async (_what, words, why) => {
  const { exitCode, out, err } = await postern("hook", "create", "--key-hash", KEY_HASH, ...words);
  expect({ isRefused: exitCode !== 0, out }).toEqual({ isRefused: true, out: "" });
  expect(err).toContain(why);
  expect((await postern("hook", "list")).out).not.toMatch(/^x\b/m);
});
