import { type AtExchange, type ListedAgent, listOwnAgents } from "../../ops/list-agents.ts";
import { findInstance } from "../../store/instance.ts";
import { closeStore, openStoreReadOnly } from "../../store/open.ts";
import { connect } from "../change.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT } from "../command.ts";
import { places, requireDatabase } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

/** Weight that asking for every agent may cost. */
const WEIGHT_PER_MINUTE = 600;

export const agentList: Command = {
  name: "agent list",
  summary: "agent keys: their names, owners and states, and what the exchange says of each",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    requireDatabase(at);
    const store = openStoreReadOnly(at.database);
    try {
      const instance = findInstance(store);
      if (instance === null) throw new Failure(`${at.database} was never set up`);
      const agents = await listOwnAgents(store, connect(instance.exchangeUrl, outside, WEIGHT_PER_MINUTE));
      const rows = agents.map((agent) => [...rowOf(agent), wordsOf(agent.atExchange)]);
      const head = ["AGENT", "NAME", "OWNER", "STATE", "VALID UNTIL", "AT THE EXCHANGE"];
      present({ input, outside }, { agents: agents.map(shown) }, columns([head, ...rows]));
    } finally {
      closeStore(store);
    }
  },
};

function rowOf({ address, name, ownerAddress, state, validUntilMs }: ListedAgent): string[] {
  return [address, name, ownerAddress, state, isoTime(validUntilMs)];
}

function shown({ address, name, ownerAddress, state, validUntilMs, atExchange }: ListedAgent) {
  const at = atExchange.kind;
  return {
    address,
    name,
    owner: ownerAddress,
    state,
    valid_until: validUntilMs === null ? null : isoTime(validUntilMs),
    at_exchange: at,
    at_exchange_until: at === "approved" && atExchange.untilMs !== null ? isoTime(atExchange.untilMs) : null,
    replaced_by: at === "replaced" ? atExchange.by : null,
  };
}

function wordsOf(at: AtExchange): string {
  if (at.kind === "approved") return at.untilMs === null ? "approved" : `approved until ${isoTime(at.untilMs)}`;
  if (at.kind === "replaced") return `replaced by ${at.by}`;
  return at.kind === "not_known" ? "not known there" : "could not be asked";
}
