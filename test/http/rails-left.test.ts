/** What a bot is told to have left is what the gate lets pass, whatever is in the way. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { dayOf, type Trip } from "../../src/core/rails/trip.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { clearTrips, countDayAsUsed, findTrip, insertTrip } from "../../src/store/trips.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { awaitTakeUp, flatten, indexFill, pass, stopOf } from "./flatten-rig.ts";
import { BOT, type Body, inSeconds, limitedRig, place, railOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

const OF_BOT = { accountId: ACCOUNTS.main, bot: "grid-1" };
const LIMITED = { maxTurnoverPerDay: "5000 USD", maxActionsPerDay: "2000", maxLossPerDay: "50 USD" };
const NO_DAY = { maxTurnoverPerDay: "any", maxActionsPerDay: "any", maxLossPerDay: "any" };

async function headroomOf(rig: Rig): Promise<Body> {
  const shown = await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json();
  return (shown as { limits: { headroom: Body } }).limits.headroom;
}

/** As a restore does it. */
function countDay(rig: Rig): void {
  const by = { atMs: rig.clock.nowMs(), actor: "operator" };
  inTransaction(rig.deps.store, (store) => countDayAsUsed(store, OF_BOT, by));
}

/** As the watch of losses does it. */
function lose(rig: Rig): void {
  const nowMs = rig.clock.nowMs();
  const lost = { cause: "loss", day: dayOf(nowMs), loss: decimal("51"), limit: decimal("50") } as const;
  const trip: Trip = {
    id: "0190a0b0-0000-7007-8000-00000000abcd",
    ...OF_BOT,
    ...lost,
    createdAtMs: nowMs,
    clearedAtMs: null,
  };
  inTransaction(rig.deps.store, (store) => insertTrip(store, trip, "gateway"));
}

async function missHeartbeat(rig: Rig): Promise<void> {
  await rig.ask({ method: "PUT", path: "/v1/heartbeat", apiKey: BOT, body: { within_s: 5 } });
  await pass(rig, 15);
  const { status } = (await (await rig.ask({ path: "/v1/heartbeat", apiKey: BOT })).json()) as Body;
  expect(status).toBe("missed");
}

function untrip(rig: Rig): void {
  const atMs = rig.clock.nowMs();
  const trip = findTrip(rig.deps.store, OF_BOT, dayOf(atMs));
  if (trip !== null) inTransaction(rig.deps.store, (store) => clearTrips(store, [trip], { actor: "operator", atMs }));
}

/** The rail, or the code where it is none. */
async function refusedBy(answer: Response): Promise<string> {
  const words = await railOf(answer);
  return /^403 ([a-z_]+): /.exec(words)?.[1] ?? words;
}

function nothing(): void {
  // What is in the way stands in the grant.
}

const STOPPED: [halt: Body, rail: string] = [{ cause: "stopped", until: null }, "trading_stopped"];
const MIDNIGHT = new Date(Math.ceil(1_795_253_400_000 / 86_400_000) * 86_400_000).toISOString();

test.each<
  [what: string, rails: Partial<LimitedGrantText>, happens: (rig: Rig) => unknown, told: [halt: Body, rail: string]]
