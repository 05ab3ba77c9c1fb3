import { expect, test } from "bun:test";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Network } from "../../src/core/account.ts";
import type { Builder } from "../../src/deps.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { examineDatabase } from "../../src/ops/examine-database.ts";
import { examineDirectory, findingOfKind } from "../../src/ops/examine-directory.ts";
import { examineExchange } from "../../src/ops/examine-exchange.ts";
import type { Finding } from "../../src/ops/finding.ts";
import { examineGateway, type ToldState } from "../../src/ops/tell-state.ts";
import { findAuditSeal } from "../../src/store/audit-seal.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { writeBehind } from "../support/write-behind.ts";
import { type Rig, withOperator } from "./operator.ts";

const DAY_MS = 86_400_000;
const UID = process.getuid?.() ?? 0;

/** What is not in order: `check level`. */
function troubles(findings: readonly Finding[]): string[] {
  for (const { level, todo } of findings) expect(todo === null).toBe(level === "ok");
  return findings.filter(({ level }) => level !== "ok").map(({ check, level }) => `${check} ${level}`);
}

type Exchange = { offsetMs?: number; isDown?: boolean; builder?: Builder; network?: Network; isDemo?: boolean };

function askExchange(
  { operator }: Rig,
  { offsetMs = 0, isDown = false, builder, network = "mainnet", isDemo = false }: Exchange = {},
) {
  const { store, clock } = operator;
  const exchange = {
    ...operator.exchange,
    nowMs: () => clock.nowMs(),
    measureClock: async () => !isDown,
    heardDate: () => undefined,
    clockOffsetMs: () => offsetMs,
  };
  const kind = { network, isDemo };
  return examineExchange({
    store,
    exchange,
    exchangeUrl: "http://127.0.0.1:1",
    clock,
    builder: builder ?? null,
    ...kind,
  });
}

/** An exchange where all is well: the agent lasts for 60 days and 5,000 actions are left. */
function makeWell({ operator, agent }: Rig, { days = 60, used = 0 } = {}): void {
  writeBehind(operator.store, "UPDATE agents SET state = 'approved', approved_at_ms = 1");
  const validUntil = operator.clock.nowMs() + days * DAY_MS;
  operator.exchange.answer("extraAgents", () => [{ name: agent.name, address: agent.address, validUntil }]);
  operator.exchange.answer("userAbstraction", () => "default");
  operator.exchange.answer("userRateLimit", () => ({ cumVlm: "0.0", nRequestsUsed: used, nRequestsCap: 5_000 }));
  operator.exchange.answer("maxBuilderFee", () => 50);
}

