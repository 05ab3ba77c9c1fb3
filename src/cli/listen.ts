/** A gateway with its doors: the public port, and the control socket for its operator. */
import { chmodSync, rmSync } from "node:fs";
import { decideByOperator } from "../actions/proposals/decide-proposal.ts";
import { readyAccounts } from "../actions/readiness.ts";
import type { Config } from "../config.ts";
import type { Clock } from "../core/clock.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { marketsNamed } from "../core/market.ts";
import type { Metrics } from "../core/metric.ts";
import { misnamedIn } from "../core/rails/misnamed-markets.ts";
import type { DemoOwner, Log, Settings } from "../deps.ts";
import { openSocket } from "../exchange/socket.ts";
import { openTransport } from "../exchange/transport.ts";
import { type Gateway, type GatewayParts, openGateway } from "../gateway.ts";
import { controlServer } from "../http/control.ts";
import { type PostFromInside, postFromInside } from "../http/from-inside.ts";
import type { Running } from "../ops/changer.ts";
import type { Places } from "../ops/data-directory.ts";
import type { PassphraseFacts } from "../ops/examine-passphrase.ts";
import { noteStart } from "../ops/note-start.ts";
import type { Listener } from "../ops/tell-state.ts";
import type { Trial } from "../ops/trial.ts";
import { within } from "../settle/within.ts";
import { openCheckpoints } from "../store/checkpoints.ts";
import type { Instance } from "../store/instance.ts";
import { hasSealedRows } from "../store/sealed-rows.ts";
import { openDescriptors } from "./descriptors.ts";
import { bind, type Door, openDoor } from "./door.ts";
import { exposureOf, type MetricsExposure, type NetworkExposure, ownUrlOf, urlOf } from "./exposure.ts";
import type { TakingAlerts } from "./hooks-door.ts";
import { type Exposed, exposeMetrics } from "./metrics.ts";
import { type Notices, startNotices } from "./notices.ts";
import type { Outside } from "./outside.ts";
import { type Sealing, startSealing } from "./sealing.ts";
import { settingsOf } from "./settings.ts";
import type { Unlocked } from "./unlock.ts";
import { postern } from "./version.ts";
import { type CrowdWatch, watchCrowd } from "./watch-crowd.ts";

export type Listening = {
  baseUrl: string;
  /** Where the owner's browser finds the page. */
  pageUrl: string;
  /** Null when no metrics were asked for. */
  metricsUrl: string | null;
  exposure: NetworkExposure;
  metricsExposure: MetricsExposure | null;
  /** Null where no alert may be sent. */
  hooksUrl: string | null;
  hooksExposure: NetworkExposure | null;
  gateway: Gateway;
  /** Asks it as a client does, without leaving the process. */
  post: PostFromInside;
  /** Takes no new connection, finishes what is in flight, closes the database. */
  stop(): Promise<void>;
};

export type ListenInput = {
  config: Config;
  at: Places;
  unlocked: Unlocked;
  log: Log;
  trial: Trial | null;
  /** Told to the doctor; null in the paper demo. */
  passphrase: PassphraseFacts | null;
  /** What else of this process listens, for who asks where it can be reached. */
  besides?: readonly Listener[];
  demoOwner?: DemoOwner;
  /** Taken over; null = one of its own. */
  door: Door | null;
  /** Open already. */
  alerts: TakingAlerts;
};

