import type { Hook } from "./hook.ts";

/** The message of an alert, with the placeholders of TradingView's strategies: what is pasted there. */
export function alertText({ mode, market }: Pick<Hook, "mode" | "market">): string {
  const named = { time: "{{timenow}}", market: market ?? "MARKET" };
  const order = {
    id: "{{strategy.order.id}}",
    ...named,
    side: "{{strategy.order.action}}",
    size: "{{strategy.order.contracts}}",
  };
  return JSON.stringify(mode === "target" ? { ...named, target: "{{strategy.position_size}}" } : order);
}
