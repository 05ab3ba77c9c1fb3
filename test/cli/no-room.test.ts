/** Where there is no room a command, and a request, say whether what was asked for holds, and what to do. */
import { expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import { toApiError } from "../../src/http/errors.ts";
import { outsideFor } from "./outside.ts";

function failing(code: string): Error {
  return new Error("it was not written", { cause: Object.assign(new Error("database or disk is full"), { code }) });
}

test.each([
  ["SQLITE_FULL", true],
  ["ENOSPC", true],
  ["EACCES", false],
])("a command that fails with %s says that what was asked for does not hold: %p", async (code, isSaid) => {
  let told = "";
  const outside = outsideFor({
    print: () => {
      throw failing(code);
    },
    warn: (text) => {
      told += text;
    },
  });
  expect(await run(["version"], outside)).toBe(1);
  expect(told).toStartWith("postern version: it was not written");
  expect(told.includes("does not hold")).toBe(isSaid);
  expect(told.includes("give the same command again")).toBe(isSaid);
});

test("a request that the database did not take says so", () => {
  const log = { error: () => undefined, info: () => undefined, warn: () => undefined, debug: () => undefined };
  const { code, message } = toApiError({ log }, failing("SQLITE_FULL"), "r-1");
  expect(code).toBe("storage_unavailable");
  expect(message).toContain("was not written down and does not hold");
});
