/** What comes between the requests of a run: prices, time, deaths, stops, narrowings, trips, and hands that are nobody's. */
import { enterTrade } from "../../src/actions/enter-trade.ts";
import { stopTrading } from "../../src/actions/stop-trading.ts";
import { decimal } from "../../src/core/decimal.ts";
import { parseNarrowing } from "../../src/core/rails/grammar.ts";
import { dayOf as tripDay } from "../../src/core/rails/trip.ts";
import { nextSteps } from "../../src/core/trade-step.ts";
import { newUuid } from "../../src/core/uuid.ts";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { narrowBot } from "../../src/settle/stop/narrow-bot.ts";
import { placeGuard } from "../../src/settle/trade/place-guard.ts";
import { factsOf, NOTHING_READ } from "../../src/settle/trade/trade-facts.ts";
import { findApiKey } from "../../src/store/api-keys.ts";
import { commitDelayed, inTransaction } from "../../src/store/commit.ts";
import { forget } from "../../src/store/remembered.ts";
import { listStandingStops, resumeStops } from "../../src/store/stops.ts";
import { listOpenTrades, putTrade } from "../../src/store/trades.ts";
import { clearTrips, findTrip, insertTrip } from "../../src/store/trips.ts";
import { dayOf } from "./auditor.ts";
import { drawNarrowing, narrowed } from "./draw.ts";
import { ACCOUNT, openGateway } from "./gateway.ts";
import { type Run, refresh, showPositions } from "./one-run.ts";

export function movePrice(run: Run): void {
  const { chance, middles } = run;
  run.middles = middles.map((middle) => Math.round(middle * chance.pick([0.97, 0.995, 1, 1.005, 1.03])));
  if (!run.isDark) refresh(run);
}

export function darken(run: Run): void {
  run.isDark = !run.isDark;
}

const WAITS_MS = [1_000, 6_000, 20_000, 70_000, 400_000, 13 * 3_600_000] as const;

export function pass(run: Run): void {
  const { chance, clock, auditor } = run;
  const before = dayOf(clock.nowMs());
  clock.pass(chance.pick(WAITS_MS));
  if (dayOf(clock.nowMs()) !== before) for (const book of auditor.books) book.halts.delete("trip");
}

/** A new process: what was under way is unknown, and nothing is left but the rows. */
export function restart(run: Run): void {
  const { store, clock, outside, asking } = run;
  commitDelayed(store);
  forget(store);
  run.gateway = openGateway(store, clock, outside);
  asking.gateway = run.gateway;
  markInterrupted(run.gateway.deps);
  showPositions(run);
}

export function stopOrResume(run: Run): void {
  const { chance, store, gateway, auditor, clock } = run;
  if (chance.isLucky(0.4)) {
    const ids = listStandingStops(store, ACCOUNT.id).map(({ id }) => id);
    inTransaction(store, () => resumeStops(store, ids, { actor: "operator", atMs: clock.nowMs() }));
    for (const { halts } of auditor.books) for (const each of ["stop", "account"] as const) halts.delete(each);
    return;
  }
  const isOfAll = chance.isLucky(0.2);
  const by = isOfAll ? run.plain : chance.pick(run.bots);
  const wanted = { scope: isOfAll ? "account" : "bot", keepsProtection: true, idempotencyKey: null } as const;
  stopTrading(gateway.deps, by.key.caller, wanted);
  for (const { name, halts } of auditor.books)
    if (isOfAll || name === by.holder) halts.add(isOfAll ? "account" : "stop");
}

export function narrow(run: Run): void {
  const { chance, store, gateway, auditor } = run;
  const by = chance.pick(run.bots);
  const text = drawNarrowing(chance);
  const parsed = parseNarrowing(text);
  const key = findApiKey(store, by.key.keyHash);
  if (parsed.kind === "fault" || key === null) throw new Error("bug: a narrowing that is none");
  const wanted = { key, narrowing: parsed.narrowing, isToCancel: false, actor: by.key.keyHash };
  inTransaction(store, () => void narrowBot(store, gateway.deps, wanted));
  for (const book of auditor.books) if (book.name === by.holder) book.limits = narrowed(book.limits, text);
}

export function trip(run: Run): void {
  const { chance, store, auditor, clock } = run;
  const book = chance.pick(auditor.books);
  const of = { accountId: ACCOUNT.id, bot: book.name };
  const atMs = clock.nowMs();
  const day = tripDay(atMs);
  const standing = findTrip(store, of, day);
  inTransaction(store, () => {
    const id = newUuid(crypto.getRandomValues(new Uint8Array(16)));
    const made = { id, ...of, cause: "loss", day, loss: decimal("9"), limit: decimal("9") } as const;
    if (standing !== null) clearTrips(store, [standing], { actor: "operator", atMs });
    else insertTrip(store, { ...made, createdAtMs: atMs, clearedAtMs: null }, "gateway");
  });
  if (standing === null) book.halts.add("trip");
  else book.halts.delete("trip");
}

/** A liquidation, or the owner's own hand: no bot's. */
export function byNobody({ chance, venue }: Run): void {
  const asset = chance.pick([0, 1]);
  venue.positions[asset] = chance.isLucky(0.5) ? 0 : (venue.positions[asset] ?? 0) + chance.pick([-100, -20, 20, 100]);
}

/** What pursues trades in earnest does the same in a loop. */
export async function stepTrades(run: Run): Promise<void> {
  const { gateway, store } = run;
  const { deps } = gateway;
  for (const trade of listOpenTrades(store)) {
    run.current = {
      asker: "gateway",
      holder: run.bots.find(({ key }) => key.keyHash === trade.keyHash)?.holder ?? "plain",
    };
    const waiting = factsOf(deps, trade, NOTHING_READ).stops.findLast(({ state }) => state === "waiting");
    const stopShown = waiting === undefined ? null : { orderId: waiting.orderId, atMs: run.clock.nowMs() };
    for (const step of nextSteps(trade, factsOf(deps, trade, { ...NOTHING_READ, stopShown }))) {
      if (step.kind === "place_guard")
        await placeGuard(deps, deps.settling, { trade, account: ACCOUNT, step, read: NOTHING_READ });
      if (step.kind === "place_entry") await enterTrade(deps, { trade, account: ACCOUNT, stopShown });
      if (step.kind === "follow_fills")
        inTransaction(store, () => putTrade(store, { ...trade, path: "after_fills" }, run.clock.nowMs()));
    }
  }
}
