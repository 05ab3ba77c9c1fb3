/** How things are, for a person who asks from far away: whether orders are taken, what is not known, what is held. */
import { absolute, isZero } from "../../core/decimal.ts";
import { OBSTACLES } from "../../core/readiness.ts";
import type { ToTakeOrders, With } from "../../deps.ts";
import { readinessOf } from "../../settle/pre-trade/readiness.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listOpenLegs } from "../../store/open-legs.ts";
import { listStandingStops } from "../../store/stops.ts";
import { unknownOperations, unknownOrders } from "../../store/unknowns.ts";

export type ToTellStatus = ToTakeOrders & With<"feeds" | "instance" | "picture" | "settings">;

const MAX_POSITIONS = 20;

export function statusWords(deps: ToTellStatus): string {
  const accounts = listAccounts(deps.store);
  const lines = accounts.flatMap((account) => [
    `${account.label}: ${takenWords(deps, account.id)}`,
    `  orders out: ${new Set(listOpenLegs(deps.store, account.id).map(({ orderId }) => orderId)).size}, not known: ${unknownOf(deps, account.id)}, feed: ${deps.feeds.isLive(account.tradingAddress) ? "live" : "silent"}`,
    ...positionLines(deps, account.tradingAddress),
  ]);
  return [`Postern ${deps.settings.version}, ${deps.instance.network}`, ...lines].join("\n");
}

function takenWords(deps: ToTellStatus, accountId: string): string {
  const stops = listStandingStops(deps.store, accountId);
  const found = readinessOf(deps).accounts.find((each) => each.accountId === accountId);
  const words = found?.reason == null ? "orders are taken" : `orders are not taken: ${OBSTACLES[found.reason]}`;
  const bots = stops.filter(({ scope }) => scope === "bot").length;
  return bots === 0 ? words : `${words}; bots that are stopped: ${bots}`;
}

function unknownOf({ store }: ToTellStatus, accountId: string): number {
  return unknownOrders(store, accountId).count + unknownOperations(store, accountId).count;
}

function positionLines({ picture, settings }: ToTellStatus, address: string): string[] {
  const held = ["", ...settings.dexes].map((dex) => picture.state(address, dex)?.value.positions ?? null);
  if (held.every((positions) => positions === null)) return ["  positions: not read yet"];
  const positions = held.flatMap((each) => each ?? []).filter(({ signedSize }) => !isZero(signedSize));
  return positions
    .slice(0, MAX_POSITIONS)
    .map(
      ({ coin, signedSize }) => `  ${signedSize.startsWith("-") ? "short" : "long"} ${absolute(signedSize)} ${coin}`,
    );
}
