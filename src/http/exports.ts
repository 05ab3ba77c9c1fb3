/** The record as files: CSV for spreadsheets, JSON Lines for programs. */
import { Type } from "@sinclair/typebox";
import { ALL_OF_IT, type WantedHistory } from "../actions/export-history.ts";
import {
  EXPORT_FORMATS,
  EXPORTED_LISTS,
  type Export,
  type ExportedList,
  type ExportFormat,
  exportOf,
} from "../actions/export-list.ts";
import { requireStatus } from "../actions/list-orders.ts";
import { ApiError } from "../core/errors.ts";
import { KINDS } from "../core/history.ts";
import type { With } from "../deps.ts";
import type { Contract } from "./contract.ts";
import { EquityResolutionParameter, readResolution } from "./equity.ts";
import type { StreamSource } from "./open-streams.ts";
import { type Query, readFilter } from "./query.ts";
import { queryOf, type Route } from "./route.ts";
import { words } from "./schema/common.ts";
import { ExportedFile, FILTER_PARAMETERS } from "./schema/list.ts";
import { OrderStatus } from "./schema/order.ts";
import { admit } from "./visit.ts";

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = { csv: "text/csv", jsonl: "application/jsonl" };

const EXAMPLES: Readonly<Record<ExportFormat, string>> = {
  csv: "id,account,market,side\r\n01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f,5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90,BTC,buy\r\n",
  jsonl: '{"id":"01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f","market":"BTC","side":"buy"}\n',
};

const FORMAT_WORDS: Readonly<Record<ExportFormat, string>> = {
  csv: "CSV (RFC 4180) with the names of its columns in the first line; a text that a spreadsheet would take for a formula begins with an apostrophe.",
  jsonl: "JSON Lines: an object a line.",
};

const MAX_STATUS_CHARACTERS = 40;
const MAX_TEXT_CHARACTERS = 100;
const { since, until, market } = FILTER_PARAMETERS;
const QUERIES: Readonly<Record<ExportedList, NonNullable<Contract["query"]>>> = {
  orders: { ...FILTER_PARAMETERS, status: OrderStatus },
  fills: FILTER_PARAMETERS,
  operations: FILTER_PARAMETERS,
  funding: { since, until, market },
  transfers: { since, until },
  equity: { since, until, resolution: EquityResolutionParameter },
  performance: FILTER_PARAMETERS,
  audit: FILTER_PARAMETERS,
  history: {
    ...FILTER_PARAMETERS,
    kind: words(KINDS, { description: "Of this kind alone." }),
    status: Type.String({
      minLength: 1,
      maxLength: MAX_STATUS_CHARACTERS,
      description: "With just this in the column `status`.",
    }),
    text: Type.String({
      minLength: 1,
      maxLength: MAX_TEXT_CHARACTERS,
      description: "With this in an id, the market, the side, size, price, status or words, in any case.",
    }),
  },
};

/** By what the file of a list can be narrowed, as the query names it. */
export function filtersOf(list: ExportedList): readonly string[] {
  return Object.keys(QUERIES[list]);
}

const WHAT: Readonly<Record<ExportedList, string>> = {
  orders: "orders",
  fills: "fills",
  operations: "operations",
  funding: "payments of funding",
  transfers: "transfers",
  equity: "rows of equity",
  performance: "days, markets and keys of the performance, a line for each,",
  audit: "entries of the audit log",
  history: "orders, fills, operations, funding, transfers and entries of the audit log, as one line of time",
};

function exportRoute(list: ExportedList, format: ExportFormat): Route {
  const contract: Contract & { access: "trading:read" } = {
    name: `export_${list}_${format}`,
    method: "GET",
    path: `/v1/exports/${list}.${format}`,
    tag: "Exports",
    summary: `All ${WHAT[list]} as ${format === "csv" ? "CSV" : "JSON Lines"}`,
    description: `Newest first, all that the filters leave, in one answer. ${FORMAT_WORDS[format]} Figures are exact decimals, new columns come at the end. What is broken off does not end as HTTP ends an answer, so a part is never taken for the whole. Counts as one of the key's 8 streams.`,
    access: "trading:read",
    query: QUERIES[list],
    answers: [
      {
        status: 200,
        description: "The file.",
        schema: ExportedFile,
        example: EXAMPLES[format],
        contentType: CONTENT_TYPES[format],
      },
    ],
    errors: list === "orders" ? ["invalid_status", "draining"] : ["draining"],
  };
  return {
    contract,
    async answer(deps, visit) {
      const caller = admit(deps, visit, contract.access);
      const query = queryOf(contract, visit);
      const filter = readFilter(query);
      const resolution = readResolution(query);
      const status = list === "orders" ? requireStatus(query.get("status")) : null;
      const history = list === "history" ? readHistory(query) : ALL_OF_IT;
      caller.charge("reads");
      if (deps.state.phase === "draining") throw new ApiError("draining", "The gateway is shutting down.");
      const whose = { account: caller.account, keyHash: caller.key.keyHash };
      const { dexes } = deps.settings;
      const asked = { list, format, filter, status, resolution, dexes, history };
      const begin = () => sourceOf(deps, exportOf(deps, whose, asked));
      return { status: 200, contentType: CONTENT_TYPES[format], body: visit.streams.open(caller.key.keyHash, begin) };
    },
  };
}

function readHistory(query: Query): WantedHistory {
  return {
    kind: readKind(query),
    status: readShort(query, "status", MAX_STATUS_CHARACTERS),
    text: readShort(query, "text", MAX_TEXT_CHARACTERS),
  };
}

function readKind(query: Query): WantedHistory["kind"] {
  const text = query.get("kind");
  const kind = text === null ? "" : KINDS.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new ApiError("invalid_parameter", `kind is one of ${KINDS.join(", ")}.`);
}

function readShort(query: Query, name: string, most: number): string {
  const text = query.get(name);
  if (text === null) return "";
  if (text.length >= 1 && text.length <= most) return text;
  throw new ApiError("invalid_parameter", `${name} is 1 to ${most} characters long.`);
}

/** Where few rows are what was asked for, others have their turn between two looks, milliseconds. */
const PAUSE_MS = 1;

function sourceOf({ clock }: With<"clock">, file: Export): StreamSource {
  let wakeUp: () => void = () => undefined;
  return {
    greeting: file.head,
    isWhole: true,
    next() {
      const text = file.next();
      if (text === "") void clock.sleep(PAUSE_MS).then(() => wakeUp());
      return text;
    },
    listen(wake) {
      wakeUp = wake;
      return () => {
        wakeUp = () => undefined;
      };
    },
  };
}

export function exportRoutes(): Route[] {
  return EXPORTED_LISTS.flatMap((list) => EXPORT_FORMATS.map((format) => exportRoute(list, format)));
}
