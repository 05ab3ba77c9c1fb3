import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { examinePassphrase, type PassphraseQuestions, passphraseFacts } from "../../src/ops/examine-passphrase.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const STRONG = "anvil quarry tulip magnet orbit seven";

type Facts = Exclude<PassphraseQuestions["facts"], "not_given" | null>;

function look(facts: Partial<Facts> | "not_given" | null, some: Partial<PassphraseQuestions> = {}) {
  const isTold = facts !== null && facts !== "not_given";
  const known = !isTold ? facts : ({ source: "credential", filePlace: null, weakness: null, ...facts } satisfies Facts);
  return examinePassphrase({ network: "mainnet", seal: null, hasTpm: false, ...some, facts: known });
}

test.each<
  [
    what: string,
    facts: Partial<Facts> | "not_given" | null,
    some: Partial<PassphraseQuestions>,
    level: string,
    says: string,
  ]
>([
  ["a TPM alone", {}, { seal: "tpm2" }, "ok", "a stolen disk opens nothing"],
  ["a TPM and the host key", {}, { seal: "host_and_tpm2", hasTpm: true }, "ok", "a stolen disk opens nothing"],
  ["the host key", {}, { seal: "host" }, "ok", "on the same disk: a stolen disk holds both"],
  ["the host key beside an unused TPM", {}, { seal: "host", hasTpm: true }, "warning", "on the same disk"],
  ["a key of zeros", {}, { seal: "nothing" }, "warning", "in the clear"],
  ["a plain file of root", {}, { seal: "plain" }, "warning", "in the clear"],
  ["a later systemd", {}, { seal: "unknown" }, "ok", "does not know"],
  ["a credential that nobody looked at", {}, {}, "ok", "postern-operator doctor"],
  ["a file in the data directory", { source: "file", filePlace: "in_data_directory" }, {}, "warning", "holds both"],
  ["a file on the same disk", { source: "file", filePlace: "same_disk" }, {}, "warning", "a stolen disk holds both"],
  ["a file elsewhere", { source: "file", filePlace: "other_disk" }, {}, "ok", "another disk"],
  ["the keyboard", { source: "prompt" }, {}, "ok", "on no disk"],
  ["nobody who knows", null, {}, "ok", "no gateway runs"],
  ["a gateway that was given none", "not_given", {}, "ok", "the gateway that runs was given none"],
])("%s is told apart", (_what, facts, some, ...told) => {
  const [found, ...rest] = look(facts, some);
  expect(rest).toEqual([]);
  expect(found).toMatchObject({ check: "passphrase", level: told[0], found: expect.stringContaining(told[1] ?? "") });
  expect(found?.todo === null).toBe(told[0] === "ok");
});

test("a weak one is a warning of its own, but where nothing is worth stealing", () => {
  const weakness = "the passphrase is too easily guessed: about 2^9 tries";
  expect(look({ weakness }).map(({ check, level }) => `${check} ${level}`)).toEqual([
    "passphrase ok",
    "passphrase_strength warning",
  ]);
  expect(look({ weakness, source: "file", filePlace: "same_disk" }, { network: "paper" })).toMatchObject([
    { level: "ok" },
  ]);
});

test("where a file lies is seen from the data directory, and no fact holds the passphrase", async () => {
  await inTemporaryDirectory(async (directory) => {
    const inside = join(directory, "passphrase");
    writeFileSync(inside, STRONG);
    const found = { kind: "found", source: "file", passphrase: "aaaaaaaa" } as const;
    expect(passphraseFacts(found, { file: inside, directory })).toMatchObject({ filePlace: "in_data_directory" });
    const beside = passphraseFacts(found, { file: `${directory}-passphrase`, directory });
    expect(beside).toMatchObject({ source: "file", filePlace: "same_disk" });
    expect(passphraseFacts(found, { file: "/proc/self/passphrase", directory }).filePlace).toBe("other_disk");
    expect(JSON.stringify(beside)).not.toContain("aaaa");
    const credential = { kind: "found", source: "credential", passphrase: STRONG } as const;
    expect(passphraseFacts(credential, { file: inside, directory })).toEqual({
      source: "credential",
      filePlace: null,
      weakness: null,
    });
  });
});
