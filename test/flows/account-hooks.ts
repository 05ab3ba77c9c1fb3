/** Hooks of an account, for those who ask whose they are. */
import { createHash } from "node:crypto";
import { insertDelivery } from "../../src/store/hook-deliveries.ts";
import { insertHook } from "../../src/store/hooks.ts";
import type { Store } from "../../src/store/open.ts";
import type { Party } from "../support/paper-rig.ts";

/** A hook of an account, and one alert that has come to it; its id and what stands in the alert. */
export function addHook(store: Store, { account, key }: Party, atMs: number): { id: string; alert: string } {
  const id = crypto.randomUUID();
  const alert = `alert of ${account.id}`;
  const bounds = { maxAgeMs: 60_000, sameWithinMs: 60_000, maxSlippageBps: 50 };
  const rest = { mode: "order", market: null, sources: null, isRehearsal: true, state: "active" } as const;
  const owner = { accountId: account.id, keyHash: key.keyHash, secretHash: hashOf(id) };
  insertHook(store, { id, ...owner, name: "isolated", ...bounds, ...rest, createdAtMs: atMs }, "operator");
  const told = { alertAtMs: null, market: null, status: "refused", reason: "an alert of the test" } as const;
  insertDelivery(store, {
    hookId: id,
    receivedAtMs: atMs,
    body: alert,
    identity: hashOf(alert),
    ...told,
    endedAtMs: atMs,
  });
  return { id, alert };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
