/** Each example as a reader would run it, with the client that the gateway serves, on a network that loses things. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Started, start } from "../../test/crash/processes.ts";
import { type LossyProxy, openLossyProxy } from "./lossy-proxy.ts";

type Example = {
  file: string;
  command: readonly string[];
  /** File of the client below /llms, and what it is called beside the example. */
  client: readonly [string, string] | null;
};

type Ran = { exitCode: number; out: string; err: string };

const EXAMPLES: readonly Example[] = [
  { file: "trade.mjs", command: ["node", "trade.mjs"], client: ["postern.js", "postern.mjs"] },
  { file: "trade.py", command: ["python3", "-Bu", "trade.py"], client: ["postern.py", "postern.py"] },
  { file: "trade.sh", command: ["bash", "trade.sh"], client: null },
];

const ROOT = join(import.meta.dir, "../..");
const PROGRAM = join(ROOT, "dist/postern");
/** Milliseconds for one example. */
const MAX_RUN_MS = 60_000;

/** The gateway does not hear from the exchange what became of the order, and says so before it finds out. */
const UNKNOWN_FOR_A_WHILE = {
  rules: [
    { on: "exchange", type: "order", times: 1, fault: { kind: "lose_answer", executed: true } },
    { on: "info", type: "orderStatus", times: 1, fault: { kind: "delay", ms: 1_500, executed: true } },
  ],
};
const IMPATIENT = { POSTERN_ANSWER_DEADLINE_MS: "200" };

/** Runs all of them; prints what does not hold, and returns how many of them it does not hold for. */
export async function tryExamples(directory: string): Promise<{ tried: number; failed: number }> {
  const data = ["--data-dir", join(directory, "data"), "--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
  const gateway = await start({
    command: [PROGRAM, "serve", "--paper", "--json", "--control", ...data],
    environment: IMPATIENT,
  });
  if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
  let failed = 0;
  try {
    for (const example of EXAMPLES) {
      const faults = await tryExample(example, gateway, join(directory, example.file));
      for (const fault of faults) console.log(`FAILED  examples/${example.file}: ${fault}`);
      console.log(`${faults.length === 0 ? "ok      " : "FAILED  "}examples/${example.file}`);
      failed += faults.length === 0 ? 0 : 1;
    }
  } finally {
    await gateway.kill("SIGTERM");
  }
  return { tried: EXAMPLES.length, failed };
}

async function tryExample({ file, command, client }: Example, gateway: Started, place: string): Promise<string[]> {
  const { base_url: url = "", exchange_url: exchangeUrl = "", api_key: apiKey = "", account = "" } = gateway.facts;
  mkdirSync(place);
  copyFileSync(join(ROOT, "examples", file), join(place, file));
  if (client !== null) await Bun.write(join(place, client[1]), await fetch(`${url}/llms/${client[0]}`));
  const told = await fetch(`${url}/v1/whoami`, { headers: { Authorization: `Bearer ${apiKey}` } });
  const { trading_address: user } = (await told.json()) as { trading_address: string };
  await post(`${exchangeUrl}/control`, { faults: UNKNOWN_FOR_A_WHILE });
  const before = await ordersOf(exchangeUrl, user);
  const proxy = await openLossyProxy(url);
  try {
    const ran = await run(command, place, { POSTERN: proxy.url, API_KEY: apiKey, ACCOUNT: account });
    const after = await ordersOf(exchangeUrl, user);
    const placed = [...after].filter((id) => !before.has(id));
    const faults = [
      ...faultsOf(ran, proxy),
      ...(placed.length === 1 ? [] : [`${placed.length} orders at the exchange`]),
    ];
    return faults.length === 0 ? [] : [...faults, `${ran.out}${ran.err}${proxy.writes.join("\n")}`];
  } finally {
    proxy.close();
  }
}

/** What was to go wrong did, and nothing came of it. */
function faultsOf({ exitCode, out, err }: Ran, { writes, streams }: LossyProxy): string[] {
  const placing = writes.filter((words) => words.startsWith("POST /v1/orders "));
  const keys = new Set(placing.map((words) => words.split(" ")[2]));
  const wanted: [string, boolean][] = [
    [`exit code 0, and not ${exitCode} (143: it had not ended after ${MAX_RUN_MS / 1_000} s)`, exitCode === 0],
    ["it says that the order was placed", /^placed \S+ \w+$/m.test(out)],
    ["it was told that it is open, and that it is canceled", /^told open, .*^told canceled, /ms.test(out)],
    ["the answer to placing was lost once, and asked for again", placing.length >= 2 && placing.every(isLostFirst)],
    ["the gateway said once that nobody knows", placing.some((words) => / 202 /.test(words))],
    ["one key for the order", keys.size === 1],
    ["the stream was cut, and gone on with where it was", streams.length >= 2 && streams.slice(1).every(isPlace)],
    ["nothing was taken for a fault of the program", !err.includes("Error") && !err.includes("Traceback")],
  ];
  return wanted.filter(([, holds]) => !holds).map(([what]) => `it does not hold: ${what}`);
}

function isLostFirst(words: string, at: number): boolean {
  return words.endsWith("lost") === (at === 0);
}

function isPlace(place: string | null): boolean {
  return place !== null && /^[1-9][0-9]*$/.test(place);
}

/** Native ids of all that the exchange ever took from this address. */
async function ordersOf(exchangeUrl: string, user: string): Promise<Set<number>> {
  const history = (await post(`${exchangeUrl}/info`, { type: "historicalOrders", user })) as {
    order: { oid: number };
  }[];
  const open = (await post(`${exchangeUrl}/info`, { type: "frontendOpenOrders", user })) as { oid: number }[];
  return new Set([...history.map(({ order }) => order.oid), ...open.map(({ oid }) => oid)]);
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function run(command: readonly string[], cwd: string, environment: Record<string, string>): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", TMPDIR: cwd, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: MAX_RUN_MS,
  });
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, out, err };
}