>([
  ["since a restore", LIMITED, countDay, [{ cause: "restored", until: MIDNIGHT }, "max_turnover_per_day"]],
  ["once the day's loss is reached", LIMITED, lose, [{ cause: "loss", until: MIDNIGHT }, "max_loss_per_day"]],
  [
    "once a loss is reached that a later grant does not limit",
    NO_DAY,
    lose,
    [{ cause: "loss", until: MIDNIGHT }, "max_loss_per_day"],
  ],
  ["while it is paused", { ...LIMITED, may: "reduce,cancel" }, nothing, [{ cause: "may", until: null }, "may"]],
  ["while a stop of its own stands", LIMITED, (rig) => stopOf(rig, "bot", BOT), STOPPED],
  ["while a stop of the account stands", LIMITED, (rig) => stopOf(rig, "account"), STOPPED],
  [
    "while its stop stands, flattened",
    LIMITED,
    async (rig) => void (await flatten(rig, await stopOf(rig, "bot", BOT), { apiKey: BOT })),
    STOPPED,
  ],
  [
    "while a stop stands, beside a loss that ends at midnight",
    LIMITED,
    (rig) => stopOf(rig, "account").then(() => lose(rig)),
    STOPPED,
  ],
  [
    "where its narrowings have nothing in common",
    LIMITED,
    (rig) => rig.ask({ path: "/v1/api-keys/self/narrow", apiKey: BOT, body: { markets: "ETH" } }),
    [{ cause: "markets", until: null }, "markets"],
  ],
])(
  "a bot that may increase nothing %s has nothing left, and is told why and until when",
  async (_what, rails, happens, [halt, rail]) => {
    const rig = await limitedRig({ maxExposure: "1500 USD", maxOpenOrders: "40", markets: "BTC", ...rails });
    await happens(rig);
    const none = {
      turnover_today: "0",
      loss_today: "0",
      exposure: "0",
      actions_today: 0,
      open_orders: 0,
      positions: [],
    };
    expect(await headroomOf(rig)).toEqual({ halt, ...none });
    expect(await refusedBy(await place(rig, {}))).toBe(rail);
  },
);

test.each<[what: string, rails: Partial<LimitedGrantText>, happens: (rig: Rig) => unknown]>([
  ["of which no day is limited, since a restore", NO_DAY, countDay],
  ["whose trip the operator has ended", LIMITED, (rig) => void [countDay(rig), untrip(rig)]],
  ["that may propose alone", { ...LIMITED, may: "cancel,propose" }, nothing],
  ["whose heartbeat was missed, after which it may increase", LIMITED, missHeartbeat],
  ["of whose account another bot is stopped", LIMITED, (rig) => stopOf(rig, "bot", KEYS.both)],
])("a bot %s has what its rails leave", async (_what, rails, happens) => {
  const rig = await limitedRig({ maxExposure: "1500 USD", ...rails });
  await happens(rig);
  expect(await headroomOf(rig)).toMatchObject({ halt: null, exposure: "1500" });
  if (rails.may === undefined) expect(await refusedBy(await inSeconds(rig, place(rig, {})))).toBe("passed");
});

test.each([
  [
    "is blocked",
    (rig: Rig) => {
      inTransaction(rig.deps.store, (store) => setKeyState(store, keyHash(BOT), "blocked", rig.clock.nowMs()));
    },
  ],
  ["has expired", (rig: Rig) => rig.clock.advance(91 * 86_400_000)],
])("of a key that %s nothing is left in the list of keys", async (_what, happens) => {
  const rig = await limitedRig({ maxExposure: "1500 USD" });
  await happens(rig);
  const answer = await rig.ask({ path: "/v1/api-keys?state=all", apiKey: KEYS.both });
  const { data } = (await answer.json()) as { data: { key_hash: string; limits: { headroom: Body } | null }[] };
  const shown = data.find(({ key_hash: hash }) => hash === keyHash(BOT));
  expect(shown?.limits?.headroom).toMatchObject({ halt: { cause: "key_ended", until: null }, exposure: "0" });
});

test("what a TWAP of nobody may have bought for a bot after a restore is not left", async () => {
  const held = [{ coin: "BTC", szi: "0.001" }];
  const rig = await limitedRig({ may: "increase,reduce,cancel,twap", maxExposure: "100 USD" }, held);
  await place(rig, { size: "0.0001" });
  awaitTakeUp(rig)();
  const fill = { market: "BTC", twapId: "5", id: "fill-1", size: decimal("0.001"), startPosition: decimal("0") };
  indexFill(rig, { ...fill, timeMs: rig.clock.nowMs() - 9 });
  expect(await headroomOf(rig)).toMatchObject({ exposure: "34" });
});
