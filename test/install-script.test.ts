/** `install.sh` on places of the test's own: whose passphrase seals the keys, what seals it, and who gets to see it. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM_COMMAND } from "./support/program.ts";
import { WITHOUT_ROOT } from "./support/without-root.ts";

const SCRIPTS = join(import.meta.dir, "../scripts/systemd");
const FILES = [
  "install.sh",
  "upgrade.sh",
  "uninstall.sh",
  "postern-operator",
  "postern.service",
  "plain-credential.conf",
  "postern.env",
];

const PLACES = `
T="$POSTERN_STAGE"
PROGRAMS=$T/opt CURRENT=$T/opt/current SETTINGS=$T/settings DATA=$T/data BACKUPS=$T/backups UNIT=$T/unit DROP_INS=$T/unit.d
COMMAND=$T/command OPERATOR=$T/operator MEMORY=$T/memory TERMINAL="\${POSTERN_STAGE_TERMINAL:-$T/no/terminal}"
add_account() { :; }
${WITHOUT_ROOT}`;

/** Seals by a word in front; what the machine can do lies in a file. */
const SYSTEMD_CREDS = `#!/usr/bin/env bash
T="$POSTERN_STAGE"
can="$(cat "$T/can")"
case "$1" in
  has-tpm2) [[ "$can" == *tpm* ]] && exit 1 || exit 11 ;;
  encrypt)
    key="\${2#--with-key=}"
    [[ " $can " == *" $key "* ]] || exit 1
    { echo "sealed-by $key"; base64 -w0; } >"$5"
    ;;
  decrypt)
    [[ "$(head -n 1 "$3")" != *tpm2 || "$can" != *no-unseal* ]] || exit 1
    tail -n +2 "$3" | base64 -d
    ;;
esac
`;

type Stage = {
  at(name: string): string;
  read(name: string): string;
  /** What the machine can seal with. */
  can(what: string): void;
  /** Without a terminal. */
  install(...words: string[]): { code: number; text: string };
  environment: Record<string, string>;
};

