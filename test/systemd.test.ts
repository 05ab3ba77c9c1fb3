import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AS_INSTALLED } from "../scripts/bench/scene.ts";
import { readConfig } from "../src/config.ts";

const FOLDER = join(import.meta.dir, "../scripts/systemd");
const UNIT = readFileSync(join(FOLDER, "postern.service"), "utf8");

function settingOf(name: string): string {
  return new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)?.[1] ?? "";
}

test("a stop is given longer than the longest answer that may be configured", () => {
  const longest = { POSTERN_ANSWER_DEADLINE_MS: "60000" };
  expect(readConfig(longest, {}).timings.answerDeadlineMs).toBe(60_000);
  expect(() => readConfig({ POSTERN_ANSWER_DEADLINE_MS: "60001" }, {})).toThrow();
  // Seconds; the last answers are handed over within one more, and the database is closed.
  expect(Number.parseInt(settingOf("TimeoutStopSec"), 10)).toBeGreaterThanOrEqual(60 + 1 + 10);
});

test("misuse is not started again, and a hang is", () => {
  expect(settingOf("RestartPreventExitStatus")).toBe("2");
  expect(settingOf("Restart")).toBe("on-failure");
  expect(Number.parseInt(settingOf("WatchdogSec"), 10)).toBeGreaterThan(0);
  expect(settingOf("Type")).toBe("notify");
});

test("nothing of the environment reaches the runtime, and no memory a file", () => {
  const unset = settingOf("UnsetEnvironment").split(" ");
  for (const name of ["NODE_OPTIONS", "BUN_OPTIONS", "BUN_BE_BUN", "BUN_INSPECT", "LD_PRELOAD", "HTTPS_PROXY"]) {
    expect(unset).toContain(name);
  }
  expect(settingOf("LimitCORE")).toBe("0");
});

test("the heap goes by no more memory than the service may take", () => {
  expect(settingOf("MemoryMax")).toBe("1G");
  expect(setForTheRuntime()).toHaveProperty("BUN_JSC_forceRAMSize", String(2 ** 30));
});

test("the runtime's last compiler is left out, and the bench measures what is installed", () => {
  expect(setForTheRuntime()).toHaveProperty("BUN_JSC_useFTLJIT", "0");
  expect(setForTheRuntime()).toEqual(AS_INSTALLED);
});

function setForTheRuntime(): Record<string, string> {
  const lines = [...UNIT.matchAll(/^Environment=(\w+)=(.*)$/gm)];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}

test("the sample of settings names settings that exist", () => {
  const lines = readFileSync(join(FOLDER, "postern.env"), "utf8").split("\n");
  const settings = lines.flatMap((line) => {
    const found = /^#(POSTERN_[A-Z_]+)=(.*)$/.exec(line);
    return found?.[1] === undefined || found[2] === undefined ? [] : [[found[1], found[2]] as const];
  });
  expect(settings.length).toBeGreaterThan(0);
  readConfig(Object.fromEntries(settings), {});
});

test("every file that a release is copied from exists", () => {
  const copied = /cp "\$1"\/\{([^}]+)\}/.exec(readFileSync(join(FOLDER, "common.sh"), "utf8"))?.[1]?.split(",") ?? [];
  expect(copied.length).toBeGreaterThan(5);
  const present = readdirSync(FOLDER);
  expect(copied.filter((name) => name !== "postern" && !present.includes(name))).toEqual([]);
});
