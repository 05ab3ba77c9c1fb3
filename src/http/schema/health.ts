import { Type } from "@sinclair/typebox";
import { closed, described, ExchangeWord, nullable, Timestamp, words } from "./common.ts";

export const HealthResource = closed(
  { status: Type.Literal("ok", { description: "The process is up and answers." }) },
  { title: "Health" },
);

export const ReadinessResource = closed(
  {
    status: Type.Literal("ready", {
      description: "Orders are taken, for every account that they can be placed for and whose trading is not stopped.",
    }),
    network: words(["mainnet", "testnet", "paper"], { description: "The network that this gateway trades on." }),
    exchange: ExchangeWord,
    accounts: Type.Integer({ minimum: 1, description: "How many accounts that is." }),
    stopped: Type.Integer({
      minimum: 0,
      description: "Of these, those whose trading somebody has stopped: nothing that increases is taken there.",
    }),
    database: words(["writable"], {
      description: "It was written to within the last seconds, and there is room for more.",
    }),
    start_up: words(["done"], { description: "Whether what was in flight at the last stop has been looked into." }),
    agent: words(["in_order", "ends_soon", "missing", "none"], {
      description:
        "The worst that is known of the agents that sign: its approval ends within 30 days, the exchange does not list it, or no agent of an account is approved.",
    }),
    agent_days_left: nullable(Type.Integer(), "Whole days until the first of them ends; null where that is not known."),
    markets: Type.Integer({ description: "How many markets are known." }),
    markets_read_at: described(Timestamp, "When they were read."),
    exchange_answered_at: described(Timestamp, "When the exchange last answered anything."),
  },
  { title: "Readiness" },
);
