import { expect, test } from "bun:test";
import { fstatSync } from "node:fs";
import { join } from "node:path";
import { journalWriter } from "../../src/cli/journal.ts";
import { supervise } from "../../src/cli/supervised.ts";
import { openSupervisor } from "../../src/cli/supervisor.ts";
import { openLog } from "../../src/log.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { receiveDatagrams } from "./datagrams.ts";
import { outsideFor } from "./outside.ts";

const PROCESS = 4711;

test.each(["path", "abstract"])("systemd is told at a socket with a %s address", async (kind) => {
  await inTemporaryDirectory(async (directory) => {
    const name = kind === "path" ? join(directory, "notify") : `@postern-test-${process.pid}`;
    const systemd = receiveDatagrams(name);
    const { tell } = openSupervisor({ NOTIFY_SOCKET: name }, PROCESS);
    expect(tell("READY=1", "STATUS=one two")).toBe(true);
    expect(tell("WATCHDOG=1")).toBe(true);
    expect(systemd.all()).toEqual(["READY=1\nSTATUS=one two", "WATCHDOG=1"]);
    systemd.close();
  });
});

test("nobody listening is noticed, and nobody asking is fine", () => {
  expect(openSupervisor({ NOTIFY_SOCKET: "/nonexistent/notify" }, PROCESS).tell("READY=1")).toBe(false);
  for (const name of [undefined, "", "relative", `/${"a".repeat(120)}`]) {
    expect(openSupervisor({ NOTIFY_SOCKET: name }, PROCESS).tell("READY=1")).toBe(true);
  }
});

test.each([
  ["60000000", undefined, 20_000],
  ["60000000", "4711", 20_000],
  ["60000000", "4712", null],
  ["0", undefined, null],
  ["soon", undefined, null],
  [undefined, undefined, null],
] as const)("signs of life: WATCHDOG_USEC=%s, WATCHDOG_PID=%s: every %s ms", (microseconds, processId, interval) => {
  const environment = { NOTIFY_SOCKET: "/x", WATCHDOG_USEC: microseconds, WATCHDOG_PID: processId };
  expect(openSupervisor(environment, PROCESS).watchdogIntervalMs).toBe(interval);
});

test("signs of life stop when the database does not answer, and not while it is being closed", async () => {
  await inTemporaryDirectory(async (directory) => {
    const name = join(directory, "notify");
    const systemd = receiveDatagrams(name);
    const lines: string[] = [];
    const store = openStore(join(directory, "postern.db"));
    let ping = () => {};
    const outside = {
      ...outsideFor({ environment: { NOTIFY_SOCKET: name, WATCHDOG_USEC: "1000000" } }),
      every(_ms: number, work: () => void) {
        ping = work;
        return () => undefined;
      },
    };
    const log = openLog("info", { write: (line) => void lines.push(line) });
    const supervised = supervise({ store, log }, outside);
    ping();
    expect(systemd.all()).toEqual(["WATCHDOG=1"]);
    closeStore(store);
    ping();
    expect(systemd.all()).toEqual(["WATCHDOG=1"]);
    expect(lines.join("")).toContain("does not answer");
    supervised.stopping();
    ping();
    expect(systemd.all().slice(1)).toEqual(["STOPPING=1\nSTATUS=finishing what is in flight", "WATCHDOG=1"]);
    systemd.close();
  });
});

test("log lines for the journal start with their urgency, other lines are left alone", () => {
  const { dev, ino } = fstatSync(2);
  const written = (stream: string): string[] => {
    const lines: string[] = [];
    const write = journalWriter({ JOURNAL_STREAM: stream }, (line) => void lines.push(line));
    const log = openLog("debug", { write });
    log.debug({}, "d");
    log.info({}, "i");
    log.warn({}, "w");
    log.error({}, "e");
    write("bare\n");
    return lines.map((line) => line.slice(0, 4));
  };
  expect(written(`${dev}:${ino}`)).toEqual(["<7>{", "<6>{", "<4>{", "<3>{", "<6>b"]);
  expect(written(`${dev}:${ino + 1}`)).toEqual(['{"le', '{"le', '{"le', '{"le', "bare"]);
});
