import { openHooks } from "../actions/hooks/run-hooks.ts";
import { type Config, type Exposure, exposureOf, urlOf } from "../config.ts";
import type { Deps } from "../deps.ts";
import { hooksServer, type ToTakeAlerts } from "../http/hooks.ts";
import { openDoor } from "./door.ts";
import type { Guests } from "./guests.ts";

/** The port to which alerts are sent, where one was asked for, and who carries them out, in any case. */
export type TakingAlerts = {
  /** Null where no alert may be sent. */
  url: string | null;
  exposure: Exposure | null;
  port: number | null;
  /** Until then an alert waits. */
  open(deps: Deps): void;
  reload(): void;
  /** Takes no new alert. */
  close(): void;
  /** Nothing more is carried out. */
  stop(): Promise<void>;
};

/** Null where no alert may be sent. Throws where the secrets of hooks would cross a network in the clear. */
export function hooksExposureOf(config: Config): Exposure | null {
  return config.hooksListen === null ? null : exposureOf({ ...config, listen: config.hooksListen });
}

export function takeAlerts(config: Config, guests: Guests): TakingAlerts {
  const exposure = hooksExposureOf(config);
  const { hooksListen: listen, tls, trustedProxies } = config;
  const { promise, resolve } = Promise.withResolvers<ToTakeAlerts>();
  let hooks: ReturnType<typeof openHooks> | null = null;
  const door = listen === null ? null : openDoor({ ...config, listen }, { option: "hooks-listen", guests });
  const answer = hooksServer({ deps: promise, heed: () => hooks?.heed(), trustedProxies });
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
    open(deps) {
      hooks = openHooks(deps);
      resolve(deps);
    },
    reload: () => void door?.reload(),
    close: () => void door?.stop(false),
    async stop() {
      hooks?.stop();
      await door?.stop(true);
    },
  };
}
