import { Type } from "@sinclair/typebox";
import { closed, Timestamp, words } from "./common.ts";

export const HealthResource = closed(
  { status: Type.Literal("ok", { description: "The process is up and answers." }) },
  { title: "Health" },
);

export const ReadinessResource = closed(
  {
    status: Type.Literal("ready", { description: "Orders are taken." }),
    network: words(["mainnet", "testnet", "paper"], { description: "The network that this gateway trades on." }),
    database: words(["writable"], { description: "State of the database." }),
    start_up: words(["done"], { description: "Whether what was in flight at the last stop has been looked into." }),
    markets: Type.Integer({ description: "How many markets are known." }),
    markets_read_at: Timestamp,
  },
  { title: "Readiness" },
);
