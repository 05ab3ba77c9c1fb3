/**
 * A flood of idle connections against the built executable, while an order is placed and canceled as ever:
 *
 *   bun run flood [--executable dist/postern]
 *
 * Once with 20,000 connections from four addresses, and once where the process has 400 descriptors and one address, from
 * which the trader comes as well. Throughout, the kept-alive connection of the trader stays open, thirty orders at a time find
 * their connections to the exchange, a newcomer's /healthz is answered, and a stream of events goes on.
 */
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";

const { values } = parseArgs({
  options: { executable: { type: "string", default: join(import.meta.dir, "..", "dist", "postern") } },
});
const EXECUTABLE = resolve(values.executable);
const FLOODER = join(import.meta.dir, "../test/hostile/flood-child.ts");
/** How long it lasts, milliseconds. */
const FLOOD_MS = 12_000;
/** Orders of one burst: each needs a connection to the exchange of its own. */
const BURST = 30;
/** The longest that anything may take meanwhile, milliseconds; the machine's two processors do the flooding as well. */
const PATIENCE_MS = 5_000;

type Flood = {
  name: string;
  descriptors: number | null;
  from: readonly string[];
  connections: number;
  perSecond: number;
};

const FLOODS: readonly Flood[] = [
  {
    name: "20,000 idle connections from four addresses",
    descriptors: null,
    connections: 20_000,
    perSecond: 4_000,
    from: ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"],
  },
  { name: "400 descriptors", descriptors: 400, from: ["127.0.0.1"], connections: 2_000, perSecond: 400 },
];

/** The deadline and the life of an action that a real gateway has; those of the scene are short. */
const SETTINGS = {
  POSTERN_METRICS_LISTEN: "127.0.0.1:0",
  POSTERN_ANSWER_DEADLINE_MS: "8000",
  POSTERN_ACTION_LIFE_MS: "12000",
};

const findings: string[] = [];

function say(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) findings.push(what);
}

type Answer = { status: number; text: string; tookMs: number };
type Asked = { path: string; body?: object; key?: string; agent?: Agent };

/** One request; without an agent on a connection of its own. Status 0: no answer. */
function ask(baseUrl: string, apiKey: string, { path, body, key, agent }: Asked): Promise<Answer> {
  const startedMs = performance.now();
  return new Promise((settle) => {
    const done = (status: number, text: string) => settle({ status, text, tookMs: performance.now() - startedMs });
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    };
    const method = body === undefined ? "GET" : "POST";
    const asked = httpRequest(baseUrl + path, { method, headers, agent: agent ?? false }, (answer) => {
      let text = "";
      answer.on("data", (piece: Buffer) => {
        text += piece.toString();
      });
      answer.on("end", () => done(answer.statusCode ?? 0, text));
    });
    asked.on("error", (error) => done(0, error.message));
    asked.setTimeout(PATIENCE_MS * 2, () => asked.destroy());
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

type Trader = { baseUrl: string; scene: Scene };

/** Places and cancels, now over one kept-alive connection and now over new ones, until told to stop. */
async function trade({ baseUrl, scene }: Trader, name: string, isOver: () => boolean) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: Answer[] = [];
  const newcomers: Answer[] = [];
  for (let nth = 0; !isOver(); nth += 1) {
    const how = nth % 2 === 0 ? { agent } : {};
    const body = { account: scene.account, market: "BTC", side: "buy", size: "0.001", price: "50000" };
    const key = `flood-${name}-${nth}`;
    const placed = await ask(baseUrl, scene.apiKey, { path: "/v1/orders", body, key, ...how });
    answers.push(placed);
    const id = placed.status === 201 ? JSON.parse(placed.text).id : "none";
    answers.push(
      await ask(baseUrl, scene.apiKey, { path: `/v1/orders/${id}/cancel`, body: {}, key: `${key}-x`, ...how }),
    );
    newcomers.push(await ask(baseUrl, "", { path: "/healthz" }));
    await Bun.sleep(50);
  }
  agent.destroy();
  return { answers, newcomers };
}

/** So many at the same moment: the exchange's connections have to be opened. */
function burst({ baseUrl, scene }: Trader, name: string): Promise<Answer[]> {
  const body = { account: scene.account, market: "BTC", side: "buy", size: "0.001", price: "50000" };
  return Promise.all(
    Array.from({ length: BURST }, (_, nth) =>
      ask(baseUrl, scene.apiKey, { path: "/v1/orders", body, key: `burst-${name}-${nth}` }),
    ),
  );
}

function judge(what: string, answers: readonly Answer[], wanted: readonly number[]): void {
  const others = answers.filter(({ status }) => !wanted.includes(status));
  const times = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const [middle, last] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0];
  const first = others[0] === undefined ? "" : ` ${others[0].status} ${others[0].text.slice(0, 160)}`;
  const told = `${what}: ${answers.length - others.length} of ${answers.length}`;
  say(`${told}, p50 ${Math.round(middle)} ms, most ${Math.round(last)} ms${first}`, others.length === 0);
  say(`${what}: none took longer than ${PATIENCE_MS / 1_000} s`, last < PATIENCE_MS);
}

