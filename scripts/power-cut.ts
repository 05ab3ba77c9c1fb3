/**
 * Power cuts. Lives of the gateway on a database whose every write is recorded, and for each of them images of what a
 * power cut may leave: all up to the last sync of each file, and any part of what was written after it. On every image
 * a gateway starts, settles and is asked again.
 *
 *   bun scripts/power-cut.ts [--images N] [--seconds S] [--from SEED] [--jobs J] [--at-least N]
 *   bun scripts/power-cut.ts --seed SEED       one life
 *   bun scripts/power-cut.ts --plant-normal    intents do not wait for the disk: passes when the images show it
 *
 * Needs a C compiler (`cc`) and Linux, for the library that records the writes.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type PowerResult, runPowerCuts } from "../test/crash/power/run.ts";
import { buildWriteLog, openWriteLog } from "../test/crash/power/write-log.ts";
import { makeTemplate } from "../test/simulation/template.ts";
import { readTotals, tellTotals } from "./jobs.ts";
import { MEMORY, openOwnDirectory } from "./own-directory.ts";

type Options = {
  images: number;
  seconds: number;
  from: number;
  stride: number;
  isNormalPlanted: boolean;
  directory: string;
};

type Totals = Omit<PowerResult, "findings"> & { lives: number; firstFailed: number | null };

const NOTHING: Totals = { images: 0, lossy: 0, broken: 0, sends: 0, takenOutcomes: 0, lives: 0, firstFailed: null };
const IMAGES_OF_A_LIFE = 12;
const MAX_JOBS = 64;
/** Findings that are shown of one life. */
const MAX_SHOWN = 5;
const LIBRARY = "write-log.so";

async function runLives(options: Options): Promise<Totals> {
  const { directory, isNormalPlanted } = options;
  const endAtMs = performance.now() + options.seconds * 1_000;
  const log = openWriteLog(join(directory, LIBRARY));
  const lives = join(directory, `job-${process.pid}`);
  const template = join(directory, `template-${process.pid}.db`);
  makeTemplate(template);
  let totals = NOTHING;
  for (let seed = options.from; totals.images < options.images && performance.now() < endAtMs; seed += options.stride) {
    mkdirSync(lives);
    const images = Math.min(IMAGES_OF_A_LIFE, options.images - totals.images);
    const result = await runPowerCuts({ seed, images, directory: lives, template, log, isNormalPlanted });
    rmSync(lives, { recursive: true });
    totals = added(totals, result, seed);
    if (isNormalPlanted) continue;
    for (const finding of result.findings.slice(0, MAX_SHOWN)) console.log(`seed ${seed}: ${finding}`);
  }
  return totals;
}

function added(totals: Totals, result: PowerResult, seed: number): Totals {
  return {
    images: totals.images + result.images,
    lossy: totals.lossy + result.lossy,
    broken: totals.broken + result.broken,
    sends: totals.sends + result.sends,
    takenOutcomes: totals.takenOutcomes + result.takenOutcomes,
    lives: totals.lives + 1,
    firstFailed: totals.firstFailed ?? (result.findings.length > 0 ? seed : null),
  };
}

/** Each in a process that records itself. */
async function runJobs(options: Options, jobs: number): Promise<Totals> {
  const library = join(options.directory, LIBRARY);
  buildWriteLog(library);
  const all = await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const { images, seconds, from, isNormalPlanted, directory } = options;
      const child = Bun.spawn(
        [
          process.execPath,
          import.meta.path,
          "--slice",
          String(jobs),
          "--directory",
          directory,
          "--images",
          String(Math.ceil(images / jobs)),
          "--seconds",
          String(seconds),
          "--from",
          String(from + job),
          ...(isNormalPlanted ? ["--plant-normal"] : []),
        ],
        { stdout: "pipe", stderr: "inherit", env: { ...process.env, LD_PRELOAD: library } },
      );
      return readTotals<Totals>(child);
    }),
  );
  return all.reduce((sum, one) => ({
    images: sum.images + one.images,
    lossy: sum.lossy + one.lossy,
    broken: sum.broken + one.broken,
    sends: sum.sends + one.sends,
    takenOutcomes: sum.takenOutcomes + one.takenOutcomes,
    lives: sum.lives + one.lives,
    firstFailed: sum.firstFailed ?? one.firstFailed,
  }));
}

function report(totals: Totals, { isNormalPlanted }: Options, atLeast: number): boolean {
  const { images, lossy, broken, lives, sends } = totals;
  console.log(
    `${images} images of ${lives} lives (${sends} sends), ${lossy} with losses, ` +
      `${totals.takenOutcomes} outcomes taken and settled again, ${broken} broken`,
  );
  if (isNormalPlanted) {
    console.log(broken > 0 ? "the planted mistake was found" : "THE PLANTED MISTAKE WAS NOT FOUND");
    return broken > 0;
  }
  if (images < atLeast) console.log(`fewer than ${atLeast} images in the time that there was`);
  // Images that lose nothing would prove nothing.
  return images >= atLeast && totals.firstFailed === null && lossy > 0;
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      images: { type: "string", default: "2400" },
      seconds: { type: "string", default: "Infinity" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      jobs: { type: "string", default: "2" },
      "at-least": { type: "string", default: "0" },
      slice: { type: "string" },
      directory: { type: "string" },
      "plant-normal": { type: "boolean", default: false },
    },
  });
  const isOne = values.seed !== undefined;
  const directory = values.directory ?? openOwnDirectory(MEMORY, "postern-power-");
  const options: Options = {
    images: isOne ? IMAGES_OF_A_LIFE : Number(values.images),
    seconds: Number(values.seconds),
    from: Number(values.seed ?? values.from),
    stride: Number(values.slice ?? 1),
    isNormalPlanted: values["plant-normal"],
    directory,
  };
  if (values.slice !== undefined) {
    tellTotals(await runLives(options));
    return true;
  }
  try {
    const jobs = isOne ? 1 : Math.min(Number(values.jobs), MAX_JOBS);
    return report(await runJobs(options, jobs), options, Number(values["at-least"]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exit((await main()) ? 0 : 1);
