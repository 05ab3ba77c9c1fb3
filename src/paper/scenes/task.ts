/** What a bot is asked to do in a scene, with figures that the seed decides, and what that may lead to. */
import { type Decimal, fromUnits } from "../../core/decimal.ts";
import { type ChanceState, nextChance, startChance } from "../chance.ts";

export type Task = "place" | "follow" | "move" | "cancel" | "bracket" | "stop" | "close";

/** Every scene trades in it, at this price unless the scene moves it. Sizes and prices are counts of 10^-8. */
export const MARKET = "BTC";
export const LISTED_PRICE = 95_000n * 100_000_000n;

export type TaskTerms = {
  readonly task: Task;
  readonly isBuy: boolean;
  readonly size: bigint;
  /** Held when the bot starts, negative for a short. */
  readonly startPosition: bigint;
  /** Whole dollars; null where the task has none. */
  readonly price: number;
  readonly newPrice: number | null;
  readonly stopPrice: number | null;
  readonly takeProfitPrice: number | null;
  readonly chance: ChanceState;
};

/** Sizes are even thousandths of a coin, so that half of one can be traded. */
const THOUSANDTH = 100_000n;
const SMALLEST = 10;
const SIZES = 20;

/** Distances from the listed price on the side of a buyer; a seller's are their mirror. Dollars. */
const DISTANCES: Record<Task, { price: number; newPrice?: number; stopPrice?: number; takeProfitPrice?: number }> = {
  place: { price: 950 },
  follow: { price: -500 },
  move: { price: -500, newPrice: -400 },
  cancel: { price: -500 },
  bracket: { price: -500, stopPrice: -2_000, takeProfitPrice: 2_000 },
  // A buyer's stop lies above, and so does the worst price.
  stop: { price: 10_000, stopPrice: 500 },
  close: { price: 950 },
};
const LISTED_DOLLARS = 95_000;

/** The same seed and name give the same terms. */
export function termsOf(task: Task, name: string, seed: number): TaskTerms {
  const side = nextChance(startChance(seed ^ numberOf(name)));
  const amount = nextChance(side);
  const isBuy = side % 2 === 0;
  const size = BigInt(2 * (SMALLEST + (amount % SIZES))) * THOUSANDTH;
  const holds = task === "stop" || task === "close";
  const { price, newPrice, stopPrice, takeProfitPrice } = DISTANCES[task];
  const at = (distance: number) => LISTED_DOLLARS + (isBuy ? distance : -distance);
  return {
    task,
    isBuy,
    size,
    startPosition: holds ? (isBuy ? -size : size) : 0n,
    price: at(price),
    newPrice: newPrice === undefined ? null : at(newPrice),
    stopPrice: stopPrice === undefined ? null : at(stopPrice),
    takeProfitPrice: takeProfitPrice === undefined ? null : at(takeProfitPrice),
    chance: nextChance(amount),
  };
}

/** 32 bits of a name (FNV-1a). */
function numberOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Between these the position and what rests beside it must always lie: outside, something was done twice. */
export function boundsOf({ isBuy, size, startPosition }: TaskTerms): { low: bigint; high: bigint } {
  const goal = startPosition === 0n ? (isBuy ? size : -size) : 0n;
  const [low, high] = startPosition < goal ? [startPosition, goal] : [goal, startPosition];
  return { low, high };
}

/** What a bot says that ends with exit code 0 and no word: of a member that is null it says nothing. */
export function intentionOf(terms: TaskTerms): { position: bigint | null; open: bigint | null } {
  const whole = terms.isBuy ? terms.size : -terms.size;
  switch (terms.task) {
    case "place":
    case "follow":
      return { position: whole, open: 0n };
    case "move":
      return { position: 0n, open: terms.size };
    case "cancel":
    case "close":
      return { position: 0n, open: 0n };
    case "bracket":
    case "stop":
      return { position: null, open: null };
  }
}

export type BotPlace = {
  readonly scene: string;
  readonly url: string;
  readonly account: string;
  readonly privateKey: string;
  readonly seconds: number;
};

/** What the bot finds in its environment. */
export function environmentOf(
  terms: TaskTerms,
  { scene, url, account, privateKey, seconds }: BotPlace,
): Record<string, string> {
  const dollars = (name: string, price: number | null) => (price === null ? {} : { [name]: String(price) });
  return {
    SCENE: scene,
    SCENE_TASK: terms.task,
    SCENE_SECONDS: String(seconds),
    SCENE_NETWORK: "testnet",
    SCENE_URL: url,
    SCENE_WS_URL: `${url.replace(/^http/, "ws")}/ws`,
    SCENE_ACCOUNT: account,
    SCENE_PRIVATE_KEY: privateKey,
    SCENE_MARKET: MARKET,
    SCENE_SIDE: terms.isBuy ? "buy" : "sell",
    // The size of a position that is to be closed is the bot's to find out.
    ...(terms.task === "close" ? {} : { SCENE_SIZE: sizeText(terms.size) }),
    SCENE_PRICE: String(terms.price),
    ...dollars("SCENE_NEW_PRICE", terms.newPrice),
    ...dollars("SCENE_STOP_PRICE", terms.stopPrice),
    ...dollars("SCENE_TAKE_PROFIT_PRICE", terms.takeProfitPrice),
  };
}

export function sizeText(size: bigint): Decimal {
  return fromUnits(size, 8);
}
