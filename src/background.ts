/**
 * What a gateway does by itself: its start, in order, and what is done again and again from then on. Nothing here decides
 * anything; it only says when.
 */
import { EQUITY_INTERVAL_MS, sampleEquity } from "./actions/sample-equity.ts";
import { openStandIns, STAND_IN_INTERVAL_MS } from "./actions/stand-in.ts";
import { heedClosing, type Workers } from "./actions/workers.ts";
import type { Deps, ToTakeOrders, With } from "./deps.ts";
import type { ActionAllowance } from "./exchange/action-allowance.ts";
import type { BuilderApproval } from "./exchange/builder-approval.ts";
import { CLOCK_INTERVAL_MS, type ConnectedExchange } from "./exchange/http.ts";
import type { TrustedFeeds } from "./exchange/trusted-feeds.ts";
import type { Keyring } from "./ops/keyring.ts";
import { prepareSuccessors } from "./ops/renew-agent.ts";
import { tellExpiringKeys } from "./ops/tell-keys.ts";
import { type AgentWatch, MISSING_INTERVAL_MS, WATCH_INTERVAL_MS } from "./ops/watch-agents.ts";
import { openReadinessWatch, READINESS_INTERVAL_MS } from "./ops/watch-readiness.ts";
import { checkPictures } from "./settle/account/check-picture.ts";
import { COPIES_EVERY_MS, openLateCopies } from "./settle/copies/late-copies.ts";
import { CROSS_CHECK_MS } from "./settle/feed/cross-check.ts";
import type { Follower } from "./settle/feed/follow.ts";
import type { FillIndex } from "./settle/fills/index-fills.ts";
import { forgetOldEvents, PRUNE_INTERVAL_MS } from "./settle/forget-events.ts";
import { keepLedgers, LEDGER_INTERVAL_MS, type ToIndexLedger } from "./settle/ledger/index-ledger.ts";
import { keepPerformance, PERFORMANCE_INTERVAL_MS } from "./settle/ledger/keep-performance.ts";
import { keepListed, LIST_INTERVAL_MS } from "./settle/list-anew.ts";
import { heedEveryExcess } from "./settle/modify/reduce.ts";
import { openLateRefusals, REFUSALS_EVERY_MS } from "./settle/operation/late-refusals.ts";
import type { Repeating } from "./settle/repeating.ts";
import { takeUpAccounts } from "./settle/restore/after-restore.ts";
import type { Settler } from "./settle/settler.ts";
import {
  compareClocksOnce,
  connectedWithinMs,
  lookAtInterrupted,
  readFirstMarkets,
  unsettledFirst,
} from "./settle/start-up.ts";
import type { RunningHeartbeats } from "./settle/stop/heartbeats.ts";
import { listAccounts } from "./store/accounts.ts";
import type { Instance } from "./store/instance.ts";
import type { Store } from "./store/open.ts";
import { IDLE_INTERVAL_MS, openIdleReductions } from "./write/cancel-idle-reductions.ts";
import { LOSS_INTERVAL_MS, openLossWatch } from "./write/watch-losses.ts";
import { followGrantedSpot, SPOT_INTERVAL_MS } from "./write/watch-spot.ts";

/** Markets are read again this often, milliseconds: never twice in what counts as one minute of our weight. */
const MARKETS_INTERVAL_MS = 62_000;
/** Accounts without a live feed are read again this often, milliseconds. */
const RESYNC_INTERVAL_MS = 30_000;
/** And those with one, because a feed cannot show that it has lost something, milliseconds. */
const RESYNC_ALL_INTERVAL_MS = 10 * 60_000;

/** Who is set going, besides what every deed knows. */
export type Beginning = {
  exchange: ConnectedExchange;
  feeds: TrustedFeeds;
  /** Accounts that are followed over connections of their own; null = all by reads alone. */
  maxFeeds: number | null;
  fillIndex: FillIndex;
  agents: AgentWatch;
  /** What new agent keys are sealed with, where this process can seal any. */
  sealing: { keyring?: Keyring; instance: Instance };
  repeating: Repeating;
  settler: Settler;
  workers: Workers;
  heartbeats: RunningHeartbeats;
  follower: Follower;
  tell(words: string): void;
};