function write(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

async function onStage(play: (stage: Stage) => void | Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "postern-install-"));
  const at = (name: string) => join(root, name);
  for (const name of ["bin", "archive", "memory"]) mkdirSync(at(name));
  for (const name of FILES) cpSync(join(SCRIPTS, name), join(at("archive"), name));
  const common = readFileSync(join(SCRIPTS, "common.sh"), "utf8");
  writeFileSync(at("archive/common.sh"), common + PLACES);
  // The true words of the executable, and facts that need no build.
  const version = "printf 'version 0.2.0\\ncommit 0123456789abcdef\\n'";
  write(
    at("archive/postern"),
    `#!/bin/sh\n[ "$1" = version ] && { ${version}; exit; }\nexec ${PROGRAM_COMMAND.join(" ")} "$@"\n`,
  );
  write(at("bin/systemctl"), `#!/bin/sh\n[ "$1" != --version ] || cat "$POSTERN_STAGE/systemd"\n`);
  writeFileSync(at("systemd"), "systemd 252 (252.38-1~deb12u1)\n+PAM\n");
  write(at("bin/systemd-creds"), SYSTEMD_CREDS);
  writeFileSync(at("can"), "host");
  const environment = { PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`, POSTERN_STAGE: root };
  try {
    await play({
      at,
      read: (name) => readFileSync(at(name), "utf8"),
      can: (what) => writeFileSync(at("can"), what),
      install(...words) {
        const run = Bun.spawnSync(["bash", at("archive/install.sh"), ...words], { env: environment, stdin: "ignore" });
        return { code: run.exitCode, text: run.stdout.toString() + run.stderr.toString() };
      },
      environment,
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const MADE = /\b(?:[a-z2-7]{4}-){6}[a-z2-7]{2}\b/;
const STRONG = "anvil quarry tulip magnet orbit seven";

function sealedIn({ read }: Stage): { by: string; passphrase: string } {
  const [by = "", sealed = ""] = read("settings/passphrase.cred").split("\n");
  return { by: by.replace("sealed-by ", ""), passphrase: Buffer.from(sealed, "base64").toString() };
}

function isInstalled({ at }: Stage): boolean {
  return (
    existsSync(at("command")) || existsSync(at("settings/passphrase.cred")) || existsSync(at("settings/passphrase"))
  );
}

test("at a terminal the passphrase is made, shown there once and nowhere else, and asked back before anything depends on it", async () => {
  await onStage(async (stage) => {
    let shown = "";
    const decoder = new TextDecoder();
    const log = stage.at("log");
    const child = Bun.spawn(["bash", "-c", `bash "${stage.at("archive/install.sh")}" >"${log}" 2>&1`], {
      env: { ...stage.environment, POSTERN_STAGE_TERMINAL: "/dev/tty" },
      terminal: {
        cols: 200,
        rows: 50,
        data: (terminal: Bun.Terminal, bytes: Uint8Array) => {
          const before = shown.split("when you have it: ").length;
          shown += decoder.decode(bytes);
          const asked = shown.split("when you have it: ").length;
          if (asked === before) return;
          const made = MADE.exec(shown)?.[0] ?? "";
          // A slip first.
          terminal.write(`${asked === 2 ? "abcd-ef" : made.slice(-7)}\n`);
        },
      },
    });
    expect(await child.exited).toBe(0);
    const passphrase = MADE.exec(shown)?.[0] ?? "";
    expect(shown).toContain("That is not how it ends.");
    expect(shown.split(passphrase)).toHaveLength(2);
    expect(sealedIn(stage)).toEqual({ by: "host", passphrase });
    expect(stage.read("log")).toContain("is installed");
    for (const name of readdirSync(stage.at("."), { recursive: true, withFileTypes: true })) {
      if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name)).includes(passphrase)).toBeFalse();
    }
  });
});

test("without a terminal it is refused, or written for its owner alone to a file that was not there", async () => {
  await onStage((stage) => {
    const refused = stage.install();
    expect([refused.code, isInstalled(stage)]).toEqual([1, false]);
    expect(refused.text).toContain("--new-passphrase-file");
    const file = stage.at("new-passphrase");
    const made = stage.install("--new-passphrase-file", file);
    expect(made.code).toBe(0);
    expect(made.text).toContain("Move it off this machine");
    const passphrase = readFileSync(file, "utf8").trim();
    expect(passphrase).toMatch(MADE);
    expect(made.text).not.toContain(passphrase.slice(0, 9));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(sealedIn(stage)).toEqual({ by: "host", passphrase });
  });
  await onStage((stage) => {
    writeFileSync(stage.at("there"), "mine");
    expect(stage.install("--new-passphrase-file", stage.at("there")).code).toBe(1);
    expect([stage.read("there"), isInstalled(stage)]).toEqual(["mine", false]);
  });
});

const KEYS: [what: string, can: string, by: string | null, says: string][] = [
  ["a TPM 2 seals it where there is one", "host host+tpm2", "host+tpm2", "TPM 2: a stolen disk opens nothing"],
  ["a TPM 2 that seals and does not open again is none", "host host+tpm2 no-unseal", "host", "on the same disk"],
  ["the host key does, and what that is worth is said", "host", "host", "a stolen disk\nholds both"],
  ["where nothing seals it lies in the clear for root alone, and that is said", "", null, "in the clear"],
];

test.each(KEYS)("%s", async (_what, can, by, says) => {
  await onStage((stage) => {
    stage.can(can);
    writeFileSync(stage.at("mine"), `${STRONG}\n`);
    const { code, text } = stage.install("--passphrase-file", stage.at("mine"));
    expect([code, text]).toEqual([0, expect.stringContaining(says)]);
    expect(text).not.toContain("quarry");
    if (by !== null) expect(sealedIn(stage)).toEqual({ by, passphrase: STRONG });
    else {
      expect(stage.read("settings/passphrase")).toBe(STRONG);
      expect(statSync(stage.at("settings/passphrase")).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(stage.at("memory"))).toEqual([]);
  });
});

test("a systemd whose services cannot open it with a TPM 2 seals it with the host key", async () => {
  await onStage((stage) => {
    stage.can("host host+tpm2");
    writeFileSync(stage.at("systemd"), "systemd 251.4-arch\n");
    writeFileSync(stage.at("mine"), STRONG);
    expect(stage.install("--passphrase-file", stage.at("mine")).code).toBe(0);
    expect(sealedIn(stage).by).toBe("host");
  });
});

test("an own passphrase that is easily guessed is refused with the reason, and kept nowhere", async () => {
  await onStage((stage) => {
    for (const weak of ["aaaaaaaa", "Password123!", ""]) {
      writeFileSync(stage.at("mine"), `${weak}\n`);
      const { code, text } = stage.install("--passphrase-file", stage.at("mine"));
      expect([weak, code, isInstalled(stage)]).toEqual([weak, 1, false]);
      expect(text).toMatch(/easily guessed|fewer than 8/);
    }
    expect(readdirSync(stage.at("memory"))).toEqual([]);
    expect(stage.install("--own-passphrase")).toMatchObject({ code: 1, text: expect.stringContaining("no terminal") });
    expect(stage.install("--own-passphrase", "--passphrase-file", "x").code).toBe(2);
  });
});
