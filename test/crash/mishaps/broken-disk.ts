/** The disk refuses: the system calls of the running executable fail, injected from outside by strace. */

import { openChance } from "../../simulation/chance.ts";
import { ask, type Client } from "../clients.ts";
import { readExchange } from "../exchange-log.ts";
import { setScene } from "../scene.ts";
import { openWishes, type Wish } from "../wishes.ts";
import { expectNothingUnrecorded, expectTruth, lastCode, type Mishap, type Stage, serve } from "./mishap.ts";

const BEFORE = 8;
const REFUSALS_WANTED = 12;
/** Requests among which so many must be refused: repeats of finished keys are still answered. */
const MAX_REQUESTS = 200;
/** strace has taken hold of all threads by then, milliseconds. */
const ATTACHED_WITHIN_MS = 500;

type Fault = { name: string; calls: string; error: string; staysStopped: boolean };

const FAULTS: readonly Fault[] = [
  { name: "no write reaches the disk (EIO)", calls: "fsync,fdatasync", error: "EIO", staysStopped: true },
  { name: "the disk is full when it comes to fsync", calls: "fsync,fdatasync", error: "ENOSPC", staysStopped: true },
  { name: "the disk is full", calls: "pwrite64", error: "ENOSPC", staysStopped: false },
  { name: "the file system turns read-only", calls: "pwrite64,ftruncate", error: "EROFS", staysStopped: false },
];

export const brokenDisks: readonly Mishap[] = FAULTS.map((fault) => ({
  name: fault.name,
  lacks: () => (Bun.which("strace") === null ? "strace (apt-get install strace)" : null),
  run: (stage) => refuseAndRecover(stage, fault),
}));

async function refuseAndRecover(stage: Stage, { calls, error, staysStopped }: Fault): Promise<void> {
  const { expect, shipped } = stage;
  const scene = await setScene({ executable: shipped, faults: { rules: [] } });
  const wishes = openWishes(openChance(1), scene.account);
  try {
    const { gateway, client } = await serve(scene, scene.serve(shipped));
    for (let number = 0; number < BEFORE; number += 1) await ask(client, wishes.next());
    const strace = attach(gateway.pid, `inject=${calls}:error=${error}`);
    await Bun.sleep(ATTACHED_WITHIN_MS);
    const sentBefore = (await readExchange(scene)).actions.length;
    let refused = 0;
    for (let number = 0; number < MAX_REQUESTS && refused < REFUSALS_WANTED; number += 1) {
      const wish = wishes.next();
      await ask(client, wish);
      if (isRefusal(lastCode(wish))) refused += 1;
    }
    expect(`writes are refused (${refused})`, refused === REFUSALS_WANTED);
    expect("nothing is sent meanwhile", (await readExchange(scene)).actions.length === sentBefore);
    expect("it is alive", (await fetch(`${client.baseUrl}/healthz`)).status === 200);
    await expectNothingUnrecorded(stage, scene, wishes.all);
    strace.kill("SIGINT");
    await strace.exited;
    const isTaken = await isTakenInTime(client, wishes.place());
    const words = staysStopped ? "writes stay stopped until a new start" : "writes go on by themselves";
    expect(words, isTaken === !staysStopped);
    if (staysStopped) expect("it says that it is not ready", (await fetch(`${client.baseUrl}/readyz`)).status === 503);
    await gateway.kill();
    await expectTruth(stage, scene, { served: await serve(scene, scene.serve(shipped)), wishes });
  } finally {
    await scene.close();
  }
}

/** A disk that failed is tried again four times a second: an order that comes in between is refused by the last try. */
const TRIED_AGAIN_WITHIN_MS = 2_000;
const PAUSE_MS = 250;

async function isTakenInTime(client: Client, wish: Wish): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < TRIED_AGAIN_WITHIN_MS; waitedMs += PAUSE_MS) {
    await ask(client, wish);
    if (wish.heard.at(-1)?.status === 201) return true;
    await Bun.sleep(PAUSE_MS);
  }
  return false;
}

function isRefusal(code: string | null): boolean {
  return code === "storage_unavailable" || code === "internal_error" || code === "not_ready";
}

function attach(pid: number, injection: string): Bun.Subprocess {
  const words = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${injection.split(/[=:]/)[1]}`, "-e", injection];
  return Bun.spawn(["strace", ...words, "-p", String(pid)], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
}
