/** `upgrade.sh` on places of the test's own, with a service manager and a gateway that are a few lines of shell. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WITHOUT_ROOT } from "./support/without-root.ts";

const SCRIPTS = join(import.meta.dir, "../scripts/systemd");
const OTHER_FILES = ["install.sh", "uninstall.sh", "postern.service", "plain-credential.conf", "postern.env"];

const PLACES = `
T="$POSTERN_STAGE"
PROGRAMS=$T/opt CURRENT=$T/opt/current DATA=$T/data SNAPSHOT=$T/snapshot LOCK=$T/lock UNIT=$T/unit
COMMAND=$T/command OPERATOR=$T/operator
${WITHOUT_ROOT}`;

const SYSTEMCTL = `#!/usr/bin/env bash
T="$POSTERN_STAGE"
case "$1" in
  is-active) [ -e "$T/active" ] ;;
  stop)
    rm -f "$T/active"
    if [ -e "$T/opens-as-it-stops" ]; then rm -f "$T/data/upgrade-trial"; fi
    ;;
  start)
    touch "$T/active"
    "$T/command" version | head -n 1 >>"$T/data/starts"
    ;;
esac
`;

const OPERATOR = `#!/usr/bin/env bash
T="$POSTERN_STAGE"
if [ "$2" = open ]; then
  rm "$T/data/upgrade-trial"
  exit 0
fi
touch "$T/asked"
for _ in $(seq 1 200); do [ ! -e "$T/waits" ] && break; sleep 0.05; done
if [ -e "$T/opened-by-hand" ]; then rm "$T/data/upgrade-trial"; fi
[ ! -e "$T/unwell" ] || { echo "it is not well"; exit 1; }
echo "{\\"version\\":\\"0.2.0\\"}"
`;

type Stage = {
  run(): { ended: Promise<{ code: number; text: string }>; kill(signal: NodeJS.Signals): void };
  /** Makes the gateway or the service manager behave so from now on. */
  put(name: string): void;
  take(name: string): void;
  has(name: string): boolean;
  read(name: string): string;
  release(): string;
};

