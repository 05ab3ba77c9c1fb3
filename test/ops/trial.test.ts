import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Places, placesIn } from "../../src/ops/data-directory.ts";
import { OperatorError } from "../../src/ops/operator.ts";
import { perform } from "../../src/ops/operator-verbs.ts";
import { examineGateway } from "../../src/ops/tell-state.ts";
import { openTrial } from "../../src/ops/trial.ts";
import { MIGRATIONS } from "../../src/store/migrations.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { withOperator } from "./operator.ts";

const URL = "http://127.0.0.1:1";
const RUNNING = {
  exchangeUrl: URL,
  version: "0.2.0",
  pageUrl: URL,
  clientUrl: URL,
  audience: URL,
  post: async () => ({}),
  decideProposal: async () => "{}",
  listeners: [],
  heedStops: () => undefined,
  marketsNamed: () => null,
  misnamed: () => null,
  readiness: () => ({ accounts: [], accountsInAll: 0 }),
};

function withPlaces(work: (at: Places) => void | Promise<void>): Promise<void> {
  return inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "data"), { mode: 0o700 });
    await work(placesIn(join(directory, "data")));
  });
}

test("the version that takes writes is kept, and only then the trial is over", async () => {
  await withPlaces(async (at) => {
    writeFileSync(at.trial, "");
    const trial = openTrial(at, "0.2.0");
    expect(trial.isOn()).toBe(true);
    trial.end();
    await trial.ended;
    expect(trial.isOn()).toBe(false);
    expect(readFileSync(at.acceptedBy, "utf8")).toBe("0.2.0\n");
    expect(statSync(at.acceptedBy).mode & 0o777).toBe(0o600);
    trial.end();
  });
});

test("a trial that cannot be ended durably is not ended", async () => {
  await withPlaces((at) => {
    writeFileSync(at.trial, "");
    mkdirSync(`${at.acceptedBy}.new`);
    const trial = openTrial(at, "0.2.0");
    expect(() => trial.end()).toThrow();
    expect(trial.isOn()).toBe(true);
  });
});

test.each([
  ["0.2.0", "0.1.9", true],
  ["1.0.0", "0.9.9", true],
  ["0.10.0", "0.9.0", true],
  ["0.2.1", "0.2.0", true],
  ["0.2.0", "0.2.0", false],
  ["0.2.0", "0.3.0", false],
  ["0.9.0", "0.10.0", false],
  ["0.2.0", "development", false],
])("after writes under %s, %s is refused: %p", async (accepted, version, isRefused) => {
  await withPlaces((at) => {
    writeFileSync(at.acceptedBy, `${accepted}\n`);
    if (isRefused) expect(() => openTrial(at, version)).toThrow(OperatorError);
    else openTrial(at, version).end();
    expect(readFileSync(at.acceptedBy, "utf8").trim()).toBe(
      isRefused || version === "development" ? accepted : version,
    );
  });
});

test("a damaged note of the version is said, not overlooked", async () => {
  await withPlaces((at) => {
    writeFileSync(at.acceptedBy, "yesterday\n");
    expect(() => openTrial(at, "0.2.0")).toThrow("damaged");
  });
});

test("during a trial the operator's other verbs are refused, and the gateway says how it is", async () => {
  await withOperator({}, async ({ operator }) => {
    await withPlaces(async (at) => {
      writeFileSync(at.trial, "");
      const trial = openTrial(at, "0.2.0");
      const state = { phase: "trial", writesStoppedBecause: null } as const;
      const onTrial = { ...operator, trial, state, running: RUNNING };
      const refusal = perform(onTrial, "block_key", { keyHash: "0".repeat(64) });
      await expect(refusal).rejects.toThrow("an upgrade is being checked");
      expect(await perform(onTrial, "tell_state", {})).toMatchObject({ writesStoppedBecause: null });
      const status = { version: "0.2.0", network: "testnet", schema: MIGRATIONS.length, agents: 1, problems: [] };
      expect(await perform(onTrial, "upgrade_status", {})).toMatchObject({ ...status, on_trial: true });
      expect(await perform(onTrial, "open_writes", {})).toMatchObject({ ...status, on_trial: false });
      expect(existsSync(at.trial)).toBe(false);
    });
  });
});

test("the doctor says that an upgrade was not ended", () => {
  const told = { writesStoppedBecause: null, locked: [], refusing: [], listeners: [] };
  expect(examineGateway({ ...told, phase: "trial" }, false)).toContainEqual({
    check: "upgrade",
    level: "fault",
    found: "not ended: no write is taken",
    todo: "run upgrade.sh again",
  });
  expect(examineGateway({ ...told, phase: "ready" }, false).map(({ level }) => level)).toEqual(["ok"]);
});

test("a gateway that is not well keeps its writes closed", async () => {
  await withOperator({}, async ({ operator }) => {
    await withPlaces(async (at) => {
      writeFileSync(at.trial, "");
      const trial = openTrial(at, "0.2.0");
      operator.keyring.signers.lock();
      operator.store.$client.run("PRAGMA query_only = 1");
      const opening = perform({ ...operator, trial, running: RUNNING }, "open_writes", {});
      await expect(opening).rejects.toThrow(/is locked; the database cannot be written/);
      expect(trial.isOn()).toBe(true);
    });
  });
});