test("an exchange where all is well has nothing to say", async () => {
  await withOperator({}, async (rig) => {
    makeWell(rig);
    const findings = await askExchange(rig);
    expect(troubles(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(["exchange", "clock", "agent", "account_mode", "quota"]);
  });
});

test("an exchange that cannot be reached is one fault, and nothing else is guessed", async () => {
  await withOperator({}, async (rig) => {
    makeWell(rig);
    expect(troubles(await askExchange(rig, { isDown: true }))).toEqual(["exchange fault"]);
    writeBehind(rig.operator.store, "UPDATE agents SET state = 'retired'");
    expect(troubles(await askExchange(rig, { isDown: true }))).toEqual(["exchange fault", "agent fault"]);
  });
});

test("a clock is a warning beyond a second and a fault beyond five", async () => {
  await withOperator({}, async (rig) => {
    makeWell(rig);
    for (const [offsetMs, wanted] of [
      [1_000, []],
      [-1_001, ["clock warning"]],
      [5_000, ["clock warning"]],
      [-5_001, ["clock fault"]],
    ] as const) {
      expect(troubles(await askExchange(rig, { offsetMs }))).toEqual([...wanted]);
    }
  });
});

test("an agent is told by what is left of it", async () => {
  await withOperator({}, async (rig) => {
    for (const [days, wanted] of [
      [31, []],
      [30, ["agent warning"]],
      [2, ["agent warning"]],
      [1, ["agent fault"]],
    ] as const) {
      makeWell(rig, { days });
      expect(troubles(await askExchange(rig))).toEqual([...wanted]);
    }
    rig.operator.exchange.answer("extraAgents", () => []);
    rig.operator.exchange.answer("userRole", () => ({ role: "missing" }));
    const gone = await askExchange(rig);
    expect(gone.find(({ check }) => check === "agent")?.found).toContain("not known to the exchange");
    writeBehind(rig.operator.store, "UPDATE agents SET state = 'new'");
    const waiting = (await askExchange(rig)).find(({ check }) => check === "agent");
    expect(waiting).toMatchObject({ level: "fault", todo: expect.stringContaining(`--agent ${rig.agent.address}`) });
    writeBehind(rig.operator.store, "UPDATE agents SET state = 'retired'");
    const none = (await askExchange(rig)).find(({ check }) => check === "agent");
    expect(none).toMatchObject({ level: "fault", todo: expect.stringContaining("agent rotate") });
  });
});

test("actions and the builder's fee are told before orders fail for want of them", async () => {
  await withOperator({}, async (rig) => {
    for (const [used, wanted] of [
      [4_000, []],
      [4_001, ["quota warning"]],
      [5_000, ["quota fault"]],
    ] as const) {
      makeWell(rig, { used });
      expect(troubles(await askExchange(rig))).toEqual([...wanted]);
    }
    makeWell(rig);
    const builder = { address: `0x${"cd".repeat(20)}`, feeTenthsBps: 50, overrides: {}, isRequired: false };
    expect(troubles(await askExchange(rig, { builder }))).toEqual([]);
    expect(troubles(await askExchange(rig, { builder: { ...builder, feeTenthsBps: 51 } }))).toEqual([
      "builder warning",
    ]);
    const required = { ...builder, feeTenthsBps: 51, isRequired: true };
    expect(troubles(await askExchange(rig, { builder: required }))).toEqual(["builder fault"]);
  });
});

test("a directory that others may read, a file of theirs and a link are faults with the command that mends them", async () => {
  await inTemporaryDirectory(async (directory) => {
    chmodSync(directory, 0o700);
    const places = placesIn(directory);
    const look = (uid = UID) => troubles(examineDirectory(places, uid)).filter((each) => !each.startsWith("disk"));
    writeFileSync(places.database, "", { mode: 0o600 });
    expect(look()).toEqual([]);
    chmodSync(places.database, 0o640);
    expect(look()).toEqual(["files fault"]);
    chmodSync(places.database, 0o600);
    chmodSync(directory, 0o750);
    expect(look()).toEqual(["directory fault"]);
    chmodSync(directory, 0o700);
    symlinkSync("/etc/passwd", join(directory, "link"));
    expect(look()).toEqual(["files fault"]);
    expect(look(UID + 1)).toEqual(["directory fault", "files fault"]);
    symlinkSync(directory, `${directory}/again`);
    expect(troubles(examineDirectory(placesIn(`${directory}/again`), UID))[0]).toBe("directory fault");
  });
});

test("a database is told to be sound, edited, damaged or newer than the program", async () => {
  await withOperator({}, async ({ operator }) => {
    const { store, clock } = operator;
    const asked = { clock, check: null, isDemo: false };
    const look = () => troubles(examineDatabase(store, { ...asked, seal: findAuditSeal(store) }));
    expect(look()).toEqual(["keys warning"]);
    store.$client.run("UPDATE audit SET detail = '{}' WHERE id = 1");
    expect(look()).toEqual(["audit fault", "rows fault", "keys warning"]);
    store.$client.run("PRAGMA user_version = 999");
    expect(look()).toEqual(["schema fault", "audit fault", "rows fault", "keys warning"]);
    store.$client.run("DROP TABLE accounts");
    expect(look()).toEqual(["database fault"]);
  });
});

test("a gateway that does not run, one that has stopped writes and one with a locked key are told apart", () => {
  const told: ToldState = { phase: "ready", writesStoppedBecause: null, locked: [], refusing: [], listeners: [] };
  expect(troubles(examineGateway(told, false))).toEqual([]);
  expect(troubles(examineGateway(null, false))).toEqual(["gateway warning"]);
  expect(troubles(examineGateway({ ...told, writesStoppedBecause: "the disk is full" }, false))).toEqual([
    "gateway fault",
  ]);
  expect(troubles(examineGateway({ ...told, locked: ["0xaa"] }, false))).toEqual(["keys_open fault"]);
  const refusing = [{ account: "main (5c0d8a52)", because: "the disk is full" }];
  expect(troubles(examineGateway({ ...told, refusing }, false))).toEqual(["orders fault"]);
  const listeners: ToldState["listeners"] = [
    { what: "gateway", url: "http://127.0.0.1:8787", exposure: "this_machine" },
    { what: "metrics", url: "http://0.0.0.0:9788/metrics", exposure: "network_with_token" },
    { what: "paper exchange", url: "http://0.0.0.0:9797", exposure: "network" },
  ];
  const found = examineGateway({ ...told, listeners }, false).slice(1);
  expect(found.map(({ check, level }) => `${check} ${level}`)).toEqual(["listens ok", "listens ok", "listens warning"]);
  expect(found.map((finding) => finding.found).join()).toMatch(/this machine only.*whoever has the token.*anybody/);
});

test("a file system that is reached over a network is a fault", () => {
  for (const [type, name] of [
    [0x6969, "NFS"],
    [0xff534d42, "CIFS"],
    [0xfe534d42, "SMB"],
    [0x01021997, "9P"],
  ] as const) {
    expect(findingOfKind(type)).toMatchObject({ level: "fault", found: expect.stringContaining(name) });
  }
  // ext4, XFS, btrfs, tmpfs, overlayfs.
  for (const type of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]) {
    expect(findingOfKind(type).level).toBe("ok");
  }
});
