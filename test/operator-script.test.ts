/** `postern-operator` with a service manager that writes down what it is asked. */
import { expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryDirectory } from "./support/temporary-directory.ts";

const SCRIPTS = join(import.meta.dir, "../scripts/systemd");
const UNIT = readFileSync(join(SCRIPTS, "postern.service"), "utf8");
const SIGNATURE = `0x${"5a".repeat(64)}1b`;

/** Settings of the unit that a command has no use for; whatever else stands there holds for commands as well. */
const OF_A_SERVICE =
  /^(Type|NotifyAccess|ExecStart|Restart|RestartSec|RestartPreventExitStatus|TimeoutStartSec|TimeoutStopSec|KillMode|WatchdogSec|StandardOutput|StandardError|SyslogIdentifier|LoadCredentialEncrypted)=/;

type Asked = { words: string[]; typed: string; said: string; exitCode: number };

/** Runs it with these words; `dropIn` is what `systemctl edit` has added to the unit. */
async function operate(words: readonly string[], { dropIn = "", typed = "" } = {}): Promise<Asked> {
  let asked: Asked | null = null;
  await inTemporaryDirectory(async (directory) => {
    const [bin, release, current] = [join(directory, "bin"), join(directory, "1.0.0"), join(directory, "operator")];
    for (const each of [bin, release]) mkdirSync(each);
    for (const file of ["postern-operator", "common.sh"]) cpSync(join(SCRIPTS, file), join(release, file));
    writeFileSync(join(directory, "unit"), `${UNIT}\n${dropIn}`);
    const commands = {
      id: "echo 0",
      systemctl: `[ "$*" = "cat postern.service" ] && cat ${directory}/unit`,
      "systemd-run": `printf '%s\\0' "$@" >${directory}/words; cat >${directory}/typed; exit 7`,
    };
    for (const [name, body] of Object.entries(commands)) {
      writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    await Bun.$`ln -s ${join(release, "postern-operator")} ${current}`;
    const child = Bun.spawn(["bash", current, ...words], {
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      stdin: new Blob([typed]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [said, exitCode] = [await child.stderr.text(), await child.exited];
    const written = existsSync(join(directory, "words")) ? readFileSync(join(directory, "words"), "utf8") : "";
    const read = existsSync(join(directory, "typed")) ? readFileSync(join(directory, "typed"), "utf8") : "";
    asked = { words: written.split("\0").slice(0, -1), typed: read, said, exitCode };
  });
  if (asked === null) throw new Error("it was not run");
  return asked;
}

test("a command of the operator runs behind every wall of the unit, and behind those that were added", async () => {
  const { words, exitCode } = await operate(["key", "list"], { dropIn: "[Service]\nIPAddressDeny=any\n" });
  const service = UNIT.slice(UNIT.indexOf("[Service]"), UNIT.indexOf("[Install]"));
  const walls = service.split("\n").filter((line) => /^[A-Za-z]+=/.test(line) && !OF_A_SERVICE.test(line));
  expect(walls.length).toBeGreaterThan(35);
  for (const wall of [...walls, "IPAddressDeny=any"]) expect(words).toContain(`--property=${wall}`);
  expect(words.filter((word) => OF_A_SERVICE.test(word.replace("--property=", "")))).toEqual([]);
  expect(words.slice(-3)).toEqual(["/opt/postern/current/postern", "key", "list"]);
  expect(exitCode).toBe(7);
});

test.each([
  [
    ["agent", "approve", "--signature", SIGNATURE, "--json"],
    ["agent", "approve", "--signature", "-", "--json"],
  ],
  [
    ["key", "revoke", `--signature=${SIGNATURE}`],
    ["key", "revoke", "--signature", "-"],
  ],
])("a signature goes on by standard input alone: %j", async (words, wanted) => {
  const asked = await operate(words);
  expect(asked.words.slice(-wanted.length)).toEqual(wanted);
  expect(asked.words.join(" ")).not.toContain("5a5a");
  expect(asked.typed).toBe(`${SIGNATURE}\n`);
  expect(asked.said).toContain("leave --signature out");
});

test("standard input is the command's own, and the description says nothing of it", async () => {
  const asked = await operate(["agent", "approve", "--signature", "-"], { typed: SIGNATURE });
  expect(asked).toMatchObject({ typed: SIGNATURE, said: "" });
  expect(asked.words).toContain("--description=a command of postern's operator");
});
