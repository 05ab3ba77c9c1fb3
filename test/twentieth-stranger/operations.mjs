// What an operation asked for and what an action of the exchange did, under one name.
import { parse } from "./figures.mjs";

export function operationName(one) {
  if (one.action === "leverage") return `leverage ${one.market} ${one.leverage} ${one.margin_type}`;
  if (one.action === "isolated_margin") return `margin ${one.market} ${parse(one.amount)}`;
  if (one.action === "twap") return `twap ${one.market} ${one.side} ${parse(one.size)} ${one.duration_minutes}`;
  return `twapCancel ${one.twap_id}`;
}

export function actionName(action, truth) {
  const coin = (asset) => [...truth.markets.values()].find((market) => market.asset === asset)?.coin;
  if (action.type === "updateLeverage")
    return `leverage ${coin(action.asset)} ${action.leverage} ${action.isCross ? "cross" : "isolated"}`;
  if (action.type === "updateIsolatedMargin") return `margin ${coin(action.asset)} ${BigInt(action.ntli) * 1_000_000n}`;
  if (action.type === "twapOrder")
    return `twap ${coin(action.twap.a)} ${action.twap.b ? "buy" : "sell"} ${parse(action.twap.s)} ${action.twap.m}`;
  return action.type === "twapCancel" ? `twapCancel ${action.t}` : "";
}

export function succeeded(answer) {
  if (answer?.status !== "ok") return false;
  const status = answer.response.data?.status;
  return status === undefined || status === "success" || status.running !== undefined;
}
