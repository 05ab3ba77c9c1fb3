import { type ListenAddress, parseListenAddress } from "../config.ts";
import { PAPER_DEFAULTS, type PaperOptions } from "../paper/paper-exchange.ts";
import { type PriceSource, readPriceFile } from "../paper/prices.ts";
import { servePaper } from "../paper/server.ts";
import { parseAddress } from "../wire/hex.ts";
import { type Command, Failure, type Input, JSON_OUTPUT, Misuse } from "./command.ts";
import { bind } from "./door.ts";
import { paperExposureOf } from "./exposure.ts";
import { present } from "./output.ts";
import type { Outside } from "./outside.ts";
import { FAULT_OPTIONS, faultOptionsOf, openExchange, readOption } from "./paper-faults.ts";
import { playScenes, SCENE_OPTIONS } from "./paper-scenes.ts";

const DEFAULT_LISTEN = "127.0.0.1:9797";
/** Addresses after --fund. */
const MAX_FUNDED = 1_000;
const NETWORKS = ["any", "mainnet", "testnet"] as const;

export const paperCommand: Command = {
  name: "paper",
  summary: "only the simulated exchange: /info, /exchange and /ws as the real one speaks them",
  options: {
    listen: { value: "HOST:PORT", help: `where it listens, ${DEFAULT_LISTEN} by default` },
    fund: {
      value: "0x…,0x…",
      help: "addresses that get 100,000 USDC in every dex and in spot, and 1,000 of each token",
    },
    network: { value: "NETWORK", help: "which signatures are taken: any (default), mainnet or testnet" },
    seed: { value: "N", help: "the same seed gives the same market" },
    prices: { value: "FILE", help: "replay prices, a line `milliseconds,coin,price` each, instead of a random walk" },
    ...FAULT_OPTIONS,
    "data-dir": { value: "DIRECTORY", help: "keep the state there; in memory when left out" },
    ...SCENE_OPTIONS,
    json: JSON_OUTPUT,
  },
  positionals: [],
  async run(input, outside) {
    if (input.isSet("scenes")) {
      await playScenes(input, seedOf(input.value("seed") ?? "1"), outside);
      return;
    }
    const address = parseListenAddress(input.value("listen") ?? DEFAULT_LISTEN);
    if (address === null) throw new Misuse("--listen is host:port");
    const options = optionsOf(input, outside);
    const stop = outside.stopRequested();
    const paper = openExchange(options);
    try {
      const server = bind(() => servePaper(paper, { ...address, every: outside.every }), {
        ...address,
        option: "listen",
      });
      const facts = { exchange_url: server.url, network: options.network, seed: options.seed };
      present({ input, outside }, facts, [
        `Paper exchange at ${server.url} (takes signatures of: ${options.network})`,
        "A client that signs for mainnet hands over orders that are valid there: prefer testnet.",
      ]);
      warnOfPaper(address, server.url, outside);
      await stop;
      await server.stop();
    } catch (error) {
      throw new Failure(error instanceof Error ? error.message : "cannot listen");
    } finally {
      paper.stop();
    }
  },
};

function optionsOf(input: Input, { clock }: Outside): PaperOptions {
  const network = NETWORKS.find((known) => known === (input.value("network") ?? "any"));
  if (network === undefined) throw new Misuse(`--network is one of ${NETWORKS.join(", ")}`);
  return {
    ...PAPER_DEFAULTS,
    seed: seedOf(input.value("seed") ?? "1"),
    network,
    fund: fundedOf(input.value("fund")),
    dataDirectory: input.value("data-dir"),
    ...faultOptionsOf(input),
    prices: pricesOf(input.value("prices")),
    nowMs: () => clock.nowMs(),
    sleep: (ms) => clock.sleep(ms),
  };
}

function seedOf(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new Misuse("--seed is a whole number of at most 9 digits");
  return Number(text);
}

function fundedOf(text: string | null): string[] {
  const words = (text ?? "").split(",").filter((word) => word !== "");
  if (words.length > MAX_FUNDED) throw new Misuse(`--fund takes at most ${MAX_FUNDED} addresses`);
  return words.map((word) => {
    const address = parseAddress(word.trim());
    if (address === null) throw new Misuse(`"${word}" is no address: 0x and 40 hex digits`);
    return address;
  });
}

function pricesOf(path: string | null): PriceSource {
  return path === null ? PAPER_DEFAULTS.prices : readOption("prices", path, readPriceFile);
}

/** A paper exchange asks nobody who they are: that is what it is for, and nothing for a network of strangers. */
export function warnOfPaper(listen: ListenAddress, url: string, { warn }: Outside): void {
  if (paperExposureOf(listen) === "this_machine") return;
  warn(`postern: the paper exchange at ${url} can be reached from other machines: anybody there may trade on it\n`);
}
