/** A gateway with a hook for one market, and an exchange that fills what executes at once. */
import { openHooks, type RunningHooks } from "../../src/actions/hooks/run-hooks.ts";
import type { Delivery, WantedHook } from "../../src/core/hook/hook.ts";
import { hooksServer } from "../../src/http/hooks.ts";
import { createHook } from "../../src/ops/hooks.ts";
import { listDeliveries } from "../../src/store/hook-deliveries.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { BOT, limitedRig, stateOf } from "./rails-rig.ts";
import type { Rig } from "./rig.ts";

export type Sent = { b: boolean; s: string; p: string; r: boolean; c: string };

export type HooksRig = Rig & {
  hook: { id: string; secret: string };
  /** What reached the exchange as an order. */
  orders: Sent[];
  /** What the bot's account holds there. */
  held: { szi: number };
  hooks(): RunningHooks;
  /** Another process takes over; the one before hears nothing more. */
  restart(): void;
  /** The status of the answer, and what it says. */
  send(
    body: string | object,
    some?: { secret?: string; from?: string; headers?: Record<string, string> },
  ): Promise<Told>;
  pass(seconds: number): Promise<void>;
  /** The newest first. */
  deliveries(): Delivery[];
};

export type Told = { status: number; told: Record<string, unknown> };

/** ISO 8601 with whole seconds, so many after the beginning. */
export function timeAt(rig: Rig, seconds = 0): string {
  return `${new Date(rig.clock.nowMs() + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

export async function openHooksRig(
  wanted: Partial<WantedHook> = {},
  grant: Parameters<typeof limitedRig>[0] = {},
): Promise<HooksRig> {
  const rig = await limitedRig(grant);
  const { orders, held } = fillWhatComes(rig);
  const terms = { name: "chart", mode: "order", market: null, maxAgeMs: 60_000, sameWithinMs: 60_000 } as const;
  const rest = { maxSlippageBps: 50, sources: null, isRehearsal: false, keyHash: keyHash(BOT) };
  const hook = createHook({ ...rig.deps, network: "paper" }, { ...terms, ...rest, ...wanted });
  let hooks = openHooks(rig.deps);
  const answer = hooksServer({ deps: () => rig.deps, heed: () => hooks.heed(), trustedProxies: [] });
  return {
    ...rig,
    hook,
    orders,
    held,
    hooks: () => hooks,
    restart() {
      hooks.stop();
      hooks = openHooks(rig.deps);
      hooks.heed();
    },
    async send(body, { secret = hook.secret, from = "203.0.113.7", headers = {} } = {}) {
      const request = new Request(`http://hooks.example.org/hooks/${secret}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const response = await answer(request, from);
      return { status: response.status, told: (await response.json()) as Record<string, unknown> };
    },
    async pass(seconds) {
      for (let step = 0; step < seconds * 4; step += 1) await rig.clock.advance(250);
    },
    deliveries: () => listDeliveries(rig.deps.store, hook.id, { before: null, limit: 100 }),
  };
}

function fillWhatComes(rig: Rig): { orders: Sent[]; held: { szi: number } } {
  const orders: Sent[] = [];
  const held = { szi: 0 };
  const level = { px: "59990", sz: "10", n: 1 };
  // The exchange's time does not go back with our clock.
  const shownAtMs = () => Math.max(rig.clock.nowMs(), rig.deps.exchange.nowMs());
  const book = () => ({ coin: "BTC", time: shownAtMs(), levels: [[level], [{ ...level, px: "60010" }]] });
  rig.answers.set("l2Book", book);
  rig.answers.set("clearinghouseState", ({ dex }) =>
    stateOf((dex ?? "") === "" && held.szi !== 0 ? [{ coin: "BTC", szi: String(held.szi) }] : [], shownAtMs()),
  );
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...rest) => {
    const { action } = JSON.parse(body) as { action: { type: string; orders?: Sent[] } };
    const [order] = action.orders ?? [];
    if (order === undefined) return send(body, ...rest);
    orders.push(order);
    held.szi = Number((held.szi + (order.b ? Number(order.s) : -Number(order.s))).toFixed(5));
    const statuses = [{ filled: { totalSz: order.s, avgPx: "60000", oid: 90_000 + orders.length, cloid: order.c } }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  return { orders, held };
}
