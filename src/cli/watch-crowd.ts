/** The watch over the connections of a running gateway: its public port, and that of its metrics. */
import type { Config } from "../config.ts";
import type { CrowdCounts, CrowdRoom } from "../core/crowd.ts";
import type { GatewayState, Log } from "../deps.ts";
import { clientAddress } from "../http/client-address.ts";
import { Failure } from "./command.ts";
import { LOOK_MS, openCrowd, roomWithin } from "./crowd.ts";
import type { Descriptors } from "./descriptors.ts";
import type { Guests } from "./guests.ts";
import type { Outside } from "./outside.ts";

export type CrowdWatch = {
  /** Null where descriptors cannot be looked at. */
  counts(): CrowdCounts | null;
  end(): void;
};

export type Watched = {
  config: Pick<Config, "connections" | "trustedProxies">;
  ports: ReadonlySet<number>;
  guests: Guests;
  descriptors: Descriptors | null;
  state: GatewayState;
  log: Log;
};

export function watchCrowd(
  { config, ports, guests, descriptors, state, log }: Watched,
  { every, clock }: Pick<Outside, "every" | "clock">,
): CrowdWatch {
  if (descriptors === null) {
    log.warn({}, "descriptors cannot be looked at here; the number of connections has no limit");
    return { counts: () => null, end: () => undefined };
  }
  const proxies = new Set(config.trustedProxies.map(bucketOf));
  const room = requireRoom(descriptors.limit, config.connections);
  const clientOf = (address: string) => {
    const client = bucketOf(address);
    return { client, isProxy: proxies.has(client) };
  };
  const rules = { room, ports, clientOf, standing: guests.standing, present: guests.keepOnly };
  const crowd = openCrowd(descriptors, rules, log);
  let pace: keyof typeof LOOK_MS = "calm";
  let endLooks = every(LOOK_MS[pace], look);

  function look(): void {
    crowd.look(clock.elapsedMs());
    state.isOutOfDescriptors = crowd.isShort();
    const wanted = crowd.isCrowded() ? "crowded" : "calm";
    if (wanted === pace) return;
    pace = wanted;
    endLooks();
    endLooks = every(LOOK_MS[pace], look);
  }

  return {
    counts: crowd.counts,
    end() {
      endLooks();
      descriptors.keepBack(descriptors.limit);
    },
  };
}

function bucketOf(address: string): string {
  return clientAddress(address, null, []);
}

function requireRoom(descriptorLimit: number, wanted: CrowdRoom): CrowdRoom {
  try {
    return roomWithin(descriptorLimit, wanted);
  } catch (error) {
    throw error instanceof RangeError ? new Failure(error.message) : error;
  }
}
