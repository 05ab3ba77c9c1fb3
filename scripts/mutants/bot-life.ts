import type { LifeKind } from "../../test/simulation/bot-life.ts";
import type { Change, Mutant } from "./mutant.ts";

const HEARTBEATS = "src/settle/stop/heartbeats.ts";
const HEARTBEAT = "src/core/heartbeat.ts";
const NARROW = "src/settle/stop/narrow-bot.ts";
const NARROWINGS = "src/store/narrowings.ts";
const FLATTENER = "src/settle/stop/flattener.ts";
const FLATTEN_STEP = "src/settle/stop/flatten-step.ts";
const REDUCTIONS = "src/core/rails/reductions.ts";
const RAILS_FACTS = "src/write/rails-facts.ts";

type Planted = Change & { name: string; also?: Change };

function inWorld(world: LifeKind, planted: readonly Planted[]): Mutant[] {
  return planted.map(({ name, also, ...change }) => ({ name, changes: [change, ...(also ? [also] : [])], world }));
}

/** Bugs in what bots do beside their orders, each found by the seeds in which they do it. */
export const BOT_LIFE: readonly Mutant[] = [
  ...inWorld("narrowings", [
    {
      name: "a narrowing is older than a grant from a clock that is ahead",
      file: NARROW,
      find: "Math.max(tools.clock.nowMs(), grant?.issuedAtMs ?? 0)",
      put: "Math.min(tools.clock.nowMs(), grant?.expiresAtMs ?? 0)",
    },
    {
      name: "of two narrowings the newer holds alone",
      file: NARROWINGS,
      find: "const rails = rows.reduce((wider, row) =>",
      put: "const rails = rows.slice(-1).reduce((wider, row) =>",
    },
    {
      name: "a narrowing is answered before it is on the disk",
      file: "src/actions/narrow-key.ts",
      find: "  const done = inTransaction(deps.store, (store) => {",
      put: "  const done = inTransactionNotWaiting(deps.store, (store) => {",
      also: {
        file: "src/actions/narrow-key.ts",
        find: 'import { inTransaction } from "../store/commit.ts";',
        put: 'import { inTransactionNotWaiting } from "../store/commit.ts";',
      },
    },
    {
      name: "a narrowing that asks for it leaves what is out",
      file: NARROW,
      find: "  if (!isToCancel) return { rails, stop: null };",
      put: "  if (rails !== null) return { rails, stop: null };",
    },
  ]),
  ...inWorld("heartbeats", [
    {
      name: "a beat does not begin its time anew",
      file: HEARTBEATS,
      find: "      hold(heartbeat);\n      return heartbeat;",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to stand so in the file
      put: "      hold(heartbeat, listened.get(`${heartbeat.accountId} ${heartbeat.holder}`)?.silentMs);\n      return heartbeat;",
    },
    {
      name: "a start grants no time",
      file: HEARTBEAT,
      find: "  if (graceAtMs === null) return 0;",
      put: "  if (graceAtMs === null) return null;",
    },
    {
      name: "a wall clock that jumps is no silence",
      file: HEARTBEAT,
      find: "  return jumpMs > MAX_WALL_JUMP_MS ? countedMs + jumpMs : countedMs;",
      put: "  return jumpMs > MAX_WALL_JUMP_MS ? countedMs : countedMs + jumpMs;",
    },
    {
      name: "silence cancels what protects as well",
      file: HEARTBEATS,
      find: 'cause: "heartbeat_missed", keepsProtection: true }',
      put: 'cause: "heartbeat_missed", keepsProtection: false }',
    },
    {
      name: "what silence withdraws is told to be gone at once",
      file: "src/settle/stop/stopper.ts",
      find: "  return isNothing(remainingOf(world, stop, endedTwaps));\n",
      put: '  return stop.cause === "heartbeat_missed" || isNothing(remainingOf(world, stop, endedTwaps));\n',
    },
    {
      name: "silence withdraws what came after it as well",
      file: "src/core/stop.ts",
      find: '  return cause === "heartbeat_missed" || cause === "loss_tripped" || cause === "narrowed";',
      put: '  return cause === "loss_tripped" || cause === "narrowed";',
    },
    {
      name: "whoever armed before a death is not listened for",
      file: HEARTBEATS,
      find: "      for (const { heartbeat, silentMs } of grantGrace(world, isHeard)) hold(heartbeat, silentMs);\n",
      put: "",
    },
  ]),
  ...inWorld("losses", [
    {
      name: "who holds another key increases what is a halted bot's",
      file: "src/write/gate.ts",
      find: "    requireNotHalted(deps, stored);\n",
      put: "",
    },
    {
      name: "what a halted bot holds is not closed by who modifies its order",
      file: "src/write/gate.ts",
      find: "if (halted === null || !canIncreaseIn(markets.current(), order)) return;",
      put: "if (halted === null) return;",
    },
    {
      name: "what is left of an excess is placed anew for a halted bot",
      file: "src/settle/modify/reduce.ts",
      find: "return stop !== null || haltOfOrder(store, order, clock.nowMs()) !== null;",
      put: "return stop !== null;",
    },
    {
      name: "a trip holds until a restart",
      file: "src/store/trips.ts",
      find: "  sealTrip(store, trip);\n  const { id, accountId, bot, cause",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to stand so in the file
      put: "  sealTrip(store, trip);\n  store.$client.run(`DELETE FROM bot_trips WHERE id = '${trip.id}'`);\n  const { id, accountId, bot, cause",
    },
    {
      name: "a trip refuses nothing",
      file: "src/store/halts.ts",
      find: "  return (trip === null ? null : haltBy(trip, rails)) ?? haltByLost(store, of);",
      put: '  return (trip === null || trip.cause === "loss" ? null : haltBy(trip, rails)) ?? haltByLost(store, of);',
    },
    {
      name: "a trip leaves what is out",
      file: "src/write/watch-losses.ts",
      find: '    beginStop(store, deps, { ...wanted, actor: "gateway", idempotencyKey: null });\n',
      put: "",
    },
    {
      name: "a loss beyond the limit trips nothing",
      file: "src/write/watch-losses.ts",
      find: "  if (loss !== null && compare(loss, limit) >= 0) trip(",
      put: "  if (loss !== null && compare(loss, limit) === 0) trip(",
    },
  ]),
  ...inWorld("flattens", [
    {
      name: "a step of flattening can increase",
      file: FLATTEN_STEP,
      find: 'timeInForce: "ioc", reduceOnly: true, trigger: null',
      put: 'timeInForce: "ioc", reduceOnly: false, trigger: null',
    },
    {
      name: "a step of flattening rests",
      file: FLATTEN_STEP,
      find: 'timeInForce: "ioc", reduceOnly: true, trigger: null',
      put: 'timeInForce: "gtc", reduceOnly: true, trigger: null',
    },
    {
      name: "flattening begins while something can increase",
      file: "src/settle/stop/traceless.ts",
      find: "if (stoppedAtMs !== null) return true;",
      put: "if (stoppedAtMs !== 0) return true;",
      also: {
        file: FLATTENER,
        find: "if (stop.stoppedAtMs !== null) return true;",
        put: "if (stop.stoppedAtMs !== 0) return true;",
      },
    },
    {
      name: "flattening a bot closes what its account holds",
      file: "src/settle/stop/still-held.ts",
      find: "[market, closableOf(position, nets.get(market) ?? ZERO)]",
      put: "[market, closableOf(position, null)]",
      also: {
        file: FLATTEN_STEP,
        find: "  return compare(size, absolute(closableOf(closable, net))) <= 0 ? now : null;",
        put: "  return compare(size, absolute(closableOf(closable, net))) >= 0 ? now : null;",
      },
    },
    {
      name: "a step of flattening does not wait for the last",
      file: FLATTENER,
      find: "steps.filter((order) => isStepOut(world, stop, order, exchangeMs));",
      put: "steps.filter((order) => order.id === stopId && isStepOut(world, stop, order, exchangeMs));",
      also: {
        file: FLATTEN_STEP,
        find: "({ market }) => market === step.listed.name);",
        put: "({ market }) => market === step.stop.id);",
      },
    },
    {
      name: "flattening takes away what waits to protect",
      file: FLATTEN_STEP,
      find: "order.market === market && !isWaiting(order)",
      put: "order.market === market && isWaiting(order) !== null",
    },
    {
      name: "what flattening leaves is not told",
      file: FLATTENER,
      find: "stop.stoppedAtMs !== null) return end(world, flatten, [...left, ...unproven])",
      put: "stop.stoppedAtMs !== null) return end(world, flatten, [])",
    },
    {
      name: "flattening goes on when its stop was ended",
      file: FLATTENER,
      find: "  const isResumed = stop.resumedAtMs !== null;",
      put: "  const isResumed = stop.resumedAtMs === 0;",
      also: {
        file: FLATTEN_STEP,
        find: "standing.resumedAtMs !== null || !step",
        put: "!step",
      },
    },
    {
      name: "flat is what a server that is behind shows",
      file: "src/actions/worker-parts.ts",
      find: 'holdsTold: moment === "now" && isAfter,',
      put: 'holdsTold: moment === "now" && (isAfter || timeMs > 0),',
    },
    {
      name: "a flattening that a process has left is nobody's",
      file: "src/actions/workers.ts",
      find: "of [flattener, closer, canceler, trader]) each.heed();",
      put: "of [closer, canceler, trader]) each.heed();\n  if (flattener === null) return;",
    },
    {
      name: "flat is what could not be read",
      file: FLATTENER,
      find: '  if (shown === null) return waitFor(world, followed, [{ reason: "position_not_read" }]);',
      put: "  if (shown === null) return end(world, flatten, []);",
    },
  ]),
  ...inWorld("spot", [
    {
      name: "a sale on spot is judged without what else is out to be sold",
      file: REDUCTIONS,
      find: "  const use = sum(sales.map(({ remaining }) => remaining));",
      put: "  const use = sales.length === 0 ? ZERO : wish.leg.remaining;",
    },
    {
      name: "what a bot has not bought yet on spot is its own to sell",
      file: REDUCTIONS,
      find: "  const limit = larger(facts.ownOf(market), ZERO);",
      put: '  const limit = larger(mostToReduce("sell", facts.ownOf(market), sumsOf(ownIn(rails, facts, market))), ZERO);',
    },
    {
      name: "a sale on spot is judged as what increases",
      file: "src/write/gate.ts",
      find: 'canOnlyReduce: order.r || (!order.b && market.kind === "spot"),',
      put: "canOnlyReduce: order.r,",
    },
    {
      name: "any market is any of spot",
      file: "src/core/rails/may.ts",
      find: "  if (markets?.includes(market) === true) return null;",
      put: "  if (markets?.includes(market) !== false) return null;",
    },
    {
      name: "spot is bought by its mark of this moment alone",
      file: RAILS_FACTS,
      find: "  if (isSpot(market) && oracle === null && !isReduction) return null;\n",
      put: "",
    },
    {
      name: "what a bot holds on spot is no position of its own",
      file: RAILS_FACTS,
      find: "ownOf: netOf,",
      put: "ownOf: (market: string) => (isSpot(market) ? ZERO : netOf(market)),",
    },
  ]),
];
