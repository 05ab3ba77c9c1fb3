/** What clients want in one word: at market, closed, canceled together, several at once, and trades with what protects them. */
import type { Side } from "../../src/core/order.ts";
import { type Chance, openChance } from "./chance.ts";
import type { Ask } from "./front.ts";
import { PARTIES } from "./template.ts";
import { type Apart, type Base, type Known, MIDDLE, type Part, placing, type Wish } from "./wishes.ts";

/** Bits by which the seed of these differs from the seed of everything else. */
const WHOLE_STREAM = 0x3401_0000;
/** Share of the runs that have them. */
const SHARE = 0.3;
/** And of those the ones that have nothing else, so that a trade meets an account that holds nothing. */
const ALONE = 0.5;
/** So many of a run, at most. */
const MAX_WHOLE = 5;
const MAX_BATCH = 5;
/** Numbers of parts begin here, so many apart. */
const FIRST_PART = 1_000;
const PARTS_APART = 50;

type WholeRun = { wishes: Wish[]; hasWhole: boolean };

export function hasWhole(seed: number): boolean {
  return openChance(seed ^ WHOLE_STREAM).isLucky(SHARE);
}

/** A stream of its own: runs without them are as they were. */
export function drawWhole(seed: number, wishes: Wish[], faultsEndMs: number): WholeRun {
  const chance = openChance(seed ^ WHOLE_STREAM);
  if (!chance.isLucky(SHARE)) return { wishes, hasWhole: false };
  const all = chance.isLucky(ALONE) ? [] : [...wishes];
  const isHasty = chance.isLucky(0.4);
  for (let left = chance.between(2, MAX_WHOLE); left > 0; left -= 1) {
    const number = all.length;
    const party = chance.isLucky(0.75) ? PARTIES[0] : PARTIES[1];
    if (party === undefined) throw new Error("bug: a run without parties");
    const before = all.at(-1);
    const atMs =
      isHasty && before !== undefined
        ? before.atMs + chance.between(0, 400)
        : chance.between(0, Math.floor(faultsEndMs * 0.8));
    all.push(
      whole(chance, { number, key: `key-${number}-${chance.between(1_000, 9_999)}`, party, by: party, atMs }, all),
    );
  }
  return { wishes: all, hasWhole: true };
}

function whole(chance: Chance, base: Base, wishes: readonly Wish[]): Wish {
  const own = wishes.filter(({ party }) => party === base.party);
  const trades = own.filter(({ kind }) => kind === "trade");
  const kinds = ["market", "market", "close", "close", "batch", "batch", "trade", "trade", "cancel_all"] as const;
  const later = trades.length > 0 ? (["trade_cancel", "trade_modify", "trade_modify", "close"] as const) : [];
  const kind = chance.pick([...kinds, ...later]);
  const plain = { ...base, price: null, target: null };
  switch (kind) {
    case "market": {
      const [side, size, bps] = [sideOf(chance), sizeOf(chance), chance.pick([10, 50, 50, 300])];
      const ask: Ask = { kind, market: "BTC", side, size, reduceOnly: chance.isLucky(0.1), bps };
      return { ...plain, kind, ask: () => ask };
    }
    case "close": {
      const fraction = chance.pick(["1", "1", "0.5", "0.3"]);
      const ask: Ask = { kind, market: "BTC", fraction, keepsTriggers: chance.isLucky(0.2) };
      return { ...plain, kind, ask: () => ask };
    }
    case "cancel_all": {
      const ask: Ask = { kind, touches: chance.pick(["own", "own", "own", "all"]) };
      return { ...plain, kind, ask: () => ask };
    }
    case "batch":
      return batch(chance, base);
    case "trade":
      return trade(chance, base);
    case "trade_cancel":
    case "trade_modify":
      return changing(chance, kind, base, chance.pick(trades));
  }
}

function sideOf(chance: Chance): Side {
  return chance.pick(["buy", "sell"]);
}

function sizeOf(chance: Chance): string {
  return `0.0${chance.between(1, 9)}${chance.between(100, 999)}`;
}

/** Of one action: resting ones, taking ones, and now and then a trigger. */
function batch(chance: Chance, base: Base): Wish {
  const parts = Array.from({ length: chance.between(1, MAX_BATCH) }, (_, index): Wish => {
    const part = partOf(base, index, { of: base.number, as: "batched", index });
    return placing(chance, part, apartAt(base.number * MAX_BATCH + index));
  });
  const orders = parts.flatMap(({ ask }) => placed(ask(NOTHING_KNOWN)));
  const ask: Ask = { kind: "batch", orders };
  return { ...base, kind: "batch", price: null, target: null, parts, ask: () => ask };
}

