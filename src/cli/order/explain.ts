import { storyOf } from "../../actions/tell-story.ts";
import { type Command, DATA_DIRECTORY, Failure, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";
import { findAnyOrder } from "./find-any.ts";

export const orderExplain: Command = {
  name: "order explain",
  summary: "how an order came to its status, with times and reasons",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: ["ID"],
  async run(input, outside) {
    const [id = ""] = input.positionals;
    const story = reading(places(input, outside), ({ store }) => {
      const order = findAnyOrder(store, id);
      if (order === null) throw new Failure(`there is no order ${id} in this data directory`);
      return storyOf(store, order);
    });
    const { order, legs, attempts, steps } = story;
    const head = `${order.side} ${order.size} ${order.market} at ${order.price}: ${order.status}`;
    const why = order.error === null ? [] : [order.error];
    const seen = legs.map((leg) => [leg.client_order_id, leg.exchange_order_id ?? "-", leg.state, leg.filled_size]);
    const text = [
      `order ${order.id}`,
      head,
      ...why,
      "",
      ...columns([["CLIENT ORDER ID", "EXCHANGE ORDER ID", "STATE", "FILLED"], ...seen]),
      ...attempts.flatMap(({ action, waits_for: what }) =>
        what === null ? [] : ["", `The ${action} waits for ${what}.`],
      ),
      "",
      ...columns([["AT", "WHAT", "DETAIL"], ...steps.map(({ at, what, detail }) => [at, what, detail])]),
    ];
    present({ input, outside }, story, text);
  },
};
