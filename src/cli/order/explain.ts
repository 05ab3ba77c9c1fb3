import { storyOf } from "../../actions/tell-story.ts";
import { tradeStoryOf } from "../../actions/tell-trade-story.ts";
import type { Trade } from "../../core/trade.ts";
import type { Store } from "../../store/open.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { findTrade } from "../../store/trades.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";
import { findAnyOrder } from "./find-any.ts";

export const orderExplain: Command = {
  name: "order explain",
  summary: "how an order, or a trade, came to its status, with times and reasons",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["ID"],
  async run(input, outside) {
    const [id = ""] = input.positionals;
    const { story, text } = reading(places(input, outside), ({ store }) => {
      const order = findAnyOrder(store, id);
      if (order !== null) return explainedOrder(store, order);
      const trade = findTrade(store, id.toLowerCase());
      if (trade === null) throw new Failure(`there is no order or trade ${id} in this data directory`);
      return explainedTrade(store, trade);
    });
    present({ input, outside }, story, text);
  },
};

type Explained = { story: Readonly<Record<string, unknown>>; text: string[] };

function explainedOrder(store: Store, stored: StoredOrder): Explained {
  const story = storyOf(store, stored);
  const { order, legs, attempts, steps } = story;
  const seen = legs.map((leg) => [leg.client_order_id, leg.exchange_order_id ?? "-", leg.state, leg.filled_size]);
  const text = [
    `order ${order.id}`,
    headOf(order),
    ...linesOf(order.error),
    "",
    ...columns([["CLIENT ORDER ID", "EXCHANGE ORDER ID", "STATE", "FILLED"], ...seen]),
    ...waitingOf(attempts),
    "",
    ...columns([["AT", "WHAT", "DETAIL"], ...steps.map(({ at, what, detail }) => [at, what, detail])]),
  ];
  return { story, text };
}

function explainedTrade(store: Store, stored: Trade): Explained {
  const story = tradeStoryOf(store, stored);
  const { trade, orders, steps } = story;
  const parts = orders.map(({ part, order }) => [part, order.id, headOf(order)]);
  const text = [
    `trade ${trade.id}`,
    `${trade.side} ${trade.size} ${trade.market} at ${trade.entry.price}: ${trade.status}`,
    `holds ${trade.held_size} of ${trade.filled_size} filled`,
    ...linesOf(trade.error),
    ...linesOf(trade.unprotected_because),
    "",
    ...columns([["PART", "ORDER", "TERMS"], ...parts]),
    ...orders.flatMap(({ attempts }) => waitingOf(attempts)),
    "",
    ...columns([
      ["AT", "PART", "WHAT", "DETAIL"],
      ...steps.map(({ at, part, what, detail }) => [at, part, what, detail]),
    ]),
  ];
  return { story, text };
}

function headOf(order: { side: string; size: string; market: string; price: string; status: string }): string {
  return `${order.side} ${order.size} ${order.market} at ${order.price}: ${order.status}`;
}

function linesOf(words: string | null): string[] {
  return words === null ? [] : [words];
}

function waitingOf(attempts: readonly { action: string; waits_for: string | null }[]): string[] {
  return attempts.flatMap(({ action, waits_for: what }) =>
    what === null ? [] : ["", `The ${action} waits for ${what}.`],
  );
}
