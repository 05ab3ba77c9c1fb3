import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { isDemo } from "../ops/data-directory.ts";
import { openKeyring, vaultKeyOf } from "../ops/keyring.ts";
import { OperatorError } from "../ops/operator.ts";
import { type Command, DATA_DIRECTORY, Failure, type Input, JSON_OUTPUT, overridesOf } from "./command.ts";
import { changing, networkWords, type Opened, places } from "./directory.ts";
import { LISTEN } from "./gateway-client.ts";
import { listen } from "./listen.ts";
import type { Outside } from "./outside.ts";
import { PASSPHRASE_FILE, passphrase } from "./passphrase.ts";
import { servePaper } from "./serve-paper.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "the gateway; with --paper, a demo with its own exchange that needs no set-up",
  options: {
    paper: { value: null, help: "start the built-in exchange, a funded demo account and its API key as well" },
    listen: LISTEN,
    "paper-listen": {
      value: "HOST:PORT",
      help: "where the built-in exchange listens, 127.0.0.1:9797 by default",
      variable: "POSTERN_PAPER_LISTEN",
    },
    "passphrase-file": PASSPHRASE_FILE,
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    const config = readConfig(outside.environment, overridesOf(serveCommand, input));
    const at = places(input, outside);
    if (input.isSet("paper")) return servePaper({ config, at, asJson: input.isSet("json") }, outside);
    if (isDemo(at)) throw new Failure(`${at.directory} is a paper demo: start it with "postern serve --paper"`);
    const stop = outside.stopRequested();
    await changing(at, outside, async (opened) => {
      const keyring = await unlock(opened, input, outside);
      const log = openLog(config.logLevel, { write: outside.warn });
      const listening = listen({ config, at, opened, keyring, log }, outside);
      const { network } = opened.instance;
      announce(input, outside, { base_url: listening.baseUrl, network });
      void listening.gateway.start().then(
        () => log.info({ phase: "ready" }, "writes are open"),
        (error: unknown) => log.error({ error: String(error) }, "the start-up pass failed; writes stay closed"),
      );
      log.info({ signal: await stop }, "stopping");
      await listening.stop();
    });
  },
};

async function unlock({ store, instance }: Opened, input: Input, outside: Outside) {
  const vaultKey = await vaultKeyOf(instance, await passphrase(input, outside));
  try {
    return openKeyring({ store, network: instance.network, vaultKey, randomBytes: outside.randomBytes });
  } catch (error) {
    throw error instanceof OperatorError ? new Failure(error.message) : error;
  }
}

function announce(input: Input, outside: Outside, facts: { base_url: string; network: Opened["instance"]["network"] }) {
  const text = `Postern listens at ${facts.base_url} (${networkWords(facts.network)})`;
  outside.print(input.isSet("json") ? `${JSON.stringify(facts)}\n` : `${text}\n`);
}
