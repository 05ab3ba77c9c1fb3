import { type Config, readConfig } from "../config.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import type { Log } from "../deps.ts";
import { newRequestId } from "../http/headers.ts";
import { answerEarly } from "../http/health.ts";
import { openLog } from "../log.ts";
import { isDemo } from "../ops/data-directory.ts";
import { requireOwnDirectory } from "../ops/examine-directory.ts";
import { passphraseFacts } from "../ops/examine-passphrase.ts";
import { OperatorError } from "../ops/operator.ts";
import { openTrial, type Trial } from "../ops/trial.ts";
import type { Instance } from "../store/instance.ts";
import { leaveCheckpoints } from "../store/open.ts";
import { type Command, Failure, type Input, Misuse, overridesOf } from "./command.ts";
import { changing, networkWords, type Opened, places, requireDatabase } from "./directory.ts";
import { type Door, openDoor } from "./door.ts";
import { exposureOf, hostsOf, type MetricsExposure, metricsExposureOf, type NetworkExposure } from "./exposure.ts";
import { LISTEN } from "./gateway-client.ts";
import type { Guests } from "./guests.ts";
import { hooksExposureOf, takeAlerts } from "./hooks-door.ts";
import { journalWriter } from "./journal.ts";
import { type Listening, listen } from "./listen.ts";
import { openLogLines } from "./log-lines.ts";
import type { Outside } from "./outside.ts";
import { FAULT_OPTIONS, faultOptionsOf } from "./paper-faults.ts";
import { foundPassphrase, OPERATING } from "./passphrase-input.ts";
import { servePaper } from "./serve-paper.ts";
import { offerSetup } from "./setup-link.ts";
import { type Supervised, supervise } from "./supervised.ts";
import { tellIn, unlock } from "./unlock.ts";
import { postern } from "./version.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "the gateway; with --paper, a demo with its own exchange that needs no set-up",
  options: {
    paper: { value: null, help: "start the built-in exchange, a funded demo account and its API key as well" },
    listen: LISTEN,
    "tls-certificate": {
      value: "FILE",
      help: "PEM file of the certificate and its chain; SIGHUP reads it again",
      variable: "POSTERN_TLS_CERTIFICATE",
    },
    "tls-key": { value: "FILE", help: "PEM file of the certificate's key", variable: "POSTERN_TLS_KEY" },
    "behind-proxy": {
      value: null,
      help: "a proxy with TLS stands before it: plain HTTP may listen beyond this machine",
      variable: "POSTERN_BEHIND_PROXY",
    },
    "paper-listen": {
      value: "HOST:PORT",
      help: "where the built-in exchange listens, 127.0.0.1:9797 by default",
      variable: "POSTERN_PAPER_LISTEN",
    },
    "hooks-listen": {
      value: "HOST:PORT",
      help: "where alerts may be sent to, POST /hooks/SECRET and nothing else; nowhere by default",
      variable: "POSTERN_HOOKS_LISTEN",
    },
    "metrics-listen": {
      value: "HOST:PORT",
      help: "where Prometheus may ask for /metrics, nowhere by default",
      variable: "POSTERN_METRICS_LISTEN",
    },
    "metrics-token-file": {
      value: "FILE",
      help: "bearer token that the metrics ask for, mode 0400 or 0600; needed beyond this machine",
      variable: "POSTERN_METRICS_TOKEN_FILE",
    },
    "external-checkpoints": {
      value: null,
      help: "Litestream beside us moves SQLite's log into the database",
      variable: "POSTERN_EXTERNAL_CHECKPOINTS",
    },
    ...FAULT_OPTIONS,
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const config = readConfig(outside.environment, overridesOf(serveCommand, input));
    const at = places(input, outside);
    const faults = faultOptionsOf(input);
    if (input.isSet("paper")) return servePaper({ config, at, faults, asJson: input.isSet("json") }, outside);
    if (input.value("faults") !== null || input.isSet("control"))
      throw new Misuse("--faults and --control go with --paper");
    if (isDemo(at)) throw new Failure(`${at.directory} is a paper demo. Start it:\n  postern serve --paper`);
    const stop = outside.stopRequested();
    const lines = openLogLines(outside.clock, outside.warn);
    const log = openLog(config.logLevel, { write: journalWriter(outside.environment, lines.write) });
    requireDatabase(at);
    failing(() => requireOwnDirectory(at, outside.uid));
    // Before the database is opened, which brings its schema up to date.
    const trial = failing(() => openTrial(at, postern().version));
    await changing(at, outside, async (opened) => {
      requireExposures(config);
      // Before the first that writes, which may be an alert.
      if (config.hasExternalCheckpoints) leaveCheckpoints(opened.store);
      const alerts = takeAlerts({ config, store: opened.store, log, trial }, outside);
      const early = { input, config, opened, log, guests: alerts.guests };
      const { found, door, unlocked } = await openEarly(early, outside).catch(async (error: unknown) => {
        await alerts.stop();
        throw error;
      });
      const passphrase = passphraseFacts(found, { file: input.value("passphrase-file"), directory: at.directory });
      const listening = listen({ config, at, unlocked, log, trial, passphrase, door, alerts }, outside);
      const { instance } = unlocked;
      const { baseUrl, metricsUrl, exposure, metricsExposure, hooksUrl, hooksExposure } = listening;
      const told = {
        base_url: baseUrl,
        exposure,
        metrics_url: metricsUrl,
        metrics_exposure: metricsExposure,
        hooks_url: hooksUrl,
        hooks_exposure: hooksExposure,
      };
      announce({ input, outside }, instance, told);
      offerSetup({ input, outside }, opened.store, listening.pageUrl);
      const supervised = supervise({ store: opened.store, log }, outside);
      void openWrites({ trial, listening, supervised, log, instance });
      log.info({ signal: await stop }, "stopping");
      supervised.stopping();
      await listening.stop();
      supervised.end();
    }).finally(lines.flush);
  },
};

