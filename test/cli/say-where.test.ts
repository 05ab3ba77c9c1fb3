/** What a command says to do next is to be done to the same gateway. */
import { expect, test } from "bun:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { sayWhere } from "../../src/cli/say-where.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const BOTH = { "data-dir": "/srv/a", listen: "127.0.0.1:9" };

const SAID: [string, Record<string, string>, string][] = [
  [
    "  postern agent approval --agent 0xaa",
    { "data-dir": "/srv/a" },
    "  postern agent approval --data-dir /srv/a --agent 0xaa",
  ],
  ['run "postern init" first', { "data-dir": "/srv/a" }, 'run "postern init --data-dir /srv/a" first'],
  ["(see postern key list)", BOTH, "(see postern key list --data-dir /srv/a)"],
  ["postern key register --account b", BOTH, "postern key register --data-dir /srv/a --listen 127.0.0.1:9 --account b"],
  ["postern key", BOTH, "postern key"],
  ["postern version", BOTH, "postern version"],
  ["Postern listens; /var/lib/postern backup", BOTH, "Postern listens; /var/lib/postern backup"],
  ["postern doctor", { "data-dir": "/srv/it's here" }, "postern doctor --data-dir '/srv/it'\\''s here'"],
  ["postern doctor", { "passphrase-file": "/root/p" }, "postern doctor"],
];

test.each(SAID)("%s, told %j", (text, given, said) => {
  expect(sayWhere(text, (name) => given[name] ?? null, COMMANDS)).toBe(said);
});

/** The lines of an output that are to be copied. */
function nextOf(out: string): string[] {
  return out.split("\n").filter((line) => line.startsWith("  postern "));
}

test("from the set-up to the owner's grant each next command says where, if this one was told", async () => {
  const { directory, dataDirectory, passphraseFile, remove } = makeWorkplace();
  const at = ["--data-dir", dataDirectory];
  const owner = `0x${"ab".repeat(20)}`;
  const network = ["--network", "paper", "--passphrase-file", passphraseFile];
  try {
    const made = await runHere(["init", "--owner", owner, ...network, ...at]);
    expect(nextOf(made.out)).toEqual([`  postern serve ${at.join(" ")}`, `  postern agent approval ${at.join(" ")}`]);
    const hash = "ab".repeat(32);
    const listen = ["--listen", "127.0.0.1:9"];
    const chain: [string[], string][] = [
      [["agent", "approval", ...at], `postern agent approve ${at.join(" ")} --agent`],
      [["key", "new", ...at], `postern key grant ${at.join(" ")} --key-hash`],
      [
        ["key", "grant", "--key-hash", hash, ...at, ...listen],
        `postern key register ${[...at, ...listen].join(" ")} --acc`,
      ],
      [
        ["key", "revoke", "--key-hash", hash, ...at, ...listen],
        `postern key revoke ${[...at, ...listen].join(" ")} --acc`,
      ],
    ];
    for (const [words, next] of chain)
      expect(nextOf((await runHere(words)).out)).toEqual([expect.stringContaining(next)]);
    const told = await runHere(["agent", "approval"], { POSTERN_DATA_DIR: dataDirectory });
    expect(nextOf(told.out)).toEqual([expect.stringContaining("postern agent approve --agent")]);
    const missing = await runHere(["doctor", "--data-dir", `${directory}/none`]);
    expect(missing.err).toContain(`run "postern init --data-dir ${directory}/none" first`);
  } finally {
    remove();
  }
});
