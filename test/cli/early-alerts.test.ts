/** The port of alerts while the gateway behind it is not there yet: the passphrase is asked for, keys are opened, an upgrade is checked. */
import { afterEach, expect, test } from "bun:test";
import { createServer } from "node:net";
import { type TakingAlerts, takeAlerts } from "../../src/cli/hooks-door.ts";
import { run } from "../../src/cli/run.ts";
import { readConfig } from "../../src/config.ts";
import type { Trial } from "../../src/ops/trial.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { type HooksRig, openHooksRig, timeAt } from "../http/hooks-rig.ts";
import { BOT } from "../http/rails-rig.ts";
import { makeWorkplace, outsideFor, runHere } from "./outside.ts";

const ending: TakingAlerts[] = [];

afterEach(async () => {
  for (const alerts of ending.splice(0)) await alerts.stop();
});

/** A port before a gateway that has a hook, which nobody but this port carries out for. */
async function openEarly(trial: Trial | null = null): Promise<{ rig: HooksRig; alerts: TakingAlerts }> {
  const rig = await openHooksRig();
  rig.hooks().stop();
  const config = readConfig({ POSTERN_HOOKS_LISTEN: "127.0.0.1:0" }, {});
  const { clock, randomBytes, store, log } = rig.deps;
  const alerts = takeAlerts({ config, store, log, trial }, outsideFor({ clock, randomBytes }));
  ending.push(alerts);
  return { rig, alerts };
}

async function send(rig: HooksRig, { port }: TakingAlerts): Promise<{ status: number; told: unknown }> {
  const body = JSON.stringify({ market: "BTC", side: "buy", size: "0.001", time: timeAt(rig) });
  const headers = { "Content-Type": "application/json" };
  const url = `http://127.0.0.1:${port}/hooks/${rig.hook.secret}`;
  const answer = await fetch(url, { method: "POST", headers, body });
  return { status: answer.status, told: await answer.json() };
}

test("an alert that comes before the gateway is there is stored and answered, and is one order once it is", async () => {
  const { rig, alerts } = await openEarly();
  expect(await send(rig, alerts)).toMatchObject({ status: 200, told: { status: "accepted", repeated: false } });
  expect(await send(rig, alerts)).toMatchObject({ status: 200, told: { status: "accepted", repeated: true } });
  await rig.pass(3);
  expect(rig.orders).toEqual([]);
  alerts.open(rig.deps);
  await rig.pass(3);
  expect(rig.orders).toHaveLength(1);
  expect(rig.deliveries()).toMatchObject([{ status: "done", repeats: 1 }]);
});

test("one that has grown too old by then is not carried out", async () => {
  const { rig, alerts } = await openEarly();
  await send(rig, alerts);
  await rig.pass(70);
  alerts.open(rig.deps);
  await rig.pass(3);
  expect(rig.orders).toEqual([]);
  expect(rig.deliveries()).toMatchObject([{ status: "too_old" }]);
});

test("one for a key that a restore holds is stored, and nothing comes of it", async () => {
  const { rig, alerts } = await openEarly();
  setKeyState(rig.deps.store, keyHash(BOT), "held", rig.clock.nowMs());
  expect(await send(rig, alerts)).toMatchObject({ status: 200, told: { status: "accepted" } });
  alerts.open(rig.deps);
  await rig.pass(3);
  expect(rig.orders).toEqual([]);
  expect(rig.deliveries()).toMatchObject([{ status: "refused", reason: expect.stringContaining("may not act") }]);
});

test("while an upgrade is checked nothing is stored, and its sender is told to send it again", async () => {
  let isOn = true;
  const ended = new Promise<void>(() => undefined);
  const { rig, alerts } = await openEarly({ version: "1.0.0", isOn: () => isOn, end: () => undefined, ended });
  expect(await send(rig, alerts)).toMatchObject({ status: 503, told: { error: { code: "not_ready" } } });
  expect(rig.deliveries()).toEqual([]);
  isOn = false;
  expect(await send(rig, alerts)).toMatchObject({ status: 200 });
});

test("serve takes alerts while it asks for the passphrase, and nobody is left at the port where that is wrong", async () => {
  const workplace = makeWorkplace();
  const at = ["--data-dir", workplace.dataDirectory];
  const owner = ["--owner", "0x1111111111111111111111111111111111111111"];
  const exchange = ["--network", "paper", "--exchange-url", "http://127.0.0.1:9"];
  const made = await runHere(["init", ...at, ...owner, ...exchange, "--passphrase-file", workplace.passphraseFile]);
  expect(made).toMatchObject({ exitCode: 0 });
  const port = await freePort();
  const asked = Promise.withResolvers<void>();
  const typed = Promise.withResolvers<string>();
  const askHidden = () => {
    asked.resolve();
    return typed.promise;
  };
  const ports = ["--listen", "127.0.0.1:0", "--hooks-listen", `127.0.0.1:${port}`];
  const running = run(["serve", ...at, ...ports], outsideFor({ askHidden }));
  await asked.promise;
  const url = `http://127.0.0.1:${port}/hooks/hook_${"0".repeat(64)}`;
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(404);
  typed.resolve("not this one");
  expect(await running).toBe(1);
  await expect(fetch(url, { method: "POST", body: "{}" })).rejects.toThrow();
  workplace.remove();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
