import { findSigningAgent } from "../../store/agents.ts";
import { listApiKeys } from "../../store/api-keys.ts";
import { chosenAccount } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { isoTime, present } from "../output.ts";
import { accountFacts } from "./list.ts";

export const accountShow: Command = {
  name: "account show",
  summary: "one account: its network, the agent that signs for it and its keys",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["ID"],
  async run(input, outside) {
    const named = { ...input, value: (name: string) => (name === "account" ? (input.positionals[0] ?? null) : null) };
    const { facts, instance } = reading(places(input, outside), ({ store, instance }) => {
      const account = chosenAccount(store, named);
      const agent = findSigningAgent(store, account.ownerAddress, outside.clock.nowMs());
      const facts = {
        ...accountFacts(account),
        network: instance.network,
        exchange_url: instance.exchangeUrl,
        agent: agent?.address ?? null,
        agent_valid_until: agent?.validUntilMs == null ? null : isoTime(agent.validUntilMs),
        key_hashes: listApiKeys(store, account.id).map((key) => `${key.keyHash} ${key.state}`),
      };
      return { facts, instance };
    });
    present({ input, outside }, facts, [
      `Account   ${facts.id} (${facts.label}, ${facts.kind})`,
      `Network   ${networkWords(instance)}, ${facts.exchange_url}`,
      `Owner     ${facts.owner}`,
      `Trades    ${facts.trading_address}`,
      `Agent     ${facts.agent ?? "none is approved"}`,
      ...facts.key_hashes.map((key) => `Key       ${key}`),
    ]);
  },
};