/** Listens before the gateway is ready: an outage of the exchange must not end in a restart loop. */
export function listen(input: ListenInput, outside: Outside): Listening {
  const { config, at, log, trial, alerts } = input;
  const { store, instance, keyring } = input.unlocked;
  if (!hasSealedRows(store)) throw new Error("bug: a gateway that believes whatever the database says");
  const exposure = exposureOf(config);
  const door = input.door ?? openDoor(config, { option: "listen", guests: alerts.guests });
  const descriptors = openDescriptors();
  const exposed = exposeMetrics(config, door.guests, outside);
  const listenedConfig = { ...config, listen: { ...config.listen, port: door.port } };
  try {
    const { clock, randomBytes } = outside;
    const settings = settingsOf(listenedConfig, { network: instance.network, version: postern().version });
    // Same turn as the listening: no request is looked at before the rows of an earlier process are marked.
    const gateway = openGateway(partsOf(input, outside, { settings, descriptors, metrics: exposed.metrics }));
    const { exchange, state } = gateway.deps;
    const agentsUnlocked = keyring.signers.addresses().length;
    noteStart({ store, clock }, { version: settings.version, agentsUnlocked, settings: config.changed, instance });
    const checkpoints = checkpointsOf(input, outside);
    const sealing = startSealing({ store, clock, keyring, log }, outside);
    const baseUrl = ownUrlOf(listenedConfig);
    const pageUrl = config.publicUrl ?? baseUrl;
    const post = postFromInside(gateway.server, new URL(baseUrl).host);
    const listeners = [{ what: "gateway", url: baseUrl, exposure } as const, ...othersOf(exposed, alerts, input)];
    const clientUrl = clientUrlOf(listenedConfig, exposure);
    const running = runningOf(gateway, { pageUrl, clientUrl, post, listeners });
    const { network } = instance;
    const { passphrase } = input;
    const reached = { running, store, clock, randomBytes, network, keyring, passphrase, exchange, trial, state };
    const control = openControl(at, reached);
    const ports = new Set([door.port, exposed.port, alerts.port].flatMap((port) => port ?? []));
    const watch = watchCrowd({ config, ports, guests: door.guests, descriptors, state, log }, outside);
    door.open(gateway);
    exposed.open(gateway.deps, watch.counts);
    alerts.open(gateway.deps);
    const notices = startNotices(gateway.deps, { config, at, keyring, log });
    const endReloads = outside.onReload(() => reload(door, alerts, log));
    sayListening(log, { baseUrl, exposure, instance });
    return {
      baseUrl,
      pageUrl,
      metricsUrl: exposed.url,
      exposure,
      metricsExposure: exposed.exposure,
      hooksUrl: alerts.url,
      hooksExposure: alerts.exposure,
      gateway,
      post,
      stop: () =>
        stopAll({ door, endReloads, gateway, control, exposed, alerts, clock, sealing, notices, watch, checkpoints }),
    };
  } catch (error) {
    void door.stop(true);
    void exposed.stop();
    void alerts.stop();
    throw error;
  }
}

/** Null where a replicator beside us carries the log over, or nobody can begin a thread. */
function checkpointsOf({ config, at, unlocked }: ListenInput, { checkpointThread }: Outside) {
  if (config.hasExternalCheckpoints || checkpointThread === undefined) return null;
  return openCheckpoints(unlocked.store, at.database, checkpointThread);
}

type MadeParts = { settings: Settings; descriptors: ReturnType<typeof openDescriptors>; metrics: Metrics };

function partsOf(
  { config, unlocked, log, trial, demoOwner }: ListenInput,
  outside: Outside,
  made: MadeParts,
): GatewayParts {
  const { store, instance, keyring } = unlocked;
  const { exchangeWeightPerMinute, trustedProxies, maxFeeds } = config;
  const { clock, bootMs, schedule, randomBytes, point } = outside;
  return {
    settings: made.settings,
    instance,
    store,
    keyring,
    signers: keyring.signers,
    transport: openTransport(schedule, made.descriptors?.opening),
    socket: openSocket,
    clock,
    schedule,
    randomBytes,
    log,
    exchangeWeightPerMinute,
    trustedProxies,
    maxFeeds,
    isOnTrial: trial?.isOn() === true,
    metrics: made.metrics,
    ...(point === undefined ? {} : { point }),
    ...(bootMs === undefined ? {} : { bootMs }),
    ...(demoOwner === undefined ? {} : { demoOwner }),
  };
}

type ListenTold = { baseUrl: string; exposure: NetworkExposure; instance: Instance };

function sayListening(log: Log, { baseUrl, exposure, instance }: ListenTold): void {
  const { exchangeUrl, network } = instance;
  log.info({ base_url: baseUrl, exposure, exchange_url: exchangeUrl, network }, "listening");
  if (exchangePlaceOf(instance) !== "unofficial") return;
  log.warn({ exchange_url: exchangeUrl, network }, "this is not the exchange's own host");
}

