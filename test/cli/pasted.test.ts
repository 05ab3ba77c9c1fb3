/** A person pastes what was printed, from another directory, into a shell: spaces and quotes are in the paths. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { quoted } from "../../src/cli/say-where.ts";
import { makeWorkplace, PASSPHRASE, type Workplace } from "./outside.ts";
import { PROGRAM, type Running, runShell, startProcess, startShell } from "./process.ts";
import { walletOf } from "./wallet.ts";

const wallet = walletOf(secp256k1.utils.randomSecretKey());
let workplace: Workplace;
let room: string;
const running: Running[] = [];

beforeAll(() => {
  workplace = makeWorkplace();
  room = join(workplace.directory, "it's a room");
  mkdirSync(room);
  writeFileSync(join(room, "pass phrase"), PASSPHRASE);
  chmodSync(join(room, "pass phrase"), 0o600);
});

afterAll(async () => {
  await Promise.all(running.map((each) => each.end("SIGKILL")));
  workplace.remove();
});

async function pasted(command: string): Promise<string> {
  const ran = await runShell(command);
  expect(ran).toMatchObject({ exitCode: 0, err: "" });
  return ran.out;
}

/** The command with this name among those that were printed. */
function next(out: string, name: string): string {
  const line = out.split("\n").find((each) => each.startsWith(`  ${PROGRAM} ${name} `));
  expect(line).toBeDefined();
  return line?.trim() ?? "";
}

/** The typed data that stands in an output, signed by the owner's wallet. */
function signed(out: string, command: string): string {
  const typedData = JSON.parse(out.slice(out.indexOf("{"), out.lastIndexOf("}") + 1));
  return `echo ${wallet.sign(typedData)} | ${command}`;
}

test("from an empty directory the printed commands lead to an API key that works, and a backup of it back to life", async () => {
  const exchange = await startProcess(["paper", "--listen", "127.0.0.1:0", "--fund", wallet.address, "--json"]);
  running.push(exchange);
  const { exchange_url: exchangeUrl } = JSON.parse(exchange.firstLine);
  const at = (name: string) => join(room, name);
  const init = `--network paper --owner ${wallet.address} --exchange-url ${exchangeUrl} --passphrase-file 'pass phrase'`;
  const made = await pasted(`cd ${quoted(room)} && ${PROGRAM} init --data-dir data ${init}`);
  const gateway = await startShell(next(made, "serve"), { POSTERN_LISTEN: "127.0.0.1:0" });
  running.push(gateway);
  const approval = await pasted(next(made, "agent approval"));
  await pasted(signed(approval, next(approval, "agent approve")));
  const key = await pasted(`cd ${quoted(room)} && ${PROGRAM} key new --data-dir data`);
  const grant = await pasted(next(key, "key grant"));
  await pasted(signed(grant, next(grant, "key register")));
  const [url = ""] = /http:\S+(?=,)/.exec(gateway.firstLine) ?? [];
  const [apiKey = ""] = /api_trade_[0-9a-f]{64}/.exec(key) ?? [];
  const me = await fetch(`${url}/v1/whoami`, { headers: { Authorization: `Bearer ${apiKey}` } });
  expect(me.status).toBe(200);
  const limited = await pasted(`cd ${quoted(room)} && ${PROGRAM} key new --data-dir data`);
  const rails = await pasted(`${next(limited, "key grant")} --bot grid-1 --markets ETH,BTC --max-order '500 USD'`);
  expect(await pasted(signed(rails.slice(0, rails.indexOf("Then hand")), next(rails, "key register")))).toContain(
    "held to its rails",
  );

  await pasted(`${PROGRAM} backup --data-dir ${quoted(at("data"))} ${quoted(at("backup.db"))}`);
  await gateway.end("SIGTERM");
  const unlocked = `cd ${quoted(room)} && POSTERN_PASSPHRASE_FILE='pass phrase'`;
  const restored = await pasted(`${unlocked} ${PROGRAM} restore --data-dir restored backup.db`);
  const rotated = await pasted(next(restored, "agent rotate"));
  await pasted(signed(rotated, next(rotated, "agent approve")));
  const kept = await pasted(next(restored, "key keep"));
  expect(kept).toContain("it works again");
  expect(kept).toContain("what was taken away after 20");
  // Whoever is not sure whether there was a stop after the backup pastes this.
  expect(await pasted(next(kept, "stop"))).toContain("Stop");
  const second = await startShell(next(restored, "serve"), { POSTERN_LISTEN: "127.0.0.1:0" });
  running.push(second);
  expect(second.firstLine).toContain("Postern listens at");
});

test("a backup for which there is no room says so of its disk, not of the database, and leaves nothing", async () => {
  const made = `${PROGRAM} init --data-dir plain --network testnet --passphrase-file 'pass phrase'`;
  await pasted(`cd ${quoted(room)} && ${made}`);
  const ran = await runShell(
    `cd ${quoted(room)} && trap '' XFSZ && ulimit -f 64 && ${PROGRAM} backup --data-dir plain small.db`,
  );
  expect(ran.exitCode).toBe(1);
  expect(ran.err).toContain(`${join(room, "small.db")} cannot be written`);
  expect(ran.err).not.toContain("damaged");
  expect(readdirSync(room).filter((name) => name.startsWith("small"))).toEqual([]);
});

test("a set-up for which there is no room says so of its disk, and is done by the same command once there is", async () => {
  const made = `${PROGRAM} init --data-dir roomless --network testnet --passphrase-file 'pass phrase'`;
  for (const blocks of [8, 64, 200]) {
    const ran = await runShell(`cd ${quoted(room)} && trap '' XFSZ && ulimit -f ${blocks} && ${made}`);
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain("roomless cannot be written");
    expect(ran.err).toContain("run the same command again");
    expect(readdirSync(join(room, "roomless")).filter((name) => !name.startsWith("lock."))).toEqual([]);
  }
  await pasted(`cd ${quoted(room)} && ${made}`);
});

test("a port that is taken is told with the option that chooses another", async () => {
  using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
  const at = `127.0.0.1:${taken.port}`;
  const free = "--listen 127.0.0.1:0";
  const serve = `${PROGRAM} serve --passphrase-file 'pass phrase' --data-dir plain`;
  const paper = `${PROGRAM} serve --paper --data-dir demo`;
  for (const [command, option] of [
    [`${serve} --listen ${at}`, "--listen"],
    [`${serve} ${free} --metrics-listen ${at}`, "--metrics-listen"],
    [`${paper} ${free} --paper-listen ${at}`, "--paper-listen"],
    [`${PROGRAM} paper --listen ${at}`, "--listen"],
  ] as const) {
    const ran = await runShell(`cd ${quoted(room)} && ${command}`);
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain(`${at} is in use by another program; choose another with ${option} HOST:PORT`);
  }
  expect(existsSync(join(room, "plain", "control.sock"))).toBe(false);
});

test("the doctor of a demo names what the demo does by itself", async () => {
  const ran = await runShell(`cd ${quoted(room)} && ${PROGRAM} doctor --data-dir demo`);
  expect(ran.exitCode).toBe(1);
  const todos = ran.out.split("\n").filter((line) => line.includes("->"));
  expect(todos.length).toBeGreaterThan(3);
  for (const todo of todos) expect(todo).toContain(`serve --data-dir ${quoted(join(room, "demo"))} --paper`);
});
