/** The tools, with the forms of what they take and tell. What a key may not do is not listed. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolForm & { readonly type: "object" };
  readonly outputSchema: ToolForm & { readonly type: "object" };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
};

type ToolForm = Readonly<Record<string, unknown>>;

const DECIMAL: ToolForm = {
  type: "string",
  pattern: "^[0-9]{1,30}(\\.[0-9]{1,30})?$",
  description: "decimal, as text",
};
const MARKET: ToolForm = {
  type: "string",
  pattern: "^[A-Za-z0-9@:./_-]{1,64}$",
  description: "such as BTC or xyz:GOLD",
};
const INTENT: ToolForm = { type: "string", description: "the `intent` of propose_order" };
const ORDER: ToolForm = { type: "string", pattern: "^[0-9a-f-]{36}$", description: "id of an order" };

const RESULT: Tool["outputSchema"] = {
  type: "object",
  properties: {
    network: { type: "string", description: "paper, testnet or mainnet" },
    money: { enum: ["paper", "live"], description: "paper: nothing here is worth anything" },
    bot: { type: ["string", "null"], description: "whose limits hold; null for a key without limits" },
    headroom: {
      type: ["object", "null"],
      description:
        "what is left of the limits for what increases, all 0 with the reason in `halt` while nothing may; null: none, or not known now",
    },
    outcome: { type: "string", description: "what happened, in one word" },
    note: { type: "string", description: "what to do now" },
    refused: {
      type: "object",
      description: "the limit in the way: `rail`, `limit`, `use`, and the `largest` size that passes or null",
    },
    result: { description: "what was asked for" },
  },
  required: ["network", "money", "bot", "headroom", "outcome"],
};

const READS: readonly Tool[] = [
  reading("limits", "Which bot this is, what it is held to and what is left of that.", {}),
  reading("account", "What the account holds, and its value.", {}),
  reading("positions", "Open positions.", {}),
  reading("market", "Rules and prices of one market, now.", { market: MARKET }, ["market"]),
  reading("orders", "Orders that are open now; of one market if you name it.", { market: MARKET }),
  reading("fills", "The newest fills.", {}),
  reading("order", "What became of an order, by its id or by the intent that it was placed from.", {
    order: ORDER,
    intent: INTENT,
  }),
];

const WRITES: readonly Tool[] = [
  writing(
    "propose_order",
    "Says what an order would be, and places nothing. It is placed by `place` within 60 s. The same again within that time is the same intent, unless `again` is true.",
    {
      market: MARKET,
      side: { enum: ["buy", "sell"] },
      size: { ...DECIMAL, description: "in base units, as text; never rounded" },
      price: { ...DECIMAL, description: "the worst price that is taken, as text; never rounded" },
      time_in_force: {
        enum: ["gtc", "ioc", "alo"],
        description: "ioc for a market order; gtc if left out; not with a trigger",
      },
      reduce_only: { type: "boolean", description: "true: it can only make a position smaller" },
      trigger: {
        type: "object",
        properties: { kind: { enum: ["stop_loss", "take_profit"] }, price: DECIMAL },
        required: ["kind", "price"],
        additionalProperties: false,
      },
      again: { type: "boolean", description: "true: a second order like one that was just proposed is meant" },
    },
    ["market", "side", "size", "price"],
  ),
  writing(
    "place",
    "Places what was proposed. However often it is called with one intent, it is one order. Where it waits for a person's approval it says so; called again it tells what became of that.",
    { intent: INTENT },
    ["intent"],
  ),
  writing("cancel", "Cancels an order.", { order: ORDER }, ["order"]),
  writing(
    "stop",
    "Stops this bot, or with scope `account` the account: nothing increases any more. No tool can end a stop.",
    { scope: { enum: ["bot", "account"] } },
  ),
];

export function toolsFor(scopes: readonly unknown[]): readonly Tool[] {
  return [
    ...(scopes.includes("trading:read") ? READS : []),
    ...(scopes.includes("trading:write") && scopes.includes("trading:read") ? WRITES : []),
  ];
}

function reading(name: string, description: string, properties: ToolForm, required: readonly string[] = []): Tool {
  return tool({ name, description, properties, required, isReading: true });
}

function writing(name: string, description: string, properties: ToolForm, required: readonly string[] = []): Tool {
  return tool({ name, description, properties, required, isReading: false });
}

type ToolParts = {
  name: string;
  description: string;
  properties: ToolForm;
  required: readonly string[];
  isReading: boolean;
};

function tool({ name, description, properties, required, isReading }: ToolParts): Tool {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    outputSchema: RESULT,
    annotations: { readOnlyHint: isReading, destructiveHint: name === "place" || name === "stop" || name === "cancel" },
  };
}
