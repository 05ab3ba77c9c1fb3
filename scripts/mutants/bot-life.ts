import type { LifeKind } from "../../test/simulation/bot-life.ts";
import type { Change, Mutant } from "./mutant.ts";

const HEARTBEATS = "src/settle/stop/heartbeats.ts";
const HEARTBEAT = "src/core/heartbeat.ts";
const NARROW = "src/settle/stop/narrow-bot.ts";
const NARROWINGS = "src/store/narrowings.ts";

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
      find: "      for (const { heartbeat, silentMs } of grantGrace(world)) hold(heartbeat, silentMs);\n",
      put: "",
    },
  ]),
  ...inWorld("losses", [
    {
      name: "a trip holds until a restart",
      file: "src/store/trips.ts",
      find: "  sealTrip(store, trip);\n  const { id, accountId, bot, cause",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to stand so in the file
      put: "  sealTrip(store, trip);\n  store.$client.run(`DELETE FROM bot_trips WHERE id = '${trip.id}'`);\n  const { id, accountId, bot, cause",
    },
    {
      name: "a trip refuses nothing",
      file: "src/write/day-loss.ts",
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
];
