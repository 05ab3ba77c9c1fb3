/** What needs the owner, in the order in which it should be looked at. */
import type { ApiProposal, ListedApiKey, Status } from "../api/resources.ts";
import { isNear, liquidationPercent } from "../figures/exposure.ts";
import { ageOf, dateAndTime, duration, money, shortId } from "../figures/format.ts";
import { agentEndsSoon } from "./renewal.ts";
import type { State } from "./state.ts";

export type Matter = { words: string; where: string; link: string };

/** Milliseconds before its end from which a bot's key is named. */
const KEY_ENDS_SOON_MS = 7 * 24 * 60 * 60 * 1_000;

/** Unknown orders and stops have places of their own on the screen. */
export function attentionOf({ status, positions, trades, proposals, keys, nowMs }: State): Matter[] {
  return [
    ...(positions.value ?? []).flatMap((position): Matter[] => {
      const percent = liquidationPercent(position);
      if (percent === null || !isNear(percent)) return [];
      const words = `${position.market} is ${money(percent, 1)} % from its liquidation.`;
      return [{ words, where: "#/trade", link: "Trade" }];
    }),
    ...(trades.value ?? []).flatMap((trade): Matter[] => {
      if (trade.protected || trade.unprotected_since === null) return [];
      const age = ageOf(trade.unprotected_since, nowMs);
      const words = `${trade.held_size} ${trade.market} has no stop for ${age}: ${trade.unprotected_because ?? "not known why"}`;
      return [{ words, where: "#/trade", link: "Trade" }];
    }),
    ...waitingProposals(proposals.value, nowMs).map((proposal): Matter => {
      const words = `${proposal.bot ?? shortId(proposal.key_hash)} asks to ${proposal.in_words}.`;
      return { words, where: "#/bots", link: "Approve or refuse" };
    }),
    ...(status.value === null ? [] : ofGateway(status.value, nowMs)),
    ...(keys.value ?? []).flatMap((key) => ofKey(key, nowMs)),
  ];
}

/** Those that can still be approved. */
export function waitingProposals(proposals: readonly ApiProposal[] | null, nowMs: number): ApiProposal[] {
  return (proposals ?? []).filter(
    ({ status, expires_at: until }) => status === "waiting" && (until === null || Date.parse(until) > nowMs),
  );
}

function ofGateway(status: Status, nowMs: number): Matter[] {
  const { orders, feed_live: isLive, agent, unknown_operations: unknown, replica_fault: replica } = status;
  const said: string[] = [];
  if (!orders.are_taken && orders.reason !== "trading_stopped")
    said.push(`Orders are not taken: ${orders.detail ?? ""}`);
  if (!isLive) said.push(`The exchange's feed is not live: ${status.feed_not_live_because ?? "not known why"}`);
  if (unknown.count > 0) said.push(`${unknown.count} operations are unknown; the gateway is finding out.`);
  if (replica !== null) said.push(`The replica of the database: ${replica}.`);
  if (agent === null) said.push("No agent is approved: nothing can be signed.");
  else if (agentEndsSoon(status, nowMs)) said.push(`The agent's approval ends ${dateAndTime(agent.valid_until)}.`);
  return said.map((words) => ({ words, where: "#/health", link: "Health" }));
}

function ofKey({ limits, state, key_hash: hash }: ListedApiKey, nowMs: number): Matter[] {
  if (limits === null || state !== "active") return [];
  const endsInMs = Date.parse(limits.expires_at) - nowMs;
  const said: string[] = [];
  if (limits.trip !== null)
    said.push(`${limits.bot} has tripped and increases nothing before ${dateAndTime(limits.trip.until)}.`);
  if (endsInMs < KEY_ENDS_SOON_MS) {
    const ends = endsInMs > 0 ? `ends in ${duration(endsInMs / 1_000)}` : "has ended";
    said.push(`The key ${shortId(hash)} of ${limits.bot} ${ends}.`);
  }
  return said.map((words) => ({ words, where: "#/bots", link: limits.bot }));
}
