import { openHooks } from "../actions/hooks/run-hooks.ts";
import type { Config } from "../config.ts";
import type { Deps, Log } from "../deps.ts";
import { hooksServer, type ToTakeAlerts } from "../http/hooks.ts";
import type { Trial } from "../ops/trial.ts";
import { whyBroken } from "../store/broken.ts";
import type { Store } from "../store/open.ts";
import { openDoor } from "./door.ts";
import { exposureOf, type NetworkExposure, urlOf } from "./exposure.ts";
import { type Guests, openGuests } from "./guests.ts";
import type { Outside } from "./outside.ts";

/** The port to which alerts are sent, where one was asked for, and who carries them out, in any case. */
export type TakingAlerts = {
  /** Null where no alert may be sent. */
  url: string | null;
  exposure: NetworkExposure | null;
  port: number | null;
  /** What is known of its connections; every other door tells it there as well. */
  guests: Guests;
  /** Until then an alert is stored and answered, and nothing is carried out. */
  open(deps: Deps): void;
  reload(): void;
  /** Takes no new alert. */
  close(): void;
  /** Nothing more is carried out. */
  stop(): Promise<void>;
};

/** Null where no alert may be sent. Throws where the secrets of hooks would cross a network in the clear. */
export function hooksExposureOf(config: Config): NetworkExposure | null {
  return config.hooksListen === null ? null : exposureOf({ ...config, listen: config.hooksListen });
}

/**
 * Listens as soon as the database is open, because whoever sends alerts gives up within seconds: to open the keys takes seconds, and somebody
 * may have to type their passphrase first. What is stored meanwhile is carried out by a hook that is believed then, or not at all.
 */
export function takeAlerts(taking: BeforeGateway & { config: Config }, outside: Outside): TakingAlerts {
  const { config } = taking;
  const guests = openGuests();
  const exposure = hooksExposureOf(config);
  const { hooksListen: listen, tls, trustedProxies } = config;
  let deps = beforeGateway(taking, outside);
  let hooks: ReturnType<typeof openHooks> | null = null;
  const door = listen === null ? null : openDoor({ ...config, listen }, { option: "hooks-listen", guests });
  const answer = hooksServer({ deps: () => deps, heed: () => hooks?.heed(), trustedProxies });
  door?.open({
    server: {
      handle(request, socketAddress = "", signs) {
        signs?.hasArrived();
        return answer(request, socketAddress);
      },
    },
  });
  return {
    url: listen === null ? null : urlOf({ ...listen, port: door?.port ?? 0 }, tls === null ? "http" : "https"),
    exposure,
    port: door?.port ?? null,
    guests,
    open(opened) {
      hooks = openHooks(opened);
      deps = opened;
    },
    reload: () => void door?.reload(),
    close: () => void door?.stop(false),
    async stop() {
      hooks?.stop();
      await door?.stop(true);
    },
  };
}

type BeforeGateway = { store: Store; log: Log; trial: Trial | null };

/** Enough to store an alert: nobody has read the markets, and the hook is as its row says. */
function beforeGateway({ store, log, trial }: BeforeGateway, { clock, randomBytes }: Outside): ToTakeAlerts {
  return {
    clock,
    log,
    randomBytes,
    store,
    markets: { current: () => null },
    state: {
      get phase() {
        return trial?.isOn() === true ? ("trial" as const) : ("opening" as const);
      },
      get writesStoppedBecause() {
        return whyBroken(store);
      },
    },
  };
}
