import type { WantedHistory } from "../actions/export-history.ts";
import {
  EXPORT_FORMATS,
  EXPORTED_LISTS,
  type ExportedList,
  type ExportFormat,
  exportOf,
} from "../actions/export-list.ts";
import { EQUITY_RESOLUTIONS, type EquityResolution } from "../actions/list-equity.ts";
import { requireStatus } from "../actions/list-orders.ts";
import { ApiError } from "../core/errors.ts";
import { KINDS } from "../core/history.ts";
import { filtersOf } from "../http/exports.ts";
import { ACCOUNT, chosenAccount } from "./account-choice.ts";
import { type Command, DATA_DIRECTORY, type Input, Misuse } from "./command.ts";
import { places, reading } from "./directory.ts";
import { printable } from "./output.ts";
import { SINCE, timeOf, UNTIL } from "./times.ts";

export const exportCommand: Command = {
  name: "export",
  summary: `${EXPORTED_LISTS.slice(0, -1).join(", ")} or ${EXPORTED_LISTS.at(-1)} as CSV or JSON Lines, as the interface exports them`,
  options: {
    "data-dir": DATA_DIRECTORY,
    account: ACCOUNT,
    format: { value: "FORMAT", help: "csv or jsonl (csv)" },
    since: SINCE,
    until: UNTIL,
    market: { value: "MARKET", help: "of this market alone, by its name as the exchange spells it" },
    bot: { value: "NAME", help: "of the keys of this bot alone" },
    "key-hash": { value: "HASH", help: "of the API key with this hash alone" },
    status: { value: "STATUS", help: "of orders and history: in this status alone" },
    kind: { value: "KIND", help: `of history: ${KINDS.join(", ")}` },
    text: { value: "TEXT", help: "of history: with this in an id, the market, the side, size, price, status or words" },
    resolution: { value: "RESOLUTION", help: "of equity: how long a row is, 5m, 1h or 1d (1h)" },
  },
  positionals: ["LIST"],
  printsData: true,
  async run(input, outside) {
    const [word] = input.positionals;
    const list = chosen<ExportedList>("LIST", EXPORTED_LISTS, word ?? "");
    const format = chosen<ExportFormat>("--format", EXPORT_FORMATS, input.value("format") ?? "csv");
    const resolution = chosen<EquityResolution>("--resolution", EQUITY_RESOLUTIONS, input.value("resolution") ?? "1h");
    requireFilters(list, input);
    const filter = filterIn(input);
    const status = list === "orders" ? orderStatus(input.value("status")) : null;
    const history = historyIn(input);
    reading(places(input, outside), ({ store }) => {
      // The names of markets are the exchange's, which is not asked; nor is it known here which dexes a gateway follows.
      const deps = { store, markets: { current: () => null } };
      const file = exportOf(
        deps,
        { account: chosenAccount(store, input), keyHash: null },
        { list, format, filter, status, resolution, dexes: [], history },
      );
      // A file gets every byte; a terminal must not be steered by texts of others.
      const print = (text: string) => outside.print(outside.isTerminal ? shown(text) : text);
      if (file.head !== "") print(file.head);
      for (let text = file.next(); text !== null; text = file.next()) if (text !== "") print(text);
    });
  },
};

function shown(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

function chosen<Word extends string>(what: string, words: readonly Word[], given: string): Word {
  const word = words.find((known) => known === given);
  if (word === undefined) throw new Misuse(`${what} is one of ${words.join(", ")}`);
  return word;
}

/** Each by the name that the query of the interface has for it. */
const FILTERS = ["since", "until", "market", "bot", "key-hash", "status", "kind", "text", "resolution"] as const;

/** One that a list does not know would be passed over in silence. */
function requireFilters(list: ExportedList, input: Input): void {
  const known = filtersOf(list);
  const stray = FILTERS.find((name) => input.value(name) !== null && !known.includes(name.replace("-", "_")));
  if (stray !== undefined) throw new Misuse(`${list} cannot be narrowed by --${stray}`);
}

function orderStatus(given: string | null) {
  try {
    return requireStatus(given);
  } catch (error) {
    if (error instanceof ApiError) throw new Misuse(error.message);
    throw error;
  }
}

function historyIn(input: Input): WantedHistory {
  const kind = input.value("kind");
  return {
    kind: kind === null ? "" : chosen("--kind", KINDS, kind),
    status: input.value("status") ?? "",
    text: input.value("text") ?? "",
  };
}

function filterIn(input: Input) {
  return {
    sinceMs: timeOf(input, "since"),
    untilMs: timeOf(input, "until"),
    market: input.value("market"),
    bot: input.value("bot"),
    keyHash: input.value("key-hash"),
  };
}
