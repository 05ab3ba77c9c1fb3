/** Whether a bot met what the scene is about. One that did not has shown nothing by coming through. */
import type { FaultRule } from "../faults.ts";
import type { Asked, SceneLog, Strike } from "./scene-log.ts";

/** In words what the bot never met; null when it met all of it. */
export function unmet(log: SceneLog, { rules, hasList, needsTrigger }: Needs): string | null {
  if (hasList && !ordered(log.asked)) return "it sent no order after it had read the list of markets";
  if (needsTrigger && !log.asked.some(isOrder)) return "it placed no stop";
  const kinds = new Set(rules.map(kindOf));
  for (const kind of kinds) {
    const strikes = log.strikes.filter(({ rule }) => kindOf(rule) === kind);
    if (!isMet(strikes, log.changesMs)) return unmetWords(rules.filter((rule) => kindOf(rule) === kind));
  }
  return null;
}

export type Needs = {
  readonly rules: readonly FaultRule[];
  readonly hasList: boolean;
  readonly needsTrigger: boolean;
};

function kindOf({ on, fault }: FaultRule): string {
  return `${on} ${fault.kind}`;
}

function ordered(asked: readonly Asked[]): boolean {
  const listedAt = asked.findIndex(({ type }) => isListRead(type));
  return listedAt >= 0 && asked.slice(listedAt).some(isOrder);
}

function isOrder({ on, type }: Asked): boolean {
  return on === "exchange" && type === "order";
}

export function isListRead(type: string | null): boolean {
  return type === "meta" || type === "metaAndAssetCtxs" || type === "allPerpMetas";
}

/** A store that is behind deceives only who asks it soon enough after a change. */
function isMet(strikes: readonly Strike[], changesMs: readonly number[]): boolean {
  const told = strikes.filter(({ rule, atMs, changes }) => {
    if (rule.on === "exchange" || rule.fault.kind === "hello") return true;
    const lastMs = changesMs[changes - 1];
    return lastMs !== undefined && atMs - lastMs < longestLagMs(rule);
  });
  // Servers of a balancer take turns: of so many reads one went to each.
  const servers = strikes.flatMap(({ rule }) => (rule.fault.kind === "balancer" ? [rule.fault.lagsMs.length] : []));
  return told.length >= Math.max(1, ...servers);
}

/** Infinite for a fault that is not of time. */
function longestLagMs({ fault }: FaultRule): number {
  if (fault.kind === "behind") return fault.ms;
  return fault.kind === "balancer" ? Math.max(...fault.lagsMs) : Number.POSITIVE_INFINITY;
}

function unmetWords(rules: readonly FaultRule[]): string {
  const types = [...new Set(rules.flatMap(({ type }) => type ?? []))].join(" or ");
  const [first] = rules;
  if (first?.on === "ws") return `it followed no stream of ${types}`;
  return first?.on === "info" ? `it did not read ${types} in time to be deceived` : `it sent no ${types}`;
}
