/** Keys with rails for tests: grants as an owner's wallet signs them, by another implementation than ours. */
import { Wallet } from "ethers";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { LIMITED_GRANT_MEMBERS } from "../../src/core/rails/limited-grant.ts";
import { memberName } from "../../src/core/rails/member-name.ts";
import { isoTime } from "../../src/core/resource.ts";
import { keyHash } from "../../src/wire/grant.ts";

export type Wanted = Partial<LimitedGrantText> &
  Pick<LimitedGrantText, "audience" | "account" | "owner" | "tradingAddress">;

/** Held to nothing but what is said. */
export function grantText(apiKey: string, issuedAtMs: number, wanted: Wanted): LimitedGrantText {
  return {
    network: "paper",
    keyHash: keyHash(apiKey),
    scopes: "trading:read,trading:write",
    bot: "grid-1",
    may: "increase,reduce,modify,cancel",
    markets: "any",
    maxOrder: "any",
    maxPosition: "any",
    maxExposure: "any",
    maxTurnoverPerDay: "any",
    maxLossPerDay: "any",
    maxActionsPerDay: "any",
    maxDistance: "any",
    maxStopDistance: "any",
    maxLeverage: "any",
    maxOpenOrders: "any",
    touches: "own",
    sources: "any",
    issuedAt: isoTime(issuedAtMs),
    expiresAt: isoTime(issuedAtMs + 90 * 86_400_000),
    ...wanted,
  };
}

const TYPES = {
  LimitedKeyGrant: [
    ...["audience", "account", "network"].map((name) => ({ name, type: "string" })),
    ...["owner", "tradingAddress"].map((name) => ({ name, type: "address" })),
    ...["keyHash", "scopes", "bot", "may", "markets", "maxOrder", "maxPosition", "maxExposure"].map(asText),
    ...["maxTurnoverPerDay", "maxLossPerDay", "maxActionsPerDay", "maxDistance", "maxStopDistance"].map(asText),
    ...["maxLeverage", "maxOpenOrders", "touches", "sources", "issuedAt", "expiresAt"].map(asText),
  ],
};

function asText(name: string): { name: string; type: string } {
  return { name, type: "string" };
}

export function signGrant(privateKey: string, text: LimitedGrantText): Promise<string> {
  return new Wallet(privateKey).signTypedData({ name: "Postern", version: "1" }, TYPES, text);
}

/** As it is sent: the audience is the gateway's to say. */
export function grantBody(text: LimitedGrantText): Record<string, string> {
  const members = LIMITED_GRANT_MEMBERS.filter((name) => name !== "audience");
  return Object.fromEntries(members.map((name) => [memberName(name), text[name]]));
}