type ServeOpening = { trial: Trial; listening: Listening; supervised: Supervised; log: Log; instance: Instance };

/** At once, or after an upgrade when somebody has said that all is well. */
async function openWrites({ trial, listening, supervised, log, instance }: ServeOpening): Promise<void> {
  const words = networkWords(instance);
  try {
    if (trial.isOn()) {
      log.warn({ version: trial.version, phase: "trial" }, "an upgrade is being checked; writes stay closed");
      supervised.listening(`${words}; an upgrade is being checked, writes are closed`);
      await trial.ended;
    } else {
      supervised.listening(`${words}; looking up what was in flight`);
      trial.end();
    }
    await listening.gateway.start((told) => supervised.status(`${words}; ${told}`));
  } catch (error) {
    log.error({ error: String(error) }, "the start-up pass failed; writes stay closed");
    supervised.status(`${words}; the start-up pass failed, writes stay closed`);
  }
}

/** Refuses an address that may not be listened at before anything listens. */
function requireExposures(config: Config): void {
  exposureOf(config);
  metricsExposureOf(config);
  hooksExposureOf(config);
}

type OpeningEarly = { input: Input; config: Config; opened: Opened; log: Log; guests: Guests };

async function openEarly({ input, config, opened, log, guests }: OpeningEarly, outside: Outside) {
  const found = await foundPassphrase(input, outside);
  const door = openEarlyDoor(config, guests, outside);
  const unlocking = unlock(opened, { passphrase: found.passphrase, tell: tellIn(log) }, outside);
  const unlocked = await unlocking.catch((error: unknown) => {
    void door.stop(true);
    throw asFailure(error);
  });
  return { found, door, unlocked };
}

/** Says that the process is up while the keys are being opened: somebody may be waiting to restart it. */
function openEarlyDoor(config: Config, guests: Guests, { randomBytes }: Outside): Door {
  const door = openDoor(config, { option: "listen", guests });
  const hosts = new Set(hostsOf({ ...config, listen: { ...config.listen, port: door.port } }));
  door.meanwhile((request) => answerEarly(request, hosts, newRequestId(randomBytes)));
  return door;
}

function failing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asFailure(error);
  }
}

function asFailure(error: unknown): unknown {
  return error instanceof OperatorError ? new Failure(error.message) : error;
}

const EXPOSURE_WORDS: Record<NetworkExposure, string> = {
  this_machine: "reachable from this machine only",
  network_with_tls: "reachable from other machines, with TLS",
  network_behind_proxy: "reachable from other machines WITHOUT TLS: only a proxy with TLS may be let through to it",
};

const METRICS_EXPOSURE_WORDS: Record<MetricsExposure, string> = {
  this_machine: "reachable from this machine only",
  network_with_token: "reachable from other machines, by whoever has the token",
};

type Announced = {
  base_url: string;
  exposure: NetworkExposure;
  metrics_url: string | null;
  metrics_exposure: MetricsExposure | null;
  hooks_url: string | null;
  hooks_exposure: NetworkExposure | null;
};

function announce({ input, outside }: { input: Input; outside: Outside }, instance: Instance, told: Announced): void {
  const where = EXPOSURE_WORDS[told.exposure];
  const text = `Postern listens at ${told.base_url}, ${where} (${networkWords(instance)})\n`;
  const { metrics_url: url, metrics_exposure: metrics } = told;
  const metricsText = metrics === null ? "" : `Metrics at ${url}, ${METRICS_EXPOSURE_WORDS[metrics]}\n`;
  const { hooks_url: hooksUrl, hooks_exposure: hooks } = told;
  const hooksText = hooks === null ? "" : `Alerts go to ${hooksUrl}/hooks/SECRET, ${EXPOSURE_WORDS[hooks]}\n`;
  const facts = { ...told, network: instance.network, exchange: exchangePlaceOf(instance) };
  outside.print(input.isSet("json") ? `${JSON.stringify(facts)}\n` : `${text}${metricsText}${hooksText}`);
}
