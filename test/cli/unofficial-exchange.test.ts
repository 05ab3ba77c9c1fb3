import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeWorkplace, runHere, type Workplace } from "./outside.ts";
import { type Running, startProcess } from "./process.ts";

/** A testnet directory that trades at another place: what the operator has to say, and where it shows from then on. */

const OWNER = `0x${"ab".repeat(20)}`;
let workplace: Workplace;
let exchange: Running;
let exchangeUrl: string;

beforeAll(async () => {
  workplace = makeWorkplace();
  const words = ["paper", "--network", "testnet", "--listen", "127.0.0.1:0", "--json"];
  exchange = await startProcess([...words, "--data-dir", join(workplace.directory, "exchange")]);
  exchangeUrl = JSON.parse(exchange.firstLine).exchange_url;
});

afterAll(async () => {
  await exchange.end("SIGKILL");
  workplace.remove();
});

function postern(words: readonly string[], environment: Record<string, string> = {}) {
  return runHere([...words, "--data-dir", workplace.dataDirectory], environment);
}

/** Tries, 100 ms apart, until only the owner's approval of the agent is missing. */
async function readiness(baseUrl: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const text = await (await fetch(`${baseUrl}/readyz`)).text();
    if (text.includes("no_agent")) return text;
    await Bun.sleep(100);
  }
  throw new Error("the gateway does not become ready");
}

test("another place is chosen in words alone, and told by every face from then on", async () => {
  const unlock = ["--passphrase-file", workplace.passphraseFile];
  const init = ["init", "--network", "testnet", "--owner", OWNER, ...unlock];
  for (const refused of [
    await postern([...init, "--exchange-url", exchangeUrl]),
    await postern(init, { POSTERN_EXCHANGE_URL: exchangeUrl }),
  ]) {
    expect(refused).toMatchObject({ exitCode: 2, out: "" });
    expect(refused.err).toContain("--unofficial-exchange");
    expect(existsSync(workplace.dataDirectory)).toBeFalse();
  }
  const made = await postern([...init, "--exchange-url", exchangeUrl, "--unofficial-exchange"]);
  expect(made.exitCode).toBe(0);
  expect(made.out).toContain(`UNOFFICIAL exchange ${exchangeUrl}`);

  const serve = ["serve", "--listen", "127.0.0.1:0", "--json", ...unlock, "--data-dir", workplace.dataDirectory];
  const gateway = await startProcess(serve);
  const told = JSON.parse(gateway.firstLine);
  expect(told).toMatchObject({ network: "testnet", exchange: "unofficial" });
  expect(await readiness(told.base_url)).toContain("The exchange is an unofficial one.");
  const doctor = await postern(["doctor", "--json"]);
  const finding = JSON.parse(doctor.out).findings.find(({ check }: { check: string }) => check === "exchange_place");
  expect(finding).toMatchObject({ level: "warning", found: expect.stringContaining(exchangeUrl) });
  const { err } = await gateway.end("SIGTERM");
  expect(err).toContain(
    `"exchange_url":"${exchangeUrl}","network":"testnet","msg":"this is not the exchange's own host"`,
  );
});

test("a backup of such a directory is put back on the same word", async () => {
  const file = join(workplace.directory, "backup.db");
  expect((await postern(["backup", file])).out).toContain("UNOFFICIAL exchange");
  const there = ["--data-dir", join(workplace.directory, "restored")];
  const refused = await runHere(["restore", file, ...there]);
  expect(refused).toMatchObject({ exitCode: 2, out: "" });
  expect(refused.err).toContain(`trades at ${exchangeUrl}, which is not the exchange's own testnet`);
  expect(await runHere(["restore", file, ...there, "--unofficial-exchange"])).toMatchObject({ exitCode: 0 });
});
