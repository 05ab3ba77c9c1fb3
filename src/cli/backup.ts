import { resolve } from "node:path";
import { counted } from "../core/counted.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { type BackUpContents, backUp } from "../ops/back-up.ts";
import { isDemo } from "../ops/data-directory.ts";
import { OperatorError } from "../ops/operator.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT, Misuse } from "./command.ts";
import { networkWords, places, requireDatabase } from "./directory.ts";
import { present } from "./output.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "write a consistent snapshot of the database to a new file, beside a running gateway or without one",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["FILE"],
  async run(input, outside) {
    const at = places(input, outside);
    requireDatabase(at);
    const file = resolve(input.positionals[0] ?? "");
    const held = attempt(() => backUp(at.database, file));
    present({ input, outside }, { file, ...factsOf(held) }, [
      `Wrote ${file}, readable by you alone`,
      ...linesOf(held),
      "",
      "Whoever has this file can read what was traded, but not sign: the agent keys in it are encrypted. Keep the",
      isDemo(at)
        ? `demo's own secrets as well: they are in ${resolve(at.demo)}, and without them its restored copy cannot be opened.`
        : "passphrase elsewhere; a restored gateway needs it, and makes a new agent key.",
    ]);
  },
};

/** What the operator can do about it is in the message. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperatorError && error.why.kind === "misused") throw new Misuse(error.message);
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
}

export function factsOf({ network, exchangeUrl, accounts, agents, apiKeys, orders, bytes }: BackUpContents) {
  const exchange = exchangePlaceOf({ network, exchangeUrl });
  return { network, exchange, exchange_url: exchangeUrl, accounts, agents, api_keys: apiKeys, orders, bytes };
}

export function linesOf({ network, exchangeUrl, accounts, agents, apiKeys, orders, bytes }: BackUpContents): string[] {
  const hashes = apiKeys === 1 ? "1 API key hash" : `${apiKeys} API key hashes`;
  return [
    `Network   ${network} (${networkWords({ network, exchangeUrl })})`,
    `Holds     ${counted(accounts, "account")}, ${counted(agents, "agent key")} (encrypted), ${hashes}, ${counted(orders, "order")}`,
    `Size      ${bytes} bytes`,
  ];
}
