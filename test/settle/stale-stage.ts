/**
 * What scenes of operations need: they carry no id of ours, and what shows them lags, so stores are held back and answers lost.
 */
import type { Ask } from "../simulation/front.ts";
import { directly, type Fate, type FateOf } from "../simulation/network.ts";
import type { Scene } from "../simulation/scene.ts";
import type { Snapshot, Venue } from "../simulation/venue.ts";

export const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
export const UNHEARD: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };
/** It arrives when it has expired: its number is taken, and nothing is done. */
export const TOO_LATE: Fate = { arrivesAfterMs: [12_500], answer: { kind: "silence" } };

/** Reads of these types are answered from the moment at which each was put here. */
export function holdBack(s: Scene): Map<string, Snapshot> {
  const held = new Map<string, Snapshot>();
  const read: Venue["read"] = s.venue.read;
  Object.assign(s.venue, {
    read: (body: string, past: Snapshot | null) => read(body, held.get(typeIn(body)) ?? past),
  });
  return held;
}

export function typeIn(body: string): string {
  return /"type":"([A-Za-z]+)"/.exec(body)?.[1] ?? "";
}

/** What becomes of actions of one type; `lostNoops` of the empty actions are lost. */
export function fates(type: string, fate: Fate, lostNoops = 0): FateOf {
  let noops = 0;
  return ({ path, body }) => {
    if (path !== "/exchange") return directly(5);
    if (typeIn(body) === type) return fate;
    if (typeIn(body) !== "noop") return directly(5);
    noops += 1;
    return noops <= lostNoops ? LOST : directly(5);
  };
}

export type Told = { http: number; status: string; exchange_id: string | null; error: string | null };

export async function told(s: Scene, key: string, ask: Ask): Promise<Told> {
  const { status: http, body } = await s.tell(key, ask);
  return { http, ...JSON.parse(body) };
}
