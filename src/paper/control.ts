/** POST /control: what a test changes while the exchange runs. Off unless asked for. */

import { parseDecimal, toUnits } from "../core/decimal.ts";
import { type HttpAnswer, jsonAnswer } from "./answers.ts";
import { type Desk, faultsInForce } from "./desk.ts";
import {
  address,
  boolean,
  type Decoded,
  decimalText,
  list,
  MISMATCH,
  optional,
  required,
  struct,
  text,
  u32,
} from "./exchange/decode.ts";
import type { ExactJson } from "./exchange/json-text.ts";
import { parseFaults } from "./faults.ts";
import { plainValue } from "./plain-value.ts";
import { commit, nowMs } from "./runtime.ts";
import { end, type Hub } from "./ws.ts";

const Price = struct({ coin: required(text), price: required(decimalText) }, "refuse");

/** Everything is optional and done in this order. */
const Command = struct(
  {
    faults: optional((json: ExactJson): Decoded<ExactJson> => json),
    fund: optional(list(address)),
    prices: optional(list(Price)),
    dropAgent: optional(address),
    postOnlyMs: optional(u32),
    closeSockets: optional(boolean),
  },
  "refuse",
);

const ABNORMAL_CODE = 1_011;

/** `{"status":"ok"}`, or what was wrong with the command; then nothing of it was done. */
export function controlAnswer(desk: Desk, hub: Hub, json: ExactJson): HttpAnswer {
  const command = Command(json);
  if (command === MISMATCH) return refusal("unknown or wrong member");
  const { runtime } = desk;
  const { venue } = runtime.world;
  const atMs = nowMs(runtime);
  const unknown = command.prices?.find(({ coin }) => !venue.assetOfCoin.has(coin));
  if (unknown !== undefined) return refusal(`no market ${unknown.coin}`);
  if (command.faults !== undefined) {
    try {
      Object.assign(desk, faultsInForce(runtime, parseFaults(plainValue(command.faults))));
    } catch (mistake) {
      return refusal(mistake instanceof Error ? mistake.message : "wrong faults");
    }
  }
  for (const user of command.fund ?? []) commit(runtime, { kind: "fund", user, atMs });
  for (const { coin, price } of command.prices ?? []) {
    const value = parseDecimal(price);
    if (value !== null) commit(runtime, { kind: "price", coin, price: toUnits(value, 8), atMs });
  }
  if (command.dropAgent !== undefined) commit(runtime, { kind: "dropAgent", agent: command.dropAgent, atMs });
  if (command.postOnlyMs !== undefined) commit(runtime, { kind: "postOnly", untilMs: atMs + command.postOnlyMs });
  if (command.closeSockets) for (const one of [...hub.connections]) end(hub, one, ABNORMAL_CODE, "Closed by control");
  return jsonAnswer({ status: "ok" });
}

function refusal(text: string): HttpAnswer {
  return { ...jsonAnswer({ status: "err", response: text }), status: 422 };
}
