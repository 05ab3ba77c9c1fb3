/** What bots do that is no order, by what the exchange has executed: each has a figure that no other wish of its account has. */
import type { Ask } from "./front.ts";
import { units } from "./truth.ts";
import type { Execution } from "./venue.ts";
import type { Known, Wish } from "./wishes.ts";

type Asked = Extract<Ask, { kind: "leverage" | "margin" | "twap" }>;

/** `twapId`: of a TWAP that runs from now on. */
export type Operation = { wish: Wish; ask: Asked; twapId: number | null };

const KINDS: ReadonlySet<Wish["kind"]> = new Set(["leverage", "margin", "twap"]);
/** They ask for nothing that has been told. */
const NOTHING_KNOWN: Known = { orderId: () => null, twapId: () => null };

/** By what was executed; null for what is none, was refused, or that nobody has wished for. */
export function operationsBy(wishes: readonly Wish[]): (execution: Execution) => Operation | null {
  const asked = wishes.flatMap((wish) => {
    const ask = KINDS.has(wish.kind) ? wish.ask(NOTHING_KNOWN) : null;
    return ask === null ? [] : [{ wish, ask: ask as Asked }];
  });
  return ({ signer, input: { action }, reply, isAdmitted }) => {
    if (!isAdmitted || reply.status !== "ok") return null;
    const own = asked.find(({ wish, ask }) => wish.party.agent === signer && isOf(ask, action));
    if (own === undefined) return null;
    if (reply.response.type !== "twapOrder") return { ...own, twapId: null };
    const { status } = reply.response.data;
    return "running" in status ? { ...own, twapId: status.running.twapId } : null;
  };
}

const MICRO_DOLLARS = 1_000_000;

function isOf(ask: Asked, action: Execution["input"]["action"]): boolean {
  switch (ask.kind) {
    case "twap":
      return action.type === "twapOrder" && units(action.twap.s) === units(ask.size);
    case "leverage":
      return action.type === "updateLeverage" && action.leverage === ask.leverage;
    case "margin":
      return (
        action.type === "updateIsolatedMargin" && Number(action.ntli) === Math.round(Number(ask.amount) * MICRO_DOLLARS)
      );
  }
}
