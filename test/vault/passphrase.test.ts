import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PassphraseSources, readPassphrase } from "../../src/vault/passphrase.ts";
import { promptHidden, type Terminal } from "../../src/vault/prompt.ts";

let directory: string;
const UID = process.getuid?.() ?? 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "postern-passphrase-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, text: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function sources(change: Partial<PassphraseSources>): PassphraseSources {
  return { credentialsDirectory: null, file: null, uid: UID, prompt: null, ...change };
}

async function reasonOf(change: Partial<PassphraseSources>): Promise<string> {
  const result = await readPassphrase(sources(change));
  return result.kind === "refused" ? result.reason : "";
}

describe("the passphrase comes from", () => {
  test("the systemd credential before anything else", async () => {
    const credentialsDirectory = join(directory, "credentials");
    mkdirSync(credentialsDirectory);
    writeFileSync(join(credentialsDirectory, "passphrase"), "from systemd\n");
    const all = sources({ credentialsDirectory, file: file("a", "from a file"), prompt: async () => "from a prompt" });
    expect(await readPassphrase(all)).toEqual({ kind: "found", passphrase: "from systemd", source: "credential" });
  });

  test("the file when systemd has no credential of that name", async () => {
    const empty = join(directory, "empty");
    mkdirSync(empty);
    const both = sources({
      credentialsDirectory: empty,
      file: file("b", "from a file\n"),
      prompt: async () => "from a prompt",
    });
    expect(await readPassphrase(both)).toEqual({ kind: "found", passphrase: "from a file", source: "file" });
  });

  test("the keyboard when nothing else is given", async () => {
    const only = sources({ prompt: async () => "from a prompt" });
    expect(await readPassphrase(only)).toEqual({ kind: "found", passphrase: "from a prompt", source: "prompt" });
    expect(await reasonOf({})).toContain("no passphrase");
  });

  test("a file as it is written but for one line end, spaces included", async () => {
    for (const [written, want] of [
      ["  two words \r\n", "  two words "],
      ["one line\n\n", "one line\n"],
      ["no line end", "no line end"],
    ] as const) {
      expect(await readPassphrase(sources({ file: file("c", written) }))).toMatchObject({ passphrase: want });
    }
  });
});

describe("a passphrase file is refused, and no later source is asked,", () => {
  const prompt = async () => "from a prompt";

  test("when anybody but its owner may read it", async () => {
    for (const mode of [0o644, 0o640, 0o604, 0o660, 0o700, 0o601]) {
      expect(await reasonOf({ file: file("open", "from a file", mode), prompt })).toContain("chmod 600");
    }
    for (const mode of [0o400, 0o600]) {
      expect((await readPassphrase(sources({ file: file("shut", "from a file", mode) }))).kind).toBe("found");
      rmSync(join(directory, "shut"));
    }
  });

  test("when it belongs to another user", async () => {
    expect(await reasonOf({ file: file("foreign", "from a file"), uid: UID + 1, prompt })).toContain("another user");
  });

  test("when it is a link, a directory or missing", async () => {
    const link = join(directory, "link");
    symlinkSync(file("target", "from a file"), link);
    expect(await reasonOf({ file: link, prompt })).toContain("cannot be read");
    expect(await reasonOf({ file: directory, prompt })).toContain("not a plain file");
    expect(await reasonOf({ file: join(directory, "nowhere"), prompt })).toContain("cannot be read");
  });

  test("when it is too short or too long", async () => {
    expect(await reasonOf({ file: file("short", "1234567\n"), prompt })).toContain("fewer than 8");
    expect(await reasonOf({ file: file("long", "x".repeat(1025)), prompt })).toContain("1024 bytes");
    expect((await readPassphrase(sources({ file: file("longest", "x".repeat(1024)) }))).kind).toBe("found");
  });

  test("without saying any of it", async () => {
    for (const text of ["secret", `secret${"x".repeat(2000)}`]) {
      expect(await reasonOf({ file: file("secret-free-name".replace("secret-", ""), text), prompt })).not.toContain(
        "secret",
      );
    }
  });
});

describe("the prompt", () => {
  function terminal() {
    const listeners = new Set<(chunk: Uint8Array) => void>();
    const written: string[] = [];
    const raw: boolean[] = [];
    const fake: Terminal = {
      input: {
        setRawMode: (isRaw) => raw.push(isRaw),
        resume: () => undefined,
        pause: () => undefined,
        on: (_event, listener) => listeners.add(listener),
        off: (_event, listener) => listeners.delete(listener),
      },
      output: { write: (text) => written.push(text) },
    };
    const type = (bytes: Uint8Array) => {
      for (const listener of listeners) listener(bytes);
    };
    return { fake, type, written, raw, listeners };
  }
  const UTF8 = new TextEncoder();

  test("takes a line without showing a character of it, and leaves the terminal as it was", async () => {
    const { fake, type, written, raw, listeners } = terminal();
    const asked = promptHidden(fake, "Passphrase: ");
    for (const key of ["p", "a", "x", "\u007f", "s", "s", "\r"]) type(UTF8.encode(key));
    expect(await asked).toBe("pass");
    expect(written).toEqual(["Passphrase: ", "\n"]);
    expect(raw).toEqual([true, false]);
    expect(listeners.size).toBe(0);
  });

  test("puts together a character that arrives in two pieces", async () => {
    const { fake, type } = terminal();
    const asked = promptHidden(fake, "");
    const bytes = UTF8.encode("caf\u00e9\n");
    type(bytes.subarray(0, 4));
    type(bytes.subarray(4));
    expect(await asked).toBe("caf\u00e9");
  });

  test("ends at the first line end of what was pasted", async () => {
    const { fake, type } = terminal();
    const asked = promptHidden(fake, "");
    type(UTF8.encode("first\nsecond\n"));
    expect(await asked).toBe("first");
  });

  test("gives up on control-C and control-D", async () => {
    for (const key of ["\u0003", "\u0004"]) {
      const { fake, type, raw } = terminal();
      const asked = promptHidden(fake, "");
      type(UTF8.encode(`abc${key}`));
      expect(await asked.catch(String)).toContain("no passphrase given");
      expect(raw).toEqual([true, false]);
    }
  });
});
