/** A directory that tells a server of the test, over true sockets and a clock that stands. */
import type { LogFields } from "../../../src/deps.ts";
import { openKeyring } from "../../../src/ops/keyring.ts";
import { addReceiver, type WantedReceiver } from "../../../src/ops/notices/receivers.ts";
import { openNoticeSender } from "../../../src/ops/notices/send-notices.ts";
import { inTransaction } from "../../../src/store/commit.ts";
import { appendNotice } from "../../../src/store/events.ts";
import { closeStore } from "../../../src/store/open.ts";
import { type StillClock, stillClock } from "../../exchange/clocks.ts";
import { openMemoryStore } from "../../support/memory-store.ts";

export const START_MS = 1_795_253_400_000;

export type Heard = { path: string; headers: Headers; body: string };

/** What the receiver answers, in order; 204 when nothing is left. */
export type Answers = (Response | "silence")[];

export function openNoticeRig(answers: Answers = []) {
  const heard: Heard[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      heard.push({ path: pathname, headers: request.headers, body: await request.text() });
      const answer = answers.shift() ?? new Response(null, { status: 204 });
      return answer === "silence" ? new Promise<Response>(() => undefined) : answer;
    },
  });
  const store = openMemoryStore();
  const clock = stillClock(START_MS);
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const log: { fields: LogFields; message: string }[] = [];
  const note = (fields: LogFields, message: string) => void log.push({ fields, message });
  const keyring = openKeyring({
    store,
    network: "paper",
    vaultKey: { bytes: new Uint8Array(32).fill(5) },
    randomBytes,
  });
  const world = {
    store,
    clock,
    randomBytes,
    keyring,
    network: "paper" as const,
    log: { debug: note, info: note, warn: note, error: note },
    /** Names of the test's own lead to its server. */
    resolve: async (hostname: string) => [hostname === "public.test" ? "8.8.8.8" : "127.0.0.1"],
  };
  let sender = openNoticeSender(world);
  return {
    store,
    clock,
    keyring,
    log,
    heard,
    world,
    url: `http://receiver.test:${server.port}/told`,
    add: (some: Partial<WantedReceiver> = {}) => addReceiver(world, { ...wantedAt(server.port ?? 0), ...some }),
    raise(reason: string) {
      inTransaction(store, () => appendNotice(store, "disk", JSON.stringify({ reason }), clock.nowMs()));
    },
    /** As after kill -9: what was under way is heard by nobody. */
    restart() {
      sender.stop();
      sender = openNoticeSender(world);
    },
    async close() {
      sender.stop();
      await server.stop(true);
      closeStore(store);
    },
  };
}

export type NoticeRig = ReturnType<typeof openNoticeRig>;

function wantedAt(port: number): WantedReceiver {
  const url = `http://receiver.test:${port}/told`;
  return { name: "desk", kind: "webhook", url, token: null, chat: null, isPrivateAllowed: true, takesCommands: false };
}

/** Lets time go on until so many were heard, and sockets theirs meanwhile. */
export async function until(rig: { clock: StillClock }, isSo: () => boolean, stepMs = 1_000): Promise<void> {
  for (let step = 0; step < 400 && !isSo(); step += 1) {
    await rig.clock.advance(step % 10 === 0 ? stepMs : 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
