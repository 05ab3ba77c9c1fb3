/**
 * How true reads are while an account is polled and traded, in real time, with the settings that a gateway has by itself:
 *
 *   bun run reads [--minutes 10] [--states every|change] [--feed live|cut|frozen|lagging|resubscribing] [--lag 3]
 *   bun run reads --modify 1000 [--minutes 10]
 *
 * Two keys poll account, positions, open orders and TWAPs five times a second each, a page is open, a third key trades, and
 * the owner trades by hand beside the gateway. The paper exchange is in this process: the age of every answer is measured
 * against its state itself. With --modify one order is modified every so many milliseconds instead.
 */
import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { addressOfKey } from "../src/vault/signers.ts";
import { type Started, start, waitUntilReady } from "../test/crash/processes.ts";
import { type Scene, setScene } from "../test/crash/scene.ts";
import { beAPage, openClient, poll } from "./reads/client.ts";
import { type KnownExchange, openKnownExchange } from "./reads/exchange.ts";
import { judgeReads, judgeTold, judgeWeight } from "./reads/judge.ts";
import { modifyOne } from "./reads/modify.ts";
import { openNotes } from "./reads/notes.ts";
import { SOCKET_FAULTS } from "./reads/sockets.ts";
import { beByHand, type Hands, type Told, trade, tradeFor } from "./reads/trading.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    states: { type: "string", default: "every" },
    feed: { type: "string", default: "live" },
    lag: { type: "string", default: "3" },
    modify: { type: "string" },
    executable: { type: "string" },
  },
});
const EXECUTABLE =
  values.executable === undefined
    ? [process.execPath, join(import.meta.dir, "../src/main.ts")]
    : [resolve(values.executable)];
const FEED = SOCKET_FAULTS.find((kind) => kind === values.feed);
if (FEED === undefined) throw new Error(`--feed is one of ${SOCKET_FAULTS.join(", ")}`);
const RUN_MS = Number(values.minutes) * 60_000;
/** States come every five ticks of a second. */
const EVERY_TICKS = 5;
/** So long everything is left alone first, milliseconds. */
const SETTLE_MS = 8_000;
/** The feed is well for so long, milliseconds. */
const WELL_MS = 5_000;
/** Five times a second. */
const POLL_MS = 200;
const POLLED = ["/v1/account", "/v1/positions", "/v1/orders?status=open", "/v1/twaps"];

const findings: string[] = [];

function say(what: string, isTrue: boolean): void {
  console.log(`${isTrue ? "ok    " : "FAILED"} ${what}`);
  if (!isTrue) findings.push(what);
}

type Stage = { exchange: KnownExchange; scene: Scene; gateway: Started; baseUrl: string };

async function readAndTrade({ exchange, scene, gateway, baseUrl }: Stage): Promise<void> {
  const notes = openNotes(exchange.truth);
  const keys = [scene.apiKey, ...(await Promise.all([1, 2, 3].map(() => scene.newKey(gateway))))];
  const [first, second, trader, page] = keys.map((key) => openClient(baseUrl, key, notes));
  if (first === undefined || second === undefined || trader === undefined || page === undefined)
    throw new Error("bug: too few keys");
  tradeFor(trader, scene.account);
  const stranger = new Uint8Array(randomBytes(32));
  exchange.fund(addressOfKey(stranger));
  const hands: Hands = { exchange, stranger, owner: scene.ownerKey };
  const told: Told = { notes, resting: null, twapId: null, byEvent: new Map(), byAnswer: new Map() };
  await Bun.sleep(SETTLE_MS);
  const startedMs = Date.now();
  const isOver = () => Date.now() - startedMs > RUN_MS;
  const hear = (type: string, order: Record<string, unknown>, atMs: number) => {
    if (!type.startsWith("order.")) return;
    notes.shown(order, type);
    const oid = String(order["exchange_order_id"]);
    if (order["status"] === "filled" && !told.byEvent.has(oid)) told.byEvent.set(oid, atMs);
  };
  console.log(`from ${new Date(startedMs).toISOString()} on`);
  const striking = Bun.sleep(WELL_MS).then(() => exchange.strike());
  await Promise.all([
    ...[first, second].flatMap((client) => POLLED.map((path) => poll(client, path, POLL_MS, isOver))),
    poll(trader, "/v1/fills?limit=200", POLL_MS * 2, isOver),
    beAPage(page, isOver, hear),
    trade(trader, hands, told, isOver),
    beByHand(hands, isOver),
    striking,
  ]);
  judgeReads(notes, { isLive: FEED === "live", say });
  judgeTold(told, exchange, { isLive: FEED === "live", say });
  judgeWeight(exchange.spent, startedMs, say);
}

async function run(): Promise<void> {
  const states = { onChange: values.states === "change", everyTicks: EVERY_TICKS };
  const exchange = openKnownExchange({ states, feed: { kind: FEED ?? "live", lagMs: Number(values.lag) * 1_000 } });
  const scene = await setScene({
    executable: EXECUTABLE,
    faults: {},
    exchange: (owner) => {
      exchange.fund(owner);
      return { url: exchange.url, close: () => exchange.stop() };
    },
  });
  exchange.watch(scene.owner);
  // Without the settings of a scene: those that a gateway has by itself.
  const gateway = await start({ command: scene.serve(EXECUTABLE).command });
  try {
    if ("endedEarly" in gateway) throw new Error(`the gateway did not start: ${gateway.endedEarly}`);
    if (!(await waitUntilReady(gateway))) throw new Error("the gateway was not ready");
    const stage = { exchange, scene, gateway, baseUrl: gateway.facts["base_url"] ?? "" };
    if (values.modify === undefined) await readAndTrade(stage);
    else await modifyOne({ ...stage, everyMs: Number(values.modify), runMs: RUN_MS, say });
  } finally {
    if (!("endedEarly" in gateway)) await gateway.kill("SIGTERM");
    await scene.close();
  }
}

const how =
  values.modify === undefined ? `states ${values.states}, feed ${FEED}` : `a modify every ${values.modify} ms`;
console.log(`${how}, ${values.minutes} min, load ${loadavg()[0]?.toFixed(1)} at the start`);
await run();
console.log(`load ${loadavg()[0]?.toFixed(1)} at the end, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
