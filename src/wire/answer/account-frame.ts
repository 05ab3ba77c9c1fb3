import {
  type AccountMode,
  type ClearinghouseState,
  parseAccountMode,
  parseClearinghouseState,
  parseSpotState,
  type SpotBalance,
} from "./account.ts";
import { parseFrontendOpenOrders } from "./open-orders.ts";
import type { FrontendOrder } from "./order-status.ts";
import { orNull, type Source, source, text, textOrNull, timeMs } from "./read.ts";

/** What a frame shows of an account's state, whole; `value` null where it cannot be read. */
export type AccountPart =
  | { part: "state"; dex: string; value: ClearinghouseState | null }
  | { part: "open"; dex: string; value: FrontendOrder[] | null }
  | { part: "spot"; value: SpotBalance[] | null }
  /** `mode` null: the frame does not name one, as for an account that never chose one. */
  | { part: "head"; value: { serverTimeMs: number; mode: AccountMode | null } | null };

export type AccountFrame = { kind: "account_part"; user: string } & AccountPart;

/** Channels whose frames show a part of an account's state. */
export type AccountChannel = "clearinghouseState" | "openOrders" | "spotState" | "webData3";

/** Throws only where no user is named. */
export function accountFrame(channel: AccountChannel, data: Source): AccountFrame {
  switch (channel) {
    case "clearinghouseState":
      return {
        ...part(data, "state"),
        dex: dexOf(data),
        value: parseClearinghouseState(data["clearinghouseState"]),
      };
    case "openOrders":
      return { ...part(data, "open"), dex: dexOf(data), value: parseFrontendOpenOrders(data["orders"]) };
    case "spotState":
      return { ...part(data, "spot"), value: parseSpotState(data["spotState"]) };
    case "webData3": {
      const user = source(data, "userState");
      return { ...part(user, "head"), value: orNull(() => head(user)) };
    }
  }
}

function part<const P extends AccountPart["part"]>(
  whose: Source,
  name: P,
): { kind: "account_part"; user: string; part: P } {
  return { kind: "account_part", user: text(whose, "user").toLowerCase(), part: name };
}

function dexOf(data: Source): string {
  return textOrNull(data, "dex") ?? "";
}

function head(from: Source): { serverTimeMs: number; mode: AccountMode | null } {
  const named = textOrNull(from, "abstraction");
  const mode = named === null ? null : parseAccountMode(named);
  if (named !== null && mode === null) throw new Error("unreadable: abstraction");
  return { serverTimeMs: timeMs(from, "serverTime"), mode };
}
