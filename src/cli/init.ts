import type { Network } from "../core/account.ts";
import { chooseExchange, EXCHANGE_URLS, exchangePlaceOf, isLoopback } from "../core/exchange-place.ts";
import { type Initialized, initialize, initializeBare } from "../ops/initialize.ts";
import { parseAddress } from "../wire/hex.ts";
import { agentsThere } from "./agents-there.ts";
import { type Command, Failure, type Input, Misuse, required, UNOFFICIAL_EXCHANGE } from "./command.ts";
import { networkWords, places } from "./directory.ts";
import { present } from "./output.ts";
import type { Outside } from "./outside.ts";
import { newPassphrase, OPERATING } from "./passphrase-input.ts";

export const initCommand: Command = {
  name: "init",
  summary: "make a data directory with its first account and agent key",
  options: {
    network: { value: "NETWORK", help: "mainnet, testnet or paper; fixed for good", variable: "POSTERN_NETWORK" },
    owner: {
      value: "0x…",
      help: "address of the account's owner, who signs; left out, the page asks for it",
      variable: "POSTERN_OWNER",
    },
    label: { value: "TEXT", help: '"main" by default' },
    "exchange-url": {
      value: "URL",
      help: "another place that speaks as this network",
      variable: "POSTERN_EXCHANGE_URL",
    },
    "unofficial-exchange": UNOFFICIAL_EXCHANGE,
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const network = networkOf(required(input, "network"));
    const given = input.value("owner");
    const owner = given === null ? null : parseAddress(given);
    if (given !== null && owner === null) throw new Misuse("--owner is an address: 0x and 40 hex digits");
    const exchangeUrl = exchangeUrlOf(input, network);
    const label = input.value("label") ?? "main";
    const passphrase = await newPassphrase(input, outside, network);
    const { clock, processId, randomBytes } = outside;
    const vaultCost = "person";
    const wanted = { places: at, processId, network, exchangeUrl, passphrase, vaultCost, clock, randomBytes } as const;
    const making = owner === null ? initializeBare(wanted).then(() => null) : initialize({ ...wanted, owner, label });
    const made = await making.catch((error: unknown) => {
      throw new Failure(error instanceof Error ? error.message : String(error));
    });
    await show({ input, outside }, { network, exchangeUrl, directory: at.directory }, made);
  },
};

function networkOf(text: string): Network {
  const found = Object.keys(EXCHANGE_URLS).find((network) => network === text);
  if (found === undefined) throw new Misuse("--network is mainnet, testnet or paper");
  // The keys of the table are the networks.
  return found as Network;
}

function exchangeUrlOf(input: Input, network: Network): string {
  const url = input.value("exchange-url") ?? EXCHANGE_URLS[network];
  const chosen = chooseExchange({ network, url, isUnofficialAllowed: input.isSet("unofficial-exchange") });
  if (chosen.kind === "refused") throw new Misuse(chosen.reason);
  return chosen.exchangeUrl;
}

function isLocal(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}

async function show(
  to: { input: Input; outside: Outside },
  { directory, ...place }: { network: Network; exchangeUrl: string; directory: string },
  made: Initialized | null,
): Promise<void> {
  const { network, exchangeUrl } = place;
  const fund = made === null ? "" : ` --fund ${made.account.ownerAddress}`;
  const next = [
    ...(network === "paper" && isLocal(exchangeUrl)
      ? [
          "Next, start the simulated exchange, and leave it running:",
          `  postern paper --listen ${new URL(exchangeUrl).host}${fund}`,
        ]
      : []),
    "Next, start it and open the link that it prints:",
    "  postern serve",
  ];
  const head = `Made ${directory} (${networkWords(place)})`;
  const common = { data_directory: directory, network, exchange: exchangePlaceOf(place) };
  if (made === null) {
    present(to, common, [head, "", ...next]);
    return;
  }
  const { account, agent } = made;
  const there = await agentsThere({ outside: to.outside, exchangeUrl: place.exchangeUrl }, agent, [agent.address]);
  const facts = {
    ...there.facts,
    account: account.id,
    owner: account.ownerAddress,
    agent: agent.address,
    agent_name: agent.name,
  };
  present(to, { ...common, ...facts }, [
    head,
    `Account  ${account.id}`,
    `Owner    ${account.ownerAddress}`,
    `Agent    ${agent.address} (${agent.name})`,
    ...there.lines,
    "",
    ...next,
    "Or, without a browser, let the owner approve the agent:",
    "  postern agent approval",
  ]);
}
