import { ANSWER_BREAKS } from "./answers.ts";
import { API_KEY_BREAKS } from "./api-keys.ts";
import { AUDIT_BREAKS } from "./audit.ts";
import { BOT_BOOKS_BREAKS } from "./bot-books.ts";
import type { Break } from "./break.ts";
import { CLIENT_BREAKS } from "./clients.ts";
import { DOOR_BREAKS } from "./door.ts";
import { DOORS_OF_THE_GATE } from "./doors-of-the-gate.ts";
import { EXCHANGE_BREAKS } from "./exchange.ts";
import { GRANT_BREAKS } from "./grants.ts";
import { HOOK_BREAKS } from "./hooks.ts";
import { LIMIT_BREAKS } from "./limits.ts";
import { MACHINE_BREAKS } from "./machine.ts";
import { MARKET_BREAKS } from "./markets.ts";
import { MCP_BREAKS } from "./mcp.ts";
import { NOTICE_BREAKS } from "./notices.ts";
import { OPEN_KEY_BREAKS } from "./open-keys.ts";
import { ORDER_BREAKS } from "./orders.ts";
import { PROMISE_BREAKS } from "./promises.ts";
import { PROPOSAL_BREAKS } from "./proposals.ts";
import { RAILS_BREAKS } from "./rails.ts";
import { RAILS_KINDS_BREAKS } from "./rails-kinds.ts";
import { ROW_BREAKS } from "./rows.ts";
import { SEALED_KEY_BREAKS } from "./sealed-keys.ts";
import { SECRET_BREAKS } from "./secrets.ts";
import { SIGNATURE_BREAKS } from "./signatures.ts";
import { STAGE_BREAKS } from "./stages.ts";
import { STOP_BREAKS } from "./stops.ts";
import { TEXT_BREAKS } from "./texts.ts";
import { TOLD_BREAKS } from "./told.ts";
import { VICTIM_BREAKS } from "./victim.ts";
import { WAYS_ROUND_RAILS } from "./ways-round-rails.ts";
import { WHOLE_TRADE_BREAKS } from "./whole-trades.ts";
import { WHOSE_BREAKS } from "./whose.ts";

export const BREAKS: readonly Break[] = [
  ...API_KEY_BREAKS,
  ...WHOSE_BREAKS,
  ...GRANT_BREAKS,
  ...SIGNATURE_BREAKS,
  ...SEALED_KEY_BREAKS,
  ...OPEN_KEY_BREAKS,
  ...SECRET_BREAKS,
  ...MACHINE_BREAKS,
  ...DOOR_BREAKS,
  ...ANSWER_BREAKS,
  ...LIMIT_BREAKS,
  ...EXCHANGE_BREAKS,
  ...TOLD_BREAKS,
  ...AUDIT_BREAKS,
  ...TEXT_BREAKS,
  ...ROW_BREAKS,
  ...STAGE_BREAKS,
  ...VICTIM_BREAKS,
  ...ORDER_BREAKS,
  ...PROMISE_BREAKS,
  ...MARKET_BREAKS,
  ...STOP_BREAKS,
  ...RAILS_BREAKS,
  ...BOT_BOOKS_BREAKS,
  ...DOORS_OF_THE_GATE,
  ...RAILS_KINDS_BREAKS,
  ...WAYS_ROUND_RAILS,
  ...HOOK_BREAKS,
  ...NOTICE_BREAKS,
  ...MCP_BREAKS,
  ...PROPOSAL_BREAKS,
  ...WHOLE_TRADE_BREAKS,
  ...CLIENT_BREAKS,
];

/** Rows that nothing can be broken of, and why. */
export const UNBROKEN: Readonly<Record<string, string>> = {
  S49: "a document: what it names is broken in other rows",
};