/** What was in flight is looked at before anything is written; the rest begins when the gateway is ready. */
export async function begin(deps: Deps, beginning: Beginning): Promise<void> {
  const { state, store, clock, allowance, builderApproval } = deps;
  const { exchange, feeds, fillIndex, repeating, settler, workers } = beginning;
  const { isStopped } = repeating;
  if (state.phase === "trial") state.phase = "opening";
  repeating.fromNow(ALLOWED_INTERVAL_MS, () => refreshAllowed(store, { allowance, builderApproval }));
  repeating.every(CLOCK_INTERVAL_MS, () => exchange.measureClock());
  repeating.every(MARKETS_INTERVAL_MS, () => deps.markets.refresh());
  const looked = compareClocksOnce(exchange, clock, isStopped).then(() => {
    if (state.phase === "opening") state.phase = "starting";
    workers.stopper.heed();
    return lookAtInterrupted(deps, settler);
  });
  await Promise.all([looked, readFirstMarkets(deps, isStopped)]);
  if (state.phase === "starting") state.phase = "ready";
  repeating.once(() => takeUpAccounts({ settler, index: fillIndex, isStopped }));
  for (const account of unsettledFirst(deps)) feeds.follow(account.tradingAddress);
  keepWatch(deps, beginning);
  keepInStep(deps, beginning);
  repeating.fromNow(RESYNC_INTERVAL_MS, () => heedEveryExcess(deps, settler));
  repeating.every(COPIES_EVERY_MS, openLateCopies(deps, settler).look);
  repeating.every(REFUSALS_EVERY_MS, openLateRefusals(deps, settler).look);
  keepRecord(repeating, deps);
  repeating.every(EQUITY_INTERVAL_MS, () => sampleEquity(deps, isStopped));
  repeating.every(SPOT_INTERVAL_MS, () => followGrantedSpot(deps, isStopped));
  repeating.every(LOSS_INTERVAL_MS, openLossWatch(deps, isStopped).look);
  repeating.every(IDLE_INTERVAL_MS, openIdleReductions(deps, settler).look);
  repeating.every(STAND_IN_INTERVAL_MS, openStandIns(deps).look);
  checkPictures(repeating, deps, deps.reads);
}

type ToKeepWatch = ToTakeOrders & With<"agents" | "clock" | "exchange" | "log" | "randomBytes">;

function keepWatch(deps: ToKeepWatch, { sealing, agents, repeating, tell }: Beginning): void {
  const { every, fromNow } = repeating;
  const readiness = openReadinessWatch(deps);
  fromNow(WATCH_INTERVAL_MS, () => agents.look().then(() => prepareKeys(deps, sealing)));
  every(MISSING_INTERVAL_MS, () => agents.lookAtMissing());
  fromNow(READINESS_INTERVAL_MS, async () => tell(readiness.look()));
}

/** What was missed before the start is read as soon as a feed has connected: reading it twice costs 60 of our weight. */
function keepInStep({ clock, store }: With<"clock" | "store">, beginning: Beginning): void {
  const { maxFeeds, repeating, settler, workers, heartbeats, follower } = beginning;
  const { once, every } = repeating;
  once(async () => heartbeats.begin());
  once(async () => heedClosing(workers));
  once(async () => {
    if (maxFeeds !== null) await clock.sleep(connectedWithinMs(store, maxFeeds));
    await follower.resync("not_connected");
  });
  every(RESYNC_INTERVAL_MS, async () => {
    settler.resume();
    workers.stopper.heed();
    heedClosing(workers);
    await follower.resync("not_live");
  });
  every(RESYNC_ALL_INTERVAL_MS, () => follower.resync("all"));
  every(CROSS_CHECK_MS, () => follower.crossCheck());
}

type ToPrepareKeys = With<"agents" | "clock" | "exchange" | "log" | "randomBytes" | "store">;

/** The next agent keys, where this process can seal any; and whose API keys end soon is told. */
function prepareKeys(deps: ToPrepareKeys, parts: { keyring?: Keyring; instance: Instance }): void {
  const { keyring, instance } = parts;
  tellExpiringKeys(deps);
  if (keyring !== undefined) prepareSuccessors({ ...deps, network: instance.network, keyring });
}

/** What is done for the record in the background: nobody waits for any of it. */
function keepRecord(repeating: Repeating, world: ToIndexLedger): void {
  repeating.fromNow(PRUNE_INTERVAL_MS, () => forgetOldEvents(world, repeating.isStopped));
  repeating.every(LIST_INTERVAL_MS, () => keepListed(world, repeating.isStopped));
  repeating.every(LEDGER_INTERVAL_MS, () => keepLedgers(world, repeating.isStopped));
  repeating.every(PERFORMANCE_INTERVAL_MS, () => keepPerformance(world, repeating.isStopped));
}

type AllowedByExchange = { allowance: ActionAllowance; builderApproval: BuilderApproval };

/** Between two such questions, milliseconds. */
const ALLOWED_INTERVAL_MS = 5 * 60_000;

/** What the exchange allows our accounts: actions, and a builder's fee. */
async function refreshAllowed(store: Store, { allowance, builderApproval }: AllowedByExchange): Promise<void> {
  const accounts = listAccounts(store);
  const owners = new Set(accounts.map(({ ownerAddress }) => ownerAddress));
  await Promise.all([
    ...[...owners].map((owner) => builderApproval.refresh(owner)),
    ...accounts.map(({ tradingAddress }) => allowance.refresh(tradingAddress)),
  ]);
}
