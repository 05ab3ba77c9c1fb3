/** What a command prints arrives whole, or its exit code says that it did not. */
import { expect, test } from "bun:test";
import { openApiDocument } from "../../src/http/openapi.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { PROGRAM, runShell } from "./process.ts";

/** The slow reader takes the first byte and then waits: a start that took long is no slow reader. */
const DOCUMENT_BYTES = Buffer.byteLength(`${JSON.stringify(openApiDocument(allRoutes()), null, 2)}\n`);

const ENDS: [string, string, { exitCode: number; out: RegExp; err: RegExp }][] = [
  [
    "a reader who is slow gets everything",
    `${PROGRAM} openapi | (read -r -N 1; sleep 0.5; wc -c)`,
    { exitCode: 0, out: new RegExp(`^${DOCUMENT_BYTES - 1}\n$`), err: /^$/ },
  ],
  [
    "so does one of the errors",
    `${PROGRAM} 2>&1 >/dev/null | (read -r -N 1; sleep 0.5; tail -1)`,
    { exitCode: 2, out: /^Every command has --help/, err: /^$/ },
  ],
  [
    "a reader who goes away hears nothing of it",
    `${PROGRAM} openapi | head -c 1`,
    { exitCode: 141, out: /^\{$/, err: /^$/ },
  ],
  [
    "a full disk is told, and is no success",
    `${PROGRAM} openapi >/dev/full`,
    { exitCode: 1, out: /^$/, err: /^postern: standard output could not be written: ENOSPC/ },
  ],
  [
    "with --json as well",
    `${PROGRAM} version --json >/dev/full`,
    { exitCode: 1, out: /^$/, err: /could not be written: ENOSPC/ },
  ],
  [
    "a command that failed keeps its own code",
    `${PROGRAM} nonsense >/dev/full 2>/dev/full`,
    { exitCode: 2, out: /^$/, err: /^$/ },
  ],
  [
    "lost log lines are no failure of what was done",
    `${PROGRAM} version 2>/dev/full`,
    { exitCode: 0, out: /^version /, err: /^$/ },
  ],
];

test.each(ENDS)("%s", async (_title, script, { exitCode, out, err }) => {
  const ran = await runShell(script);
  expect(ran).toEqual({ exitCode, out: expect.stringMatching(out), err: expect.stringMatching(err) });
});

test("an exchange goes on when whoever started it reads no more of what it prints", async () => {
  const { out, exitCode } = await runShell(
    [
      `exec 3< <(exec ${PROGRAM} paper --listen 127.0.0.1:0 --json 2> >(:))`,
      "child=$!",
      "read -r line <&3; exec 3<&-",
      `url=$(sed 's/.*"exchange_url":"\\([^"]*\\)".*/\\1/' <<<"$line")`,
      `curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d '{"type":"allMids"}' "$url/info"`,
      "kill $child",
    ].join("\n"),
  );
  expect({ out, exitCode }).toEqual({ out: "200", exitCode: 0 });
});
