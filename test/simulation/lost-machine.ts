/**
 * One run in which the machine is lost and a snapshot of its database takes its place elsewhere, under one seed: when the
 * snapshot is taken, what is traded after it, whether the lost machine is dead or still trades, how the network is. Every
 * key is asked again of the new one, and held against what the exchange has.
 */

import { basename, join } from "node:path";
import { insertAgent, markAgentApproved, retireAgent } from "../../src/store/agents.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { awaitsTakeUp, markRestored } from "../../src/store/restores.ts";
import { emptyLog, snapshotInto } from "../../src/store/snapshot.ts";
import { keyDigitsOf, keyDigitsOfCloid } from "../../src/wire/order-id.ts";
import { EVERY_KEY } from "../support/every-row.ts";
import { syncInTurn } from "../support/sync-in-turn.ts";
import { tradeByHand } from "./by-hand.ts";
import { type Chance, openChance } from "./chance.ts";
import { fieldOf } from "./clients.ts";
import { openDisk } from "./disk.ts";
import { type Answered, type Ask, askDirectly } from "./front.ts";
import { openHistory } from "./history.ts";
import { NODES, openNetwork } from "./network.ts";
import { MAKER, openPlainVenue, TAKER } from "./plain-venue.ts";
import { type GatewayProcess, type Host, INSTANCE, startProcess } from "./process.ts";
import { limit, trade } from "./scene.ts";
import { signersOf } from "./signers.ts";
import { makeTemplate, PARTIES, START_MS } from "./template.ts";
import { openTimeline, settleOnce } from "./timeline.ts";
import type { Venue } from "./venue.ts";
import { drawWeather, fatesOf } from "./weather.ts";

export type LostRun = {
  findings: string[];
  /** Orders that the exchange took of our account. */
  orders: number;
  /** Of those, how many the snapshot did not know. */
  adopted: number;
  hash: string;
};

const [PARTY] = PARTIES;
const NEW_AGENT = `0x${"7".repeat(40)}`;
const KEYS = 10;
/** Everything is settled and every account taken up within this after the faults have ended, milliseconds. */
const SETTLED_WITHIN_MS = 240_000;

/** What a lost machine that still runs finds out, and is right about. */
const RIGHTLY_SAID = /two machines trade as this gateway/;
/** By a node that stands still, or of the agent whose name was taken. */
const AGENT_NOT_LISTED = /does not list this agent/;

type Wish = {
  key: string;
  ask: Extract<Ask, { kind: "place" }>;
  atMs: number;
  asked: number;
  heard: (Answered & { by: string })[];
};

