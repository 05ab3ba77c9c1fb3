/** What a stop of a quiet account has said, held against the exchange's books at each look. */
import { isClosed } from "../../src/core/order.ts";
import { listLegs } from "../../src/store/legs.ts";
import { isDone } from "./operations.ts";
import type { QuietPlan } from "./quiet.ts";
import type { Call, Scene } from "./scene.ts";
import { liveOrders } from "./scene.ts";
import { isIncrease } from "./stops.ts";
import { START_MS } from "./template.ts";
import { onlyReduces, units } from "./truth.ts";

export type QuietWatch = {
  /** Asks for the stop until it is told as stopped, and for its flattening. */
  askStop(): void;
  look(): void;
  /** How long it has been stopped, milliseconds; null while it is not. */
  stoppedForMs(): number | null;
  /** What is claimed holds no longer: somebody resumes. */
  end(): void;
  isOver(afterMs: number): boolean;
  findings(): string[];
};

type StopRow = { id: string; cause: string; stopped_at_ms: number | null };

export function openQuietWatch(scene: Scene, plan: QuietPlan): QuietWatch {
  const found = new Set<string>();
  const user = scene.party.account.tradingAddress;
  let call: Call | null = null;
  let flattening: { id: string; atMs: number; call: Call | null; status: string | null } | null = null;
  let stoppedAtMs: number | null = null;
  let endedAtMs: number | null = null;
  let flatSinceMs: number | null = null;
  const nowMs = () => scene.timeline.nowMs();

  function askStop(): void {
    if (call?.answer === null) return;
    const told = call?.answer ?? null;
    if (told !== null && told !== "lost" && told.status < 300) heard(told.body);
    call = scene.ask("quiet-stop-1", plan.stop, plan.by);
  }

  function heard(body: string): void {
    // The gateway's own JSON, read without its types.
    const { id, flatten } = JSON.parse(body) as { id: string; flatten: { status: string } | null };
    flattening ??= { id, atMs: nowMs(), call: null, status: null };
    if (flatten !== null) {
      flattening.status = flatten.status;
      if (flatten.status === "flat") flatSinceMs ??= nowMs();
      return;
    }
    if (plan.flattenAfterMs === null || nowMs() < flattening.atMs + plan.flattenAfterMs || endedAtMs !== null) return;
    if (flattening.call?.answer === null) return;
    flattening.call = scene.ask(null, { kind: "flatten", id, bps: 300 }, plan.by);
  }

  function look(): void {
    // Told for a moment only, by the end it may be so.
    for (const end of [...falseEnds(scene, user), ...falseOperations(scene)]) found.add(`at one time ${end}`);
    const [row] = stops().filter(({ cause }) => cause === "asked");
    if (row !== undefined && row.stopped_at_ms !== null) stoppedAtMs ??= row.stopped_at_ms;
    if (stoppedAtMs === null || endedAtMs !== null) return;
    for (const oid of liveOrders(scene)) {
      const order = scene.venue.record(user, oid)?.order;
      if (order === undefined) continue;
      const isReduction = onlyReduces({ a: order.asset, b: order.isBuy, r: order.reduceOnly });
      if (!isReduction || (!plan.stop.keepsProtection && order.timestampMs <= stoppedAtMs))
        found.add(`it was told to be stopped, and order ${oid} is live`);
    }
    if ([...scene.venue.runtime.world.venue.twaps.values()].length > 0)
      found.add("it was told to be stopped, and a TWAP runs");
    const isHeld = [...scene.venue.account(user).positions.values()].some(({ size }) => size !== 0n);
    if (flatSinceMs !== null && isHeld) found.add("it was told to be flat, and something is held");
  }

  function stops(): StopRow[] {
    // Our own columns.
    return scene.rows("select id, cause, stopped_at_ms from stops") as StopRow[];
  }

  function findings(): string[] {
    const untilMs = START_MS + (endedAtMs ?? nowMs());
    for (const { atMs, signer, input, ...of } of scene.venue.log) {
      const isAfter = stoppedAtMs !== null && atMs > stoppedAtMs && atMs <= untilMs;
      if (isAfter && signer === scene.party.agent && isIncrease({ atMs, signer, input, ...of }))
        found.add(`it was told to be stopped, and the exchange took ${input.action.type}`);
    }
    const unended = stops().filter((stop) => stop.stopped_at_ms === null);
    const hasEnded = endedAtMs !== null;
    for (const { cause } of hasEnded ? [] : unended) found.add(`a stop (${cause}) has not ended: ${waits()}`);
    if (flattening?.status === "flattening") found.add(`a flattening has not ended: ${waits()}`);
    return [...found, ...falseEnds(scene, user), ...falseOperations(scene), ...scene.errors];
  }

  /** As the last answer tells them. */
  function waits(): string {
    const told = call?.answer ?? null;
    return told === null || told === "lost" ? "nothing was answered" : told.body.slice(0, 900);
  }

  return {
    askStop,
    look,
    findings,
    stoppedForMs: () => (stoppedAtMs === null ? null : START_MS + nowMs() - stoppedAtMs),
    end: () => {
      endedAtMs ??= nowMs();
    },
    isOver(afterMs) {
      if (stoppedAtMs === null || START_MS + nowMs() - stoppedAtMs < afterMs) return false;
      // A flattening that has been asked for goes on after its stop.
      if (endedAtMs !== null) return flattening?.status !== "flattening";
      const isFlattened = plan.flattenAfterMs === null || (flattening?.status ?? "flattening") !== "flattening";
      return isFlattened && stops().every((stop) => stop.stopped_at_ms !== null);
    },
  };
}

/** Orders that are told to be over and live, or with another size than the exchange has filled. */
function falseEnds(scene: Scene, user: string): string[] {
  const { store } = scene.process().gateway.deps;
  const { cloids, openOids } = scene.venue.account(user);
  const fills = scene.venue.fillsOf(user);
  return scene.rows("select id from orders").flatMap(({ id }) =>
    listLegs(store, String(id)).flatMap((leg) => {
      const oid = cloids.get(leg.cloid);
      if (!isClosed(leg) || oid === undefined) return [];
      const filled = fills.filter((fill) => fill.oid === oid).reduce((sum, { size }) => sum + size, 0n);
      if (openOids.has(oid)) return [`order ${id} is told to be over (${leg.state}), and lives`];
      const isSame = units(leg.filledSize) === filled;
      return isSame
        ? []
        : [`order ${id} is told to be over (${leg.state}) with ${leg.filledSize} filled, and has ${filled}`];
    }),
  );
}

const DONE_BY: Readonly<Record<string, string>> = { twap: "twapOrder", leverage: "updateLeverage" };

/** TWAPs and leverages that are told not to have been made and were, or the other way. */
function falseOperations(scene: Scene): string[] {
  const made = scene.rows(
    "select o.id as id, o.action as action, o.status as status, a.nonce as nonce from operations o join attempts a on a.resource_id = o.id",
  );
  return made.flatMap(({ id, action, status, nonce }) => {
    const type = DONE_BY[String(action)];
    if (type === undefined) return [];
    // A leverage can be overwritten before it is read back.
    if (action === "leverage" && made.filter((other) => other["action"] === action).length > 1) return [];
    const hasRun = scene.venue.log.some((of) => of.nonce === nonce && of.input.action.type === type && isDone(of));
    const isFalse = (status === "rejected" && hasRun) || (status === "succeeded" && !hasRun);
    return isFalse ? [`${action} ${id} is told as ${status}, and ${hasRun ? "was" : "was not"} made`] : [];
  });
}