/** What listens beside the gateway. */
function othersOf(metrics: Exposed, alerts: TakingAlerts, { besides = [] }: ListenInput): readonly Listener[] {
  const own = [
    { what: "metrics", ...metrics },
    { what: "hooks", ...alerts },
  ] as const;
  const open = own.flatMap(({ what, url, exposure }) => (url === null ? [] : [{ what, url, exposure }]));
  return [...open, ...besides];
}

/** A certificate is made for the public name; without one a client on this machine needs none. */
function clientUrlOf(config: Config, exposure: NetworkExposure): string {
  if (config.tls !== null) return config.publicUrl ?? ownUrlOf(config);
  if (exposure === "this_machine") return ownUrlOf(config);
  return urlOf({ ...config.listen, hostname: "localhost" });
}

type Reached = Parameters<typeof controlServer>[0];

/** What only the process that runs can tell the operator, or do for him. */
function runningOf({ deps }: Gateway, about: Pick<Running, "clientUrl" | "pageUrl" | "post" | "listeners">): Running {
  const { version, audience } = deps.settings;
  return {
    version,
    audience,
    exchangeUrl: deps.instance.exchangeUrl,
    ...about,
    decideProposal: (wanted) => decideByOperator(deps, wanted),
    readiness: () => readyAccounts(deps),
    marketsNamed: (names) => marketsNamed(deps.markets.current(), names),
    misnamed: (names) => misnamedIn(deps.markets.current(), names),
    heedStops: () => {
      deps.stopper.heed();
      deps.flattener.heed();
    },
  };
}

function openControl(at: Places, changer: Reached): { stop(): Promise<void> } {
  // We hold the directory's lock: what lies there is what a killed process left behind.
  rmSync(at.control, { force: true });
  const server = bind(() => Bun.serve({ unix: at.control, fetch: controlServer(changer) }), null);
  chmodSync(at.control, 0o600);
  return {
    async stop() {
      await server.stop(true);
      rmSync(at.control, { force: true });
    },
  };
}

/** SIGHUP: a new certificate is taken without a new start. */
function reload(door: Door, alerts: TakingAlerts, log: Log): void {
  try {
    const certificate = door.reload();
    alerts.reload();
    if (certificate === null) log.info({}, "asked to read the certificate again, and there is none");
    else log.info({ detail: certificate.subject, expires_at: certificate.validTo }, "the certificate was read again");
  } catch (error) {
    log.error({ error: String(error) }, "the certificate could not be read again; the old one stays");
  }
}

type Stopping = {
  endReloads(): void;
  door: Door;
  gateway: Gateway;
  control: { stop(): Promise<void> };
  exposed: Exposed;
  alerts: TakingAlerts;
  clock: Clock;
  sealing: Sealing;
  notices: Notices;
  watch: CrowdWatch;
  checkpoints: { close(): Promise<void> } | null;
};

/** Answers that are ready when the writes have ended are still to be handed over, within this, milliseconds. */
const HAND_OVER_MS = 1_000;
const HAND_OVER_INTERVAL_MS = 5;
/** A thread that waits for a slow disk is not waited for any longer, milliseconds. */
const CLOSE_THREAD_MS = 5_000;

async function stopAll(stopping: Stopping): Promise<void> {
  const { door, endReloads, gateway, control, exposed, alerts, clock, sealing, notices, watch, checkpoints } = stopping;
  endReloads();
  alerts.close();
  const closed = door.stop(false);
  await control.stop();
  await gateway.drain();
  const lastMs = clock.elapsedMs() + HAND_OVER_MS;
  while (door.pending() > 0 && clock.elapsedMs() < lastMs) await clock.sleep(HAND_OVER_INTERVAL_MS);
  notices.end();
  sealing.end();
  watch.end();
  await exposed.stop();
  await alerts.stop();
  // Before the database: whoever closes it last carries over what is left.
  if (checkpoints !== null) await within(clock, CLOSE_THREAD_MS, checkpoints.close());
  await gateway.stop();
  await door.stop(true);
  await closed;
}
