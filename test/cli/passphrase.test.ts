import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorkplace, runHere, type Workplace } from "./outside.ts";

const OWNER = `0x${"ab".repeat(20)}`;
let workplace: Workplace;
let weakFile: string;

beforeAll(() => {
  workplace = makeWorkplace();
  weakFile = join(workplace.directory, "weak");
  writeFileSync(weakFile, "aaaaaaaa\n", { mode: 0o600 });
});

afterAll(() => workplace.remove());

test.each([["mainnet"], ["testnet"]])(
  "a weak passphrase seals no key of %s: refused with the reason, and nothing is made",
  async (network) => {
    const at = join(workplace.directory, network);
    const words = ["init", "--network", network, "--owner", OWNER, "--data-dir", at, "--passphrase-file", weakFile];
    const ran = await runHere(words);
    expect(ran).toMatchObject({ exitCode: 1, out: "" });
    expect(ran.err).toContain("too easily guessed");
    expect(ran.err).toContain("postern passphrase new");
    expect(existsSync(at)).toBeFalse();
  },
);

test("on paper it is taken, opens what it sealed, and the doctor is quiet about it", async () => {
  const at = ["--data-dir", join(workplace.directory, "paper"), "--passphrase-file", weakFile];
  const settings = { POSTERN_DATA_DIR: join(workplace.directory, "paper"), POSTERN_PASSPHRASE_FILE: weakFile };
  const place = ["--network", "paper", "--exchange-url", "http://127.0.0.1:1"];
  expect(await runHere(["init", ...place, "--owner", OWNER, ...at])).toMatchObject({ exitCode: 0 });
  expect(await runHere(["agent", "new", ...at])).toMatchObject({ exitCode: 0 });
  const { findings } = JSON.parse((await runHere(["doctor", "--json"], settings)).out);
  const about = findings.filter(({ check }: { check: string }) => check.startsWith("passphrase"));
  expect(about).toMatchObject([{ level: "ok", found: expect.stringContaining("in a file on the disk") }]);
});

test("one that is made here is good enough, alone on its line, and never the same", async () => {
  const made = await Promise.all([runHere(["passphrase", "new"]), runHere(["passphrase", "new", "--json"])]);
  const [plain = "", other] = [made[0].out, JSON.parse(made[1].out).passphrase];
  expect(plain).toMatch(/^([a-z2-7]{4}-){6}[a-z2-7]{2}\n$/);
  expect(other).not.toBe(plain.trim());
  const file = join(workplace.directory, "made");
  writeFileSync(file, plain);
  chmodSync(file, 0o600);
  expect(await runHere(["passphrase", "check", "--passphrase-file", file])).toMatchObject({ exitCode: 0, err: "" });
  expect(await runHere(["passphrase", "check", "--passphrase-file", weakFile])).toMatchObject({ exitCode: 1, out: "" });
});
