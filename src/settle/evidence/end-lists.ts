import { type ListWord, listWord, type RecordedOrder, type WholeList } from "../../core/end-evidence.ts";
import { dexOf } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { type FrontendOrder, type OrderRecord, parseHistoricalOrders } from "../../wire/answer/order-status.ts";
import { readListed } from "../look/listed.ts";

/**
 * Lists of an account that were read for ends, the newest of each kind: orders that end in one moment share them. That an order is over a
 * list tells whenever it was read; one that does not is read anew a moment later.
 */
export type EndLists = {
  /** The list of open orders of its dex, and what it says of the end; null when it could not be read. */
  open(
    world: ToAsk,
    about: EndAbout,
    options: InfoOptions,
  ): Promise<{ word: ListWord; shown: FrontendOrder | null } | null>;
  /** The newest row of the history of the order; null where it has none. */
  past(world: ToAsk, about: EndAbout, options: InfoOptions): Promise<OrderRecord | null | "unread">;
};

type ToAsk = With<"clock" | "exchange">;

/** Whose order it is, its market, and what its record tells. */
export type EndAbout = RecordedOrder & { user: string; market: string };

export function endAbout(user: string, { order, statusTimestampMs }: OrderRecord): EndAbout {
  const times = { placedAtMs: order.timestampMs, endedAtMs: statusTimestampMs };
  return { user, market: order.coin, oid: order.oid, ...times };
}

/** Shortest time between two readings of one list, milliseconds: one weighs as much as ten looks. */
const SHARED_FOR_MS = 900;
/** Lists that are remembered of each kind; past it the oldest goes. */
const MAX_REMEMBERED = 200;

type Kept<T> = { askedElapsedMs: number; askedAtMs: number; answer: Promise<readonly T[] | null> };

export function keepEndLists(): EndLists {
  const lists = new Map<string, Kept<FrontendOrder>>();
  const histories = new Map<string, Kept<OrderRecord>>();

  async function wordOf(kept: Kept<FrontendOrder>, about: EndAbout) {
    const orders = await kept.answer;
    if (orders === null) return null;
    const list: WholeList = { orders, askedAtMs: kept.askedAtMs };
    return { word: listWord(list, about), shown: orders.find(({ oid }) => oid === about.oid) ?? null };
  }

  return {
    async open(world, about, options) {
      const { user, market } = about;
      const name = `${user} ${dexOf(market)}`;
      const known = lists.get(name);
      const told = known === undefined ? null : await wordOf(known, about);
      if (told?.word === "lacks") return told;
      const ask = () => readListed(world, { user }, { order: { coin: market }, options });
      return wordOf(newest(world, lists, name, ask), about);
    },
    async past(world, { user, oid }, options) {
      const ask = async () => {
        const outcome = await world.exchange.info({ type: "historicalOrders", user }, options);
        return outcome.kind === "ok" ? parseHistoricalOrders(outcome.json) : null;
      };
      const history = await newest(world, histories, user, ask).answer;
      if (history === null) return "unread";
      const rows = history.filter(({ order }) => order.oid === oid);
      return rows.toSorted((a, b) => b.statusTimestampMs - a.statusTimestampMs)[0] ?? null;
    },
  };
}

/** The last reading, or one of now where that is over; one that failed is nobody's. */
function newest<T>(
  { clock, exchange }: ToAsk,
  kept: Map<string, Kept<T>>,
  name: string,
  ask: () => Promise<readonly T[] | null>,
): Kept<T> {
  const known = kept.get(name);
  if (known !== undefined && clock.elapsedMs() - known.askedElapsedMs < SHARED_FOR_MS) return known;
  const asked = { askedElapsedMs: clock.elapsedMs(), askedAtMs: exchange.nowMs(), answer: ask() };
  kept.delete(name);
  kept.set(name, asked);
  const [oldest] = kept.keys();
  if (kept.size > MAX_REMEMBERED && oldest !== undefined) kept.delete(oldest);
  const forget = () => {
    if (kept.get(name) === asked) kept.delete(name);
  };
  asked.answer.then((answer) => (answer === null ? forget() : undefined), forget);
  return asked;
}
