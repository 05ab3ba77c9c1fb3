/** A gateway that ends under a command has done what it was asked, or not: the command does not say that it has not. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { placesIn } from "../../src/ops/data-directory.ts";
import { makeWorkplace, runHere, type Workplace } from "./outside.ts";

const MAY_BE_DONE = "ended before it answered, and may have done what it was asked";
const PROPOSAL = "3f0f8c0e-9f6c-4b7e-8f2e-0d8f6a1c2b3d";

let workplace: Workplace;
let server: Server | null = null;

beforeAll(async () => {
  workplace = makeWorkplace();
  const owner = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
  const at = ["--data-dir", workplace.dataDirectory, "--passphrase-file", workplace.passphraseFile];
  expect(await runHere(["init", "--network", "paper", "--owner", owner, ...at])).toMatchObject({ exitCode: 0 });
});

afterEach(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (server === null) resolve();
  else server.close(() => resolve());
  server = null;
  await promise;
});
afterAll(() => workplace.remove());

/** It takes what it is asked, and ends as `how` says. */
async function gatewayEnds(how: (socket: Socket) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => how(socket));
  });
  server.listen(placesIn(workplace.dataDirectory).control, resolve);
  await promise;
}

function postern(...words: string[]) {
  return runHere([...words, "--data-dir", workplace.dataDirectory]);
}

const HOW: [string, (socket: Socket) => void][] = [
  ["before a byte of its answer", (socket) => socket.destroy()],
  [
    "in the middle of its answer",
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"status":', () => socket.destroy()),
  ],
];

test.each(HOW)("%s, under an approval", async (_when, how) => {
  await gatewayEnds(how);
  const { exitCode, err } = await postern("proposal", "approve", PROPOSAL);
  expect(exitCode).toBe(1);
  expect(err).toContain(MAY_BE_DONE);
  expect(err).not.toContain("locked");
});

test.each(HOW)("%s, under a stop: it is asked here, and that is told beside it", async (_when, how) => {
  await gatewayEnds(how);
  const { exitCode, err } = await postern("stop", "--json");
  expect([exitCode, err.includes(MAY_BE_DONE)]).toEqual([0, true]);
});

test.each(["upgrade status", "setup"])("under %s nobody is told that none runs", async (words) => {
  await gatewayEnds((socket) => socket.destroy());
  const { exitCode, err } = await postern(...words.split(" "));
  expect([exitCode, err.includes(MAY_BE_DONE), err.includes("Start it")]).toEqual([1, true, false]);
});

test("where none has run nothing may have been done", async () => {
  const { exitCode, err } = await postern("proposal", "approve", PROPOSAL);
  expect([exitCode, err]).toEqual([1, "postern proposal approve: no gateway runs here, and this takes one\n"]);
});