function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
}

async function flood(gateway: Started, trader: Trader, { name, from, connections, perSecond }: Flood): Promise<void> {
  const port = new URL(trader.baseUrl).port;
  const [share, rate] = [connections, perSecond].map((all) => String(Math.ceil(all / from.length)));
  const stream = await listen(trader);
  const flooders = from.map((address) =>
    Bun.spawn([process.execPath, FLOODER, port, share ?? "", address, rate ?? ""], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    }),
  );
  const untilMs = performance.now() + FLOOD_MS;
  const short = name.replaceAll(/[^a-z0-9]/g, "");
  const trading = trade(trader, short, () => performance.now() > untilMs);
  await Bun.sleep(FLOOD_MS / 3);
  const bursts = [...(await burst(trader, `${short}-1`)), ...(await burst(trader, `${short}-2`))];
  const { answers, newcomers } = await trading;
  const text = await (await fetch(gateway.facts["metrics_url"] ?? "")).text();
  for (const flooder of flooders) void flooder.stdin.end();
  const opened = await Promise.all(flooders.map((flooder) => flooder.stdout.text()));
  const count = opened.reduce((sum, one) => sum + Number(one), 0);
  const [held, room] = [metric(text, "postern_connections"), metric(text, "postern_connections_limit")];
  const ended = metric(text, "postern_connections_closed_total");
  const fds = `${metric(text, "process_open_fds")} of ${metric(text, "process_max_fds")} descriptors`;
  const shortages = metric(text, "postern_descriptor_shortages_total");
  console.log(
    `${name}: ${count} opened, ${held} held of ${room}, ${ended} closed, ${fds}, ${shortages} looks without any`,
  );
  say("the flood was one", count > room * 2 && ended > 0);
  say("no more are held than there is room for", held <= room);
  judge("orders and cancels", answers, [200, 201]);
  judge("orders of a burst", bursts, [201]);
  judge("a newcomer's /healthz", newcomers, [200]);
  const { events, hasEnded } = stream.told();
  say(`the stream of events went on (${events} events)`, !hasEnded && events > answers.length / 2);
  await stream.leave();
}

/** A stream of events, read as it comes. */
async function listen({ baseUrl, scene }: Trader) {
  const leaving = new AbortController();
  const headers = { Authorization: `Bearer ${scene.apiKey}` };
  const { body } = await fetch(`${baseUrl}/v1/events`, { headers, signal: leaving.signal });
  let [events, hasEnded] = [0, false];
  const read = (async () => {
    for await (const piece of body ?? []) events += Buffer.from(piece).toString().split("\nevent: ").length - 1;
  })().catch(() => undefined);
  const reading = read.then(() => {
    hasEnded = true;
  });
  return {
    told: () => ({ events, hasEnded }),
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}

async function run(one: Flood): Promise<void> {
  const scene = await setScene({ executable: [EXECUTABLE], faults: { rules: [] } });
  try {
    const logFile = join(scene.directory, "log");
    const { command, environment } = scene.serve([EXECUTABLE], SETTINGS);
    const limit = one.descriptors === null ? ":" : `ulimit -n ${one.descriptors}`;
    const logged = ["sh", "-c", `${limit}; log="$1"; shift; exec "$@" 2>"$log"`, "sh", logFile, ...command];
    const gateway = await start({ command: logged, environment: { ...environment } });
    if ("endedEarly" in gateway || !(await waitUntilReady(gateway))) throw new Error("the gateway did not start");
    await flood(gateway, { baseUrl: gateway.facts["base_url"] ?? "", scene }, one);
    const log = readFileSync(logFile, "utf8");
    say("the log says that connections were closed", log.includes("too many connections; idle ones were closed"));
    const errors = log.split("\n").filter((line) => line.includes('"level":50') && !line.includes("EMFILE"));
    say(`nothing else was logged as an error ${errors[0] ?? ""}`, errors.length === 0);
    say("it stops when it is asked to", (await gateway.kill("SIGTERM")) === 0);
  } finally {
    await scene.close();
  }
}

for (const one of FLOODS)
  if (process.env["ONLY"] === undefined || one.name.includes(process.env["ONLY"])) await run(one);
console.log(`${Math.round(performance.now() / 1_000)} s, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