/** Beyond the prices of all other wishes. */
function apartAt(nth: number): Apart {
  return { resting: 200 + nth, crossing: 1_000 + nth };
}

/** Limits of triggers lie at every eleventh dollar from here on, nine of them. */
const TRIGGERS = { from: 350, apart: 11, count: 9 };

function beyondTriggers({ resting, crossing }: Apart): Apart {
  const past = resting - TRIGGERS.from;
  const isTaken = past >= 0 && past % TRIGGERS.apart === 0 && past / TRIGGERS.apart < TRIGGERS.count;
  return { resting: isTaken ? resting + TRIGGERS.apart * TRIGGERS.count : resting, crossing };
}

const NOTHING_KNOWN: Known = { orderId: () => null, twapId: () => null };

function placed(ask: Ask | null): Extract<Ask, { kind: "batch" }>["orders"][number][] {
  if (ask?.kind !== "place") throw new Error("bug: a part that places nothing");
  const { kind: _kind, ...terms } = ask;
  return [terms];
}

function partOf<T extends Part>(base: Base, index: number, part: T): Base & { part: T } {
  return { ...base, number: FIRST_PART + base.number * PARTS_APART + index, part };
}

/** How far triggers of guards lie from the middle, dollars; ten apart. */
const GUARD_DISTANCE = 600;

function triggerPrice(side: Side, as: "stop" | "profit", number: number): string {
  const isBelow = (side === "buy") === (as === "stop");
  return String(MIDDLE + (isBelow ? -1 : 1) * (GUARD_DISTANCE + 10 * number));
}

type Guarding = { side: Side; trade: number; hasStop: boolean; hasProfit: boolean };

function guards(base: Base, { side, trade: of, hasStop, hasProfit }: Guarding): Wish[] {
  const kinds = [...(hasStop ? (["stop"] as const) : []), ...(hasProfit ? (["profit"] as const) : [])];
  return kinds.map((as, index) => {
    const part = { of, as, triggerPrice: triggerPrice(side, as, base.number) };
    return { ...partOf(base, index + 1, part), kind: "place", ask: () => null, price: null, target: null };
  });
}

function trade(chance: Chance, base: Base): Wish {
  const apart = beyondTriggers(apartAt(FIRST_TRADE + base.number));
  const entry = placing(chance, partOf(base, 0, { of: base.number, as: "entry" }), apart);
  const [terms] = placed(entry.ask(NOTHING_KNOWN));
  if (terms === undefined || entry.price === null) throw new Error("bug: an entry without terms");
  const { market, side, size, timeInForce } = terms;
  const hasProfit = chance.isLucky(0.6);
  const parts = [entry, ...guards(base, { side, trade: base.number, hasStop: true, hasProfit })];
  const stop = triggerPrice(side, "stop", base.number);
  const profit = hasProfit ? triggerPrice(side, "profit", base.number) : null;
  const ask: Ask = { kind: "trade", market, side, size, price: entry.price, timeInForce, stop, profit };
  return { ...base, kind: "trade", price: null, target: null, parts, ask: () => ask };
}

/** Beyond those of all entries of batches. */
const FIRST_TRADE = 150;

function changing(chance: Chance, kind: "trade_cancel" | "trade_modify", base: Base, target: Wish): Wish {
  const atMs = Math.max(base.atMs, target.atMs + chance.between(0, 8_000));
  const plain = { ...base, atMs, kind, price: null, target: target.number };
  if (kind === "trade_cancel") {
    const ask = (known: Known): Ask | null => withId(known, target, (id) => ({ kind, id }));
    return { ...plain, ask };
  }
  const asked = target.ask(NOTHING_KNOWN);
  const side = asked?.kind === "trade" ? asked.side : "buy";
  const [hasStop, hasProfit] = chance.pick([
    [true, false],
    [true, true],
    [false, true],
  ] as const);
  const parts = guards(base, { side, trade: target.number, hasStop, hasProfit });
  const at = (as: "stop" | "profit", has: boolean) => (has ? triggerPrice(side, as, base.number) : null);
  const [stop, profit] = [at("stop", hasStop), at("profit", hasProfit)];
  return { ...plain, parts, ask: (known) => withId(known, target, (id) => ({ kind, id, stop, profit })) };
}

function withId(known: Known, { number }: Wish, ask: (id: string) => Ask): Ask | null {
  const id = known.orderId(number);
  return id === null ? null : ask(id);
}
