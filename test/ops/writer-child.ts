/** Stores intents as fast as the disk takes them, and says of each that it is stored: `writer-child.ts DATABASE`. */

import { openStore } from "../../src/store/open.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";
import { sleepingTimer } from "../support/sleeping-timer.ts";

const store = openStore(process.argv[2] ?? "");
const clock = {
  nowMs: Date.now,
  elapsedMs: () => performance.now(),
  sleep: (ms: number) => Bun.sleep(ms),
  timer: sleepingTimer((ms) => Bun.sleep(ms)),
};
const queue = openDurableQueue(store, (run) => void setImmediate(run), clock);
/** The test ends us long before. */
const MAX_INTENTS = 200_000;
const CLIENTS = 4;
let next = 0;

async function write(): Promise<void> {
  while (next < MAX_INTENTS) {
    next += 1;
    const number = next;
    const id = `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
    const cloid = `0x${id.replaceAll("-", "")}`;
    await queue.intent(() => {
      const resource = { kind: "order", id } as const;
      const attempt = attemptRow({ kind: "place", nonce: number, cloid, resource, idempotencyKey: id });
      const order = orderRow({ id, idempotencyKey: id });
      const { accountId, createdAtMs } = order;
      const keyRecord = {
        accountId,
        idempotencyKey: id,
        route: "place",
        fingerprint: "1",
        resource,
        answer: null,
        createdAtMs,
      };
      const leg = legRow({ cloid, orderId: id });
      insertPlacing(store, { order, keyRecord, leg, attempt });
    });
    process.stdout.write(`${number}\n`);
  }
}

await Promise.all(Array.from({ length: CLIENTS }, write));