export async function runLostMachine(seed: number, directory: string): Promise<LostRun> {
  if (PARTY === undefined) throw new Error("bug: a run without parties");
  const chance = openChance(seed);
  const faultsEndMs = chance.between(20_000, 60_000);
  const snapshotAtMs = chance.between(0, faultsEndMs - 5_000);
  const lostAtMs = chance.between(snapshotAtMs + 1, faultsEndMs);
  const restoredAtMs = lostAtMs + chance.pick([1, 1_000, 20_000]);
  const approvedAtMs = restoredAtMs + chance.pick([1, 2_000, 40_000]);
  // Half of the time it only seemed lost, and goes on trading until the new agent takes its name.
  const isUndead = chance.isLucky(0.5);
  // What the lost machine sent last is still on its way when the new one starts, and is asked again at once.
  const isLate = chance.isLucky(0.5);
  const timeline = openTimeline(settleOnce);
  const history = openHistory(false, timeline.nowMs);
  const name = join(directory, `lost-${crypto.randomUUID()}`);
  const template = `${name}-template.db`;
  makeTemplate(template);
  const venue = openPlainVenue({ seed, nowMs: () => START_MS + timeline.nowMs() });
  const network = openNetwork({ timeline, venue, chance: chance.split(), history });
  const weather = fatesOf(drawWeather(chance.split(), faultsEndMs), chance.split(), faultsEndMs);
  const late = chance.split();
  network.setFate((sent) => {
    const isHeld = isLate && sent.path === "/exchange" && sent.atMs <= lostAtMs && late.isLucky(0.7);
    return isHeld ? { arrivesAfterMs: [late.between(2_000, 13_000)], answer: { kind: "silence" } } : weather(sent);
  });
  if (isLate && late.isLucky(0.5)) {
    for (let node = 0; node < NODES; node += 1) {
      timeline.after(Math.max(0, lostAtMs - late.between(0, 2_000)), () => network.freeze(node));
      timeline.after(lostAtMs + late.between(30_000, 60_000), () => network.thaw(node));
    }
  }
  const findings: string[] = [];
  const disks = [openDisk({ directory, name: basename(`${name}-a`), template })];
  const bytes = chance.split();
  const host = (number: number): Host => ({
    timeline,
    network,
    history,
    clockErrorMs: () => 0,
    doomsEndMs: 0,
    exchangeWeightPerMinute: 1_200,
    disk: disks[number] ?? failed("a disk that is not there"),
    signers: () => signersOf([...PARTIES.map(({ agent }) => agent), NEW_AGENT]),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => bytes.between(0, 255)),
    onError: (text) => {
      const isExpected = AGENT_NOT_LISTED.test(text) || (number === 0 && RIGHTLY_SAID.test(text));
      if (!isExpected) findings.push(text);
    },
    onDeath: () => undefined,
  });
  const first = startProcess(host(0), 1, null) ?? failed("no first machine");
  let second: GatewayProcess | null = null;
  const wishes = isLate
    ? drawWishes(chance.split(), { fromMs: Math.max(0, lostAtMs - 4_000), toMs: lostAtMs })
    : drawWishes(chance.split(), { fromMs: 0, toMs: faultsEndMs + 40_000 });
  const snapshot = `${name}-snapshot.db`;
  const asking = chance.split();

  function put(wish: Wish, process: GatewayProcess, by: string): void {
    wish.asked += 1;
    askDirectly(process, PARTY ?? failed("no party"), wish.key, wish.ask).then(
      (answered) => void (process.isAlive() && wish.heard.push({ ...answered, by })),
      (error: unknown) =>
        void (process.isAlive() && findings.push(`${wish.key} failed inside ${by}: ${String(error)}`)),
    );
  }

  /** Clients that do not know which machine is the right one ask either. */
  function askSome(wish: Wish): void {
    const living = [first, second].filter((process) => process?.isAlive() === true);
    if (living.length > 0) {
      const process = asking.pick(living);
      if (process !== null) put(wish, process, process === first ? "the first" : "the second");
    }
  }

  for (const wish of wishes) {
    let atMs = wish.atMs;
    for (let time = isLate ? 20 : asking.between(1, 4); time > 0; time -= 1) {
      timeline.after(atMs, () => askSome(wish));
      atMs += asking.between(1, isLate ? 4_000 : 15_000);
    }
  }
  for (let step = chance.between(0, 8); step > 0; step -= 1) {
    const isBuy = chance.isLucky(0.5);
    const [who, price] = chance.isLucky(0.5) ? [MAKER, isBuy ? 94_900 : 95_100] : [TAKER, isBuy ? 95_200 : 94_800];
    timeline.after(chance.between(0, faultsEndMs), () => trade({ venue }, who, { isBuy, price, size: "0.03" }));
  }
  timeline.after(snapshotAtMs, () => void snapshotInto(disks[0]?.path() ?? "", snapshot));
  if (!isUndead) timeline.after(lostAtMs, () => first.die("kill", 1));
  timeline.after(restoredAtMs, () => {
    restoreSnapshot(snapshot, START_MS + timeline.nowMs());
    disks.push(openDisk({ directory, name: basename(`${name}-b`), template: snapshot }));
    second = startProcess(host(1), 2, null);
  });
  timeline.after(approvedAtMs, () => approve(venue, second ?? failed("no second machine")));
  await timeline.runUntil(Math.max(faultsEndMs, approvedAtMs) + SETTLED_WITHIN_MS);
  const taking: GatewayProcess = second ?? failed("no second machine");
  if (awaitsTakeUp(taking.gateway.deps.store, PARTY.account.id)) findings.push("the account was never taken up");
  const known = keysIn(snapshot);
  for (const wish of wishes.filter(({ heard }) => heard.some(({ status }) => status < 300)))
    put(wish, taking, "the end");
  for (let nth = 0; nth < 12; nth += 1) {
    tradeByHand(venue, PARTIES);
    await timeline.runUntil(timeline.nowMs() + 10_000);
  }
  for (const wish of wishes.filter(({ heard }) => heard.some(({ status }) => status < 300)))
    put(wish, taking, "the end");
  await timeline.runUntil(timeline.nowMs() + 20_000);
  if (isUndead) first.die("kill", 1);
  findings.push(...wishes.flatMap((wish) => auditWish(venue, wish)));
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([wishes, cloidsOf(venue)])).digest("hex");
  taking.die("kill", 1);
  await settleOnce();
  for (const disk of disks) disk.remove();
  const adopted = wishes.filter((wish) => !known.has(wish.key) && ordersOf(venue, wish).length > 0).length;
  return { findings, orders: cloidsOf(venue).length, adopted, hash };
}

