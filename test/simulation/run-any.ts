import { NOTHING_MEASURED } from "./measured.ts";
import { isQuiet, runQuiet } from "./quiet.ts";
import { type RunOptions, type RunResult, runSeed } from "./run-seed.ts";
import { settleOnce } from "./timeline.ts";

/** The run of a seed: one of a quiet account, or of all else. */
export async function runAny(options: RunOptions): Promise<RunResult> {
  return isQuiet(options.seed) ? quietResult(options) : runSeed(options);
}

async function quietResult(options: RunOptions): Promise<RunResult> {
  const { seed } = options;
  const { findings, scene, deaths } = await runQuiet(options);
  const { network, timeline, history } = scene;
  scene.close();
  await settleOnce();
  const [events, sends, hash] = [timeline.eventCount(), network.sent.length, history.hash()];
  return {
    seed,
    findings,
    history: history.lines(),
    hash,
    events,
    sends,
    deaths,
    readsAfterWrites: 0,
    measured: NOTHING_MEASURED,
  };
}
