/** The machine's clock is set while the executable runs, and stays wrong over a new start: by libfaketime. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openChance } from "../../simulation/chance.ts";
import { load } from "../clients.ts";
import { readExchange } from "../exchange-log.ts";
import { setScene } from "../scene.ts";
import { openWishes } from "../wishes.ts";
import { expectNothingUnrecorded, expectTruth, type Mishap, type Stage, serve } from "./mishap.ts";

const LIBRARIES = ["x86_64", "aarch64"].map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketime.so.1`);
/** Where the library lays down what one process and its children share; it stays when a process is killed. */
const SHARED = ["/dev/shm/faketime_shm_", "/dev/shm/sem.faketime_sem_"];
const LOAD_MS = 400;
const CLIENTS = 4;

export const setClocks: readonly Mishap[] = ["-3h", "-3d", "+3h"].map((step) => ({
  name: `the clock is set by ${step}`,
  lacks: () => (library() === null ? "libfaketime (apt-get install libfaketime)" : null),
  run: (stage) => stepClock(stage, step),
}));

function library(): string | null {
  return LIBRARIES.find((path) => existsSync(path)) ?? null;
}

async function stepClock(stage: Stage, step: string): Promise<void> {
  const { shipped, expect } = stage;
  const scene = await setScene({ executable: shipped, faults: { rules: [] } });
  const wishes = openWishes(openChance(4), scene.account);
  const file = join(scene.directory, "time");
  const environment = {
    LD_PRELOAD: library() ?? "",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    // A clock that is set does not touch the time that has passed.
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  const pids: number[] = [];
  try {
    writeFileSync(file, "+0s\n");
    const first = await serve(scene, scene.serve(shipped, environment));
    pids.push(first.gateway.pid);
    let isOver = false;
    const loading = load(first.client, wishes, { clients: CLIENTS, isOver: () => isOver });
    await Bun.sleep(LOAD_MS);
    writeFileSync(file, `${step}\n`);
    await Bun.sleep(LOAD_MS);
    await first.gateway.kill();
    isOver = true;
    await loading;
    await expectNothingUnrecorded(stage, scene, wishes.all);
    const second = await serve(scene, scene.serve(shipped, environment));
    pids.push(second.gateway.pid);
    const shown = await fetch(`${second.client.baseUrl}/healthz`);
    const wrongMs = Math.abs(Date.parse(shown.headers.get("date") ?? "") - Date.now());
    expect(`its clock is wrong (${Math.round(wrongMs / 1_000)} s)`, wrongMs > 3_600_000);
    await expectTruth(stage, scene, { served: second, wishes });
    const { actions } = await readExchange(scene);
    const nonces = actions.filter(({ action }) => action.type !== "noop").map(({ nonce }) => nonce);
    const years = nonces.filter((nonce) => Math.abs(nonce - Date.now()) > 86_400_000 / 2);
    expect(`the numbers of ${nonces.length} actions follow the exchange's time (${years.length})`, years.length === 0);
  } finally {
    for (const path of SHARED) for (const pid of pids) rmSync(`${path}${pid}`, { force: true });
    await scene.close();
  }
}
