import { alertResource } from "../../actions/hooks/list-alerts.ts";
import { DEFAULT_LIMIT, MAX_LIMIT, parseLimit } from "../../core/page.ts";
import { listDeliveries } from "../../store/hook-deliveries.ts";
import { ACCOUNT } from "../account-choice.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, present } from "../output.ts";
import { chosenHook } from "./options.ts";

export const hookDeliveries: Command = {
  name: "hook deliveries",
  summary: "the newest alerts of a hook: what came, what became of it, and which orders",
  options: {
    account: ACCOUNT,
    limit: { value: "COUNT", help: `so many, at most ${MAX_LIMIT}; ${DEFAULT_LIMIT} when left out` },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: ["HOOK"],
  async run(input, outside) {
    const limit = parseLimit(input.value("limit") ?? String(DEFAULT_LIMIT));
    if (limit === null) throw new Misuse(`--limit is a whole number from 1 to ${MAX_LIMIT}`);
    const { hook, alerts } = reading(places(input, outside), ({ store }) => {
      const found = chosenHook(store, input);
      const newest = listDeliveries(store, found.id, { before: null, limit });
      return { hook: found, alerts: newest.map((delivery) => alertResource({ store }, found, delivery)) };
    });
    const rows = alerts.map(({ received_at: at, market, status, repeats, order_ids: orders, reason }) => [
      at,
      market ?? "-",
      status,
      String(repeats),
      orders.join(",") || "-",
      reason ?? "",
    ]);
    present(
      { input, outside },
      { hook: hook.id, deliveries: alerts },
      columns([["RECEIVED", "MARKET", "STATUS", "REPEATS", "ORDERS", "REASON"], ...rows]),
    );
  },
};
