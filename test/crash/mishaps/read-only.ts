/** A start where nothing may be written: it says so, sends nothing, and the next start finds everything as it was. */
import { join } from "node:path";
import { openChance } from "../../simulation/chance.ts";
import { ask } from "../clients.ts";
import { readExchange } from "../exchange-log.ts";
import { type Program, start } from "../processes.ts";
import { setScene } from "../scene.ts";
import { openWishes } from "../wishes.ts";
import { expectTruth, type Mishap, type Stage, serve } from "./mishap.ts";

const BEFORE = 8;

export const readOnlyStarts: readonly Mishap[] = [
  { name: "a data directory that is read-only", lacks, run: (stage) => startOn(stage, ".") },
  { name: "a database that is read-only", lacks, run: (stage) => startOn(stage, "postern.db") },
];

/** Of its own mounts: nothing of it is seen outside, and it ends with the process. */
function aside(): string[] {
  return process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"];
}

function lacks(): string | null {
  const tried = Bun.spawnSync([...aside(), "mount", "--bind", "/tmp", "/tmp"], { stderr: "ignore" });
  return tried.success ? null : "the right to mount (root, or user namespaces)";
}

const MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';

function withReadOnly(path: string, { command, environment = {} }: Program): Program {
  return { command: [...aside(), "sh", "-c", MOUNTED, "sh", path, ...command], environment };
}

async function startOn(stage: Stage, path: string): Promise<void> {
  const { expect, shipped } = stage;
  const scene = await setScene({ executable: shipped, faults: { rules: [] } });
  const wishes = openWishes(openChance(2), scene.account);
  try {
    const first = await serve(scene, scene.serve(shipped));
    for (let number = 0; number < BEFORE; number += 1) await ask(first.client, wishes.next());
    await first.gateway.kill();
    const sent = (await readExchange(scene)).actions.length;
    const second = await start(withReadOnly(join(scene.dataDirectory, path), scene.serve(shipped)));
    if ("endedEarly" in second) {
      const said = second.endedEarly.trim().split("\n").at(-1) ?? "";
      expect(`it says why it does not start: ${said}`, second.exitCode === 1 && /read-?only/i.test(said));
    } else {
      expect("it does not start", false);
      await second.kill();
    }
    expect("nothing was sent", (await readExchange(scene)).actions.length === sent);
    await expectTruth(stage, scene, { served: await serve(scene, scene.serve(shipped)), wishes });
  } finally {
    await scene.close();
  }
}