function failed(what: string): never {
  throw new Error(`bug: ${what}`);
}

function drawWishes(chance: Chance, { fromMs, toMs }: { fromMs: number; toMs: number }): Wish[] {
  return Array.from({ length: KEYS }, (_, number) => {
    const isBuy = chance.isLucky(0.5);
    const side = isBuy ? ("buy" as const) : ("sell" as const);
    const far = chance.between(1, 500);
    const price = chance.isLucky(0.5) ? (isBuy ? 95_200 : 94_800) : isBuy ? 94_500 - far : 95_500 + far;
    const timeInForce = chance.pick(["gtc", "gtc", "ioc", "alo"] as const);
    const ask = { ...limit(side, price, `0.0${chance.between(1, 9)}`), timeInForce };
    return {
      key: `wish-${String(number).padStart(4, "0")}`,
      ask,
      atMs: chance.between(fromMs, toMs),
      asked: 0,
      heard: [],
    };
  });
}

/** What `postern restore` does to a snapshot, with the keys kept and the new agent's key made. */
function restoreSnapshot(path: string, nowMs: number): void {
  const store = openStore(path, { syncOf: syncInTurn });
  markRestored(store, nowMs);
  for (const { account, key } of PARTIES) {
    setKeyState(store, key.keyHash, "active", nowMs);
    if (account !== PARTY?.account) continue;
    const times = { createdAtMs: nowMs, approvedAtMs: null, validUntilMs: null };
    const { ownerAddress } = account;
    const sealedKey = new Uint8Array(8);
    insertAgent(store, { address: NEW_AGENT, ownerAddress, name: "postern-1", state: "new", sealedKey, ...times });
  }
  emptyLog(store);
  closeStore(store);
}

function approve(venue: Venue, { gateway }: GatewayProcess): void {
  const owner = PARTY?.account.ownerAddress ?? "";
  venue.act(owner, { type: "approveAgent", agentAddress: NEW_AGENT, agentName: "postern-1" });
  const { store, clock } = gateway.deps;
  inTransaction(store, () => {
    markAgentApproved(store, NEW_AGENT, { approvedAtMs: clock.nowMs(), validUntilMs: null });
    retireAgent(store, PARTY?.agent ?? "");
  });
}

/** Client order ids of every order that the exchange ever took of our account. */
function cloidsOf(venue: Venue): string[] {
  return [...venue.account(PARTY?.account.tradingAddress ?? "").cloids.keys()];
}

function ordersOf(venue: Venue, { key }: Wish): string[] {
  const accountId = PARTY?.account.id ?? "";
  const digits = keyDigitsOf(INSTANCE.secret, { accountId, idempotencyKey: key });
  return cloidsOf(venue).filter((cloid) => keyDigitsOfCloid(cloid) === digits);
}

function keysIn(path: string): Set<string> {
  const store: Store = openStore(path, { syncOf: syncInTurn });
  const rows = store.$client.query<{ key: string }, []>(`SELECT key FROM ${EVERY_KEY}`).all();
  closeStore(store);
  return new Set(rows.map(({ key }) => key));
}

/** One key, at most one order; and what the new machine says in the end is what the exchange has. */
function auditWish(venue: Venue, wish: Wish): string[] {
  const { key, heard } = wish;
  const placed = ordersOf(venue, wish);
  if (placed.length > 1) return [`${key} was executed ${placed.length} times: ${placed.join(", ")}`];
  const last = heard.at(-1);
  const isTaken = heard.some(({ status }) => status < 300);
  const [cloid] = placed;
  if (last === undefined || !isTaken) {
    const isHeard = heard.length === wish.asked;
    return cloid === undefined || !isHeard ? [] : [`${key} was executed, and everybody was told that nothing was sent`];
  }
  if (last.by !== "the end") return [`${key} was not answered in the end`];
  const status = fieldOf(last.body, "status");
  if (last.status !== 201) return [`${key} was never settled: ${last.status} ${last.body}`];
  if (cloid === undefined) return status === "rejected" ? [] : [`${key} is ${status}, and the exchange has no order`];
  const oid = venue.account(PARTY?.account.tradingAddress ?? "").cloids.get(cloid);
  const told = fieldOf(last.body, "exchange_order_id");
  const record = oid === undefined ? null : venue.record(PARTY?.account.tradingAddress ?? "", oid);
  if (status === "rejected" && record?.status.endsWith("Rejected") === true) return [];
  return told === String(oid) ? [] : [`${key} is answered with ${told} (${status}), and the exchange has ${oid}`];
}
