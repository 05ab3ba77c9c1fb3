/** One recorded life of a gateway and the images that power cuts at its end may have left. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openChance } from "../../simulation/chance.ts";
import { type Audited, auditImage, type Ends } from "./audit-image.ts";
import { type Cut, crashImage, drawCut, type Files } from "./crash-image.ts";
import { recordLife } from "./life.ts";
import type { LogEntry, WriteLog } from "./write-log.ts";

export type PowerRun = {
  seed: number;
  images: number;
  directory: string;
  template: string;
  log: WriteLog;
  isNormalPlanted: boolean;
};

export type PowerResult = {
  images: number;
  /** Images in which something that was written is missing. */
  lossy: number;
  /** Images that keep a promise no more. */
  broken: number;
  sends: number;
  takenOutcomes: number;
  findings: string[];
};

export async function runPowerCuts({
  seed,
  images,
  directory,
  template,
  log,
  isNormalPlanted,
}: PowerRun): Promise<PowerResult> {
  const chance = openChance(seed);
  const path = join(directory, `life-${seed}.db`);
  let lastMarkAt = 0;
  let recorded: ReturnType<WriteLog["read"]> = [];
  log.clear();
  const life = await recordLife(
    chance.split(),
    { path, template, isNormalPlanted },
    {
      onMark: () => {
        lastMarkAt = log.bytes();
      },
      onEnd: () => {
        recorded = log.read().filter(({ entry }) => entry.path.startsWith(path));
      },
    },
  );
  const base: Files = new Map([[path, new Uint8Array(readFileSync(template))]]);
  const certain = recorded.filter(({ endsAt }) => endsAt <= lastMarkAt).length;
  const result: PowerResult = {
    images: 0,
    lossy: 0,
    broken: 0,
    takenOutcomes: 0,
    sends: life.sent.length,
    findings: [...life.errors],
  };
  let reference: Ends | null = null;
  for (let nth = 0; nth < images; nth += 1) {
    const at = nth === 0 ? recorded.length : chance.between(certain, recorded.length);
    const cut: Cut = nth === 0 ? { kind: "everything", sectorBytes: 512, share: 1 } : drawCut(chance);
    const entries = recorded.slice(0, at).map(({ entry }) => entry);
    const imagePath = join(directory, `image-${seed}-${nth}.db`);
    const files = moved(crashImage(base, entries, cut, chance), path, imagePath);
    const { findings, ends, takenOutcomes }: Audited = await auditImage(
      life,
      { path: imagePath, files },
      reference,
      chance.split(),
    );
    reference ??= ends;
    result.images += 1;
    result.takenOutcomes += takenOutcomes;
    if (nth > 0 && isLossy(entries, cut)) result.lossy += 1;
    if (findings.length > 0) result.broken += 1;
    for (const finding of findings)
      result.findings.push(`image ${nth} (${JSON.stringify(cut)}, ${at} of ${recorded.length}): ${finding}`);
  }
  return result;
}

function moved(files: Files, from: string, to: string): Files {
  return new Map([...files].map(([path, content]) => [path.replace(from, to), content]));
}

function isLossy(entries: readonly LogEntry[], { kind, share }: Cut): boolean {
  const last = entries.at(-1);
  return last !== undefined && last.kind !== "sync" && (kind === "nothing" || share < 1);
}
