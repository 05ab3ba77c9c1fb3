import { expect, test } from "bun:test";
import { join } from "node:path";
import { closeStore, openStore } from "../../src/store/open.ts";
import { listStandingStops } from "../../src/store/stops.ts";
import { makeWorkplace, runHere } from "./outside.ts";

test("after a restore the commands that are printed, and the doctor's, lead to a new agent under the old name", async () => {
  const { directory, dataDirectory, passphraseFile, remove } = makeWorkplace();
  const unlock = ["--passphrase-file", passphraseFile];
  const facts = async (...words: string[]) => JSON.parse((await runHere([...words, "--json"])).out);
  try {
    const exchange = ["--network", "paper", "--exchange-url", "http://127.0.0.1:1"];
    const owner = `0x${"ab".repeat(20)}`;
    const lost = await facts("init", "--owner", owner, ...exchange, ...unlock, "--data-dir", join(directory, "lost"));
    const { account } = lost;
    const stop = await facts("stop", "--data-dir", join(directory, "lost"));
    await facts("backup", join(directory, "backup.db"), "--data-dir", join(directory, "lost"));
    const restored = await runHere(["restore", join(directory, "backup.db"), "--data-dir", dataDirectory]);
    expect(restored.out).toContain("Of before it 1 stop stands.");
    expect(restored.out).toContain(`\n  postern stop --data-dir ${dataDirectory}\n`);
    expect(restored.out).toMatch(/what was taken away after 20\S+Z:\n {2}stops, narrowings/);
    const store = openStore(join(dataDirectory, "postern.db"));
    expect(listStandingStops(store, account).map(({ id }) => id)).toEqual([stop.id]);
    closeStore(store);
    const next = restored.out.split("\n").find((line) => line.startsWith("  postern agent"));
    expect(next).toBe(`  postern agent rotate --data-dir ${dataDirectory}`);
    const words = next?.trim().split(" ").slice(1) ?? [];
    const made = await facts(...words, ...unlock);
    expect(made).toMatchObject({ name: lost.agent_name, owner });
    // Nobody is there to be asked, and the owner is told so before the signature.
    expect(made).toMatchObject({
      exchange_agents: null,
      is_warning: true,
      notice: expect.stringContaining("be asked"),
    });
    expect(lost).toMatchObject({ exchange_agents: null, is_warning: true });
    expect(made.agent).not.toBe(lost.agent);
    // Whoever asks twice, because the doctor says it as well, has one agent all the same.
    expect((await facts(...words, ...unlock)).agent).toBe(made.agent);
    const { findings } = await facts("doctor", "--data-dir", dataDirectory);
    const { found, todo } = findings.find(({ check }: { check: string }) => check === "restore") ?? {};
    expect(found).toMatch(/taken away after 20\S+Z: stops, narrowings/);
    expect(todo).toContain("postern agent rotate");
  } finally {
    remove();
  }
});