function write(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function makeRelease(directory: string, version: string): string {
  mkdirSync(directory, { recursive: true });
  for (const name of OTHER_FILES) cpSync(join(SCRIPTS, name), join(directory, name));
  cpSync(join(SCRIPTS, "upgrade.sh"), join(directory, "upgrade.sh"));
  writeFileSync(join(directory, "common.sh"), readFileSync(join(SCRIPTS, "common.sh"), "utf8") + PLACES);
  write(join(directory, "postern"), `#!/bin/sh\nprintf 'version ${version}\\ncommit 0123456789abcdef\\n'\n`);
  write(join(directory, "postern-operator"), OPERATOR);
  return directory;
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "postern-upgrade-"));
  const at = (name: string) => join(root, name);
  for (const name of ["bin", "data"]) mkdirSync(at(name));
  const old = makeRelease(at("opt/0.1.0-0123456789ab"), "0.1.0");
  const fresh = makeRelease(at("archive"), "0.2.0");
  symlinkSync(old, at("opt/current"));
  symlinkSync(at("opt/current/postern"), at("command"));
  symlinkSync(at("opt/current/postern-operator"), at("operator"));
  write(at("bin/systemctl"), SYSTEMCTL);
  write(at("bin/journalctl"), "#!/bin/sh\n");
  writeFileSync(at("data/orders"), "before\n");
  writeFileSync(at("active"), "");
  const env = { ...process.env, PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`, POSTERN_STAGE: root };
  try {
    await play({
      run() {
        const child = Bun.spawn(["bash", join(fresh, "upgrade.sh")], { env, stdout: "pipe", stderr: "pipe" });
        const texts = Promise.all([child.stdout.text(), child.stderr.text()]);
        const ended = child.exited.then(async (code) => ({ code, text: (await texts).join("") }));
        return { ended, kill: (signal) => child.kill(signal) };
      },
      put: (name) => writeFileSync(at(name), ""),
      take: (name) => rmSync(at(name)),
      has: (name) => existsSync(at(name)),
      read: (name) => readFileSync(at(name), "utf8"),
      release: () => /[0-9.]+(?=-)/.exec(readlinkSync(at("opt/current")))?.[0] ?? "",
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 500) throw new Error("it did not come to that");
    await Bun.sleep(20);
  }
}

test("an upgrade that is well opens its writes and stays", async () => {
  await onStage(async (stage) => {
    expect(await stage.run().ended).toMatchObject({ code: 0, text: expect.stringContaining("0.2.0 takes writes") });
    expect([stage.release(), stage.has("active"), stage.has("data/upgrade-trial")]).toEqual(["0.2.0", true, false]);
    expect(stage.read("data/starts")).toBe("version 0.2.0\n");
    expect(stage.has("snapshot/data/starts")).toBeFalse();
  });
});

test("while one upgrade runs another one touches nothing", async () => {
  await onStage(async (stage) => {
    stage.put("waits");
    const first = stage.run();
    await until(() => stage.has("asked"));
    const starts = stage.read("data/starts");
    expect(await stage.run().ended).toMatchObject({ code: 1, text: expect.stringContaining("another upgrade is run") });
    expect([stage.read("data/starts"), stage.has("active"), stage.has("data/upgrade-trial")]).toEqual([
      starts,
      true,
      true,
    ]);
    stage.take("waits");
    expect((await first.ended).code).toBe(0);
  });
});

test("an upgrade that is ended before its writes are open is taken back, and says that it was ended", async () => {
  await onStage(async (stage) => {
    stage.put("waits");
    const upgrade = stage.run();
    await until(() => stage.has("asked"));
    upgrade.kill("SIGTERM");
    stage.take("waits");
    expect(await upgrade.ended).toMatchObject({
      code: 143,
      text: expect.stringContaining("0.1.0-0123456789ab is back"),
    });
    expect([stage.release(), stage.has("active"), stage.has("data/upgrade-trial")]).toEqual(["0.1.0", true, false]);
    expect([stage.read("data/orders"), stage.read("data/starts")]).toEqual(["before\n", "version 0.1.0\n"]);
  });
});

test("a closed terminal does not end it", async () => {
  await onStage(async (stage) => {
    stage.put("waits");
    const upgrade = stage.run();
    await until(() => stage.has("asked"));
    upgrade.kill("SIGHUP");
    stage.take("waits");
    expect((await upgrade.ended).code).toBe(0);
    expect(stage.release()).toBe("0.2.0");
  });
});

test("once writes were opened, by whomever, nothing is put back", async () => {
  await onStage(async (stage) => {
    stage.put("unwell");
    stage.put("opened-by-hand");
    const { code, text } = await stage.run().ended;
    expect([code, text]).toEqual([1, expect.stringContaining("may have taken writes already, so it stays")]);
    expect([stage.release(), stage.has("active")]).toEqual(["0.2.0", true]);
    expect(stage.read("data/starts")).toBe("version 0.2.0\n");
  });
  await onStage(async (stage) => {
    stage.put("unwell");
    stage.put("opens-as-it-stops");
    const stopped = stage.run();
    await until(() => stage.has("asked"));
    const { code, text } = await stopped.ended;
    expect(code).toBe(1);
    expect(text).toContain("nothing is put back");
    expect(stage.read("data/starts")).toContain("version 0.2.0\n");
  });
});

test("an upgrade that was cut off during its trial is taken back by the next run, which then goes on", async () => {
  await onStage(async (stage) => {
    stage.put("waits");
    const cut = stage.run();
    await until(() => stage.has("asked"));
    cut.kill("SIGKILL");
    stage.take("waits");
    await cut.ended;
    expect([stage.release(), stage.has("data/upgrade-trial")]).toEqual(["0.2.0", true]);
    const { code, text } = await stage.run().ended;
    expect([code, text]).toEqual([0, expect.stringContaining("taken back first")]);
    expect(stage.read("data/starts")).toBe("version 0.1.0\nversion 0.2.0\n");
    expect([stage.release(), stage.has("data/upgrade-trial")]).toEqual(["0.2.0", false]);
  });
});
