/** What is wrong with the copy beside the database is known from a minute after the start, and forgotten when it is well. */
import { expect, test } from "bun:test";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReplicaWatch } from "../../../src/ops/notices/watch-replica.ts";
import { openRig } from "../../http/rig.ts";
import { inTemporaryDirectory } from "../../support/temporary-directory.ts";

/** A minute, five minutes twice, and what a look takes itself. */
const ROUND_MS = 5 * 60_000 + 10_000;

test("what is wrong is told as of the last look, without a path, and not where nobody asked for a replica", async () => {
  await inTemporaryDirectory(async (path) => {
    const places = { database: join(path, "postern.db") };
    const written = new Date(2026, 10, 21);
    writeFileSync(`${places.database}-wal`, "x");
    utimesSync(`${places.database}-wal`, written, written);
    const [rig, other] = [openRig(), openRig()];
    const watch = openReplicaWatch(rig.deps, { places, hasExternalCheckpoints: true });
    openReplicaWatch(other.deps, { places, hasExternalCheckpoints: false });
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) await rig.clock.advance(500);
    };
    await pass(59_000);
    expect(rig.deps.state.replicaFault).toBeUndefined();
    await pass(10_000);
    expect(rig.deps.state.replicaFault).toStartWith("POSTERN_EXTERNAL_CHECKPOINTS is 1 and Litestream was never here");
    const copies = join(path, ".postern.db-litestream", "ltx", "0");
    mkdirSync(copies, { recursive: true });
    await pass(ROUND_MS);
    expect(rig.deps.state.replicaFault).toBe("Litestream has copied nothing");
    writeFileSync(join(copies, `${"0".repeat(16)}-${"0".repeat(16)}.ltx`), "x");
    await pass(ROUND_MS);
    expect(rig.deps.state.replicaFault).toBeUndefined();
    watch.stop();
    rmSync(join(path, ".postern.db-litestream"), { recursive: true });
    await pass(2 * ROUND_MS);
    expect([rig.deps.state.replicaFault, other.deps.state.replicaFault]).toEqual([undefined, undefined]);
  });
});
