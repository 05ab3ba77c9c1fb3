/** The process stands still for longer than a signed action lives: stopped by the machine, or swapped out. */

import { openChance } from "../../simulation/chance.ts";
import { load } from "../clients.ts";
import { type Scene, setScene } from "../scene.ts";
import { openWishes } from "../wishes.ts";
import { expectTruth, type Mishap, type Served, type Stage, serve } from "./mishap.ts";
import { openRecorder, type Recorder } from "./recorder.ts";

/** Longer than the life of an action in these scenes, 5 s, and its margin, milliseconds. */
const STOPPED_MS = 6_000;
/** Load before and after, milliseconds. */
const LOAD_MS = 400;
const CLIENTS = 6;
/** A stop at a named step comes about within this, milliseconds. */
const REACHED_WITHIN_MS = 5_000;

export const stoppedUnderLoad: Mishap = {
  name: "stopped under load for longer than an action lives",
  lacks: () => null,
  run: (stage) =>
    inRecordedScene(stage, async (scene, recorder) => {
      const served = await serve(scene, scene.serve(stage.shipped));
      await loadAround(stage, { scene, recorder, served }, async () => {
        await Bun.sleep(LOAD_MS);
        process.kill(served.gateway.pid, "SIGSTOP");
      });
    }),
};

/** Signed, and not a byte of it sent yet. */
export const stoppedBeforeSending: Mishap = {
  name: "stopped between signing and sending",
  lacks: () => null,
  run: (stage) =>
    inRecordedScene(stage, async (scene, recorder) => {
      const served = await serve(scene, scene.serve(stage.doomed, { STOP_AT: "before_send:5" }));
      await loadAround(stage, { scene, recorder, served }, () => untilStopped(stage, served.gateway.pid));
    }),
};

async function inRecordedScene(stage: Stage, work: (scene: Scene, recorder: Recorder) => Promise<void>): Promise<void> {
  const recorder = openRecorder();
  const scene = await setScene({ executable: stage.shipped, faults: { rules: [] }, through: recorder.through });
  try {
    await work(scene, recorder);
  } finally {
    await scene.close();
    recorder.close();
  }
}

type Around = { scene: Scene; recorder: Recorder; served: Served };

async function loadAround(stage: Stage, { scene, recorder, served }: Around, stopping: () => Promise<void>) {
  const wishes = openWishes(openChance(3), scene.account);
  let isOver = false;
  const loading = load(served.client, wishes, { clients: CLIENTS, isOver: () => isOver });
  await stopping();
  await Bun.sleep(STOPPED_MS);
  process.kill(served.gateway.pid, "SIGCONT");
  await Bun.sleep(LOAD_MS);
  isOver = true;
  await loading;
  const late = recorder.posts.filter(({ arrivedAtMs, expiresAtMs }) => arrivedAtMs > expiresAtMs);
  stage.expect(`of ${recorder.posts.length} actions none arrived expired (${late.length})`, late.length === 0);
  stage.expect("there was something to send", recorder.posts.length >= 5);
  await expectTruth(stage, scene, { served, wishes });
}

async function untilStopped({ expect }: Stage, pid: number): Promise<void> {
  const deadlineMs = performance.now() + REACHED_WITHIN_MS;
  let isStopped = false;
  while (!isStopped && performance.now() < deadlineMs) {
    await Bun.sleep(20);
    const status = await Bun.file(`/proc/${pid}/stat`).text();
    // The state stands behind the name, which is in brackets.
    isStopped = status.slice(status.lastIndexOf(")") + 2).startsWith("T");
  }
  expect("it stopped at the named step", isStopped);
}
