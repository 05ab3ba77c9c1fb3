import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPaperExchange, PAPER_DEFAULTS } from "../../src/paper/paper-exchange.ts";
import { servePaper } from "../../src/paper/server.ts";
import { START_MS } from "./support.ts";

test("an exchange that cannot keep its journal answers 500 to everything and says so", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "paper-failure-"));
  let nowMs = START_MS;
  let tick: () => void = () => {};
  const failures: unknown[] = [];
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    dataDirectory,
    nowMs: () => nowMs,
    sleep: () => Promise.resolve(),
  });
  const server = servePaper(paper, {
    hostname: "127.0.0.1",
    port: 0,
    every: (_ms, work) => {
      tick = work;
      return () => {};
    },
    onFailure: (failure) => failures.push(failure),
  });
  const ask = () =>
    fetch(`${server.url}/info`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"type":"exchangeStatus"}',
    });
  expect((await ask()).status).toBe(200);
  // The file is gone from under it, as on a disk that fails.
  paper.stop();
  nowMs += 5_000;
  tick();
  expect(failures).toHaveLength(1);
  const answer = await ask();
  expect([answer.status, await answer.text()]).toEqual([500, "null"]);
  await server.stop();
  rmSync(dataDirectory, { recursive: true });
});
