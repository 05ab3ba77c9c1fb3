/** What others do at the exchange in a run, so that the orders of the clients fill, often in parts. */
import type { Chance } from "./chance.ts";
import { PARTIES } from "./template.ts";
import type { Venue } from "./venue.ts";
import { MIDDLE } from "./wishes.ts";

export const STRANGERS = [`0x${"8".repeat(40)}`, `0x${"9".repeat(40)}`] as const;

type Trading = { timeline: { after(ms: number, run: () => void): void }; chance: Chance; untilMs: number };

/** Isolated positions in another market, so that there is margin to add to. */
export function takePositions(venue: Venue): void {
  const [maker] = STRANGERS;
  const order = (isBuy: boolean, size: string) => ({
    type: "order" as const,
    orders: [{ a: 1, b: isBuy, p: "3200", s: size, r: false, t: { limit: { tif: "Gtc" as const } }, c: null }],
    grouping: "na" as const,
    builder: null,
  });
  for (const { account } of PARTIES) {
    venue.act(account.ownerAddress, { type: "updateLeverage", asset: 1, isCross: false, leverage: 10 });
    venue.act(maker, order(false, "0.5") as unknown as Act);
    venue.act(account.ownerAddress, order(true, "0.5") as unknown as Act);
  }
}

// Decimals of these texts are canonical; the brand is the engine's.
type Act = Parameters<Venue["act"]>[1];

/** Others quote a thin book around the middle and take from it, so that orders of the clients fill, often in parts. */
export function trade(venue: Venue, { timeline, chance, untilMs }: Trading): void {
  const [maker, taker] = STRANGERS;
  const act = (who: string, action: ReturnType<typeof limit>) => void venue.act(who, action as unknown as Act);
  for (let step = chance.between(0, 12); step > 0; step -= 1) {
    timeline.after(chance.between(0, untilMs), () => {
      const isBuy = chance.isLucky(0.5);
      if (chance.isLucky(0.2)) return venue.setPrice("BTC", BigInt(MIDDLE + chance.between(-500, 500)) * 100_000_000n);
      if (chance.isLucky(0.5))
        act(maker, limit(isBuy, isBuy ? MIDDLE - 100 : MIDDLE + 100, chance.between(1, 90), "Gtc"));
      else act(taker, limit(isBuy, isBuy ? MIDDLE + 200 : MIDDLE - 200, chance.between(1, 150), "Ioc"));
    });
  }
}

/** Quotes of one run, and takings of them, at most. */
const MAX_QUOTES = 3;
const MAX_TAKINGS = 8;
/** How far from the middle the mark goes, dollars: triggers of guards lie up to 740 from it. */
const MARKS = [-900, -700, -650, 0, 0, 650, 700, 900];

/** Somebody stands on both sides all the time, takes through all that the clients have there, and the mark moves on. */
export function tradeMore(venue: Venue, { timeline, chance, untilMs }: Trading): void {
  const [maker, taker] = STRANGERS;
  const act = (who: string, action: ReturnType<typeof limit>) => void venue.act(who, action as unknown as Act);
  const quote = () => {
    for (const isBuy of [true, false])
      for (let nth = 1; nth <= MAX_QUOTES; nth += 1)
        act(maker, limit(isBuy, MIDDLE + (isBuy ? -110 : 110) * nth * nth, chance.between(10, 90), "Gtc"));
  };
  quote();
  // What is sent when the faults are over meets the mark as everywhere else.
  timeline.after(untilMs, () => venue.setPrice("BTC", BigInt(MIDDLE) * 100_000_000n));
  for (let step = chance.between(2, MAX_TAKINGS); step > 0; step -= 1) {
    timeline.after(chance.between(0, untilMs), () => {
      const isBuy = chance.isLucky(0.5);
      if (chance.isLucky(0.4)) return venue.setPrice("BTC", BigInt(MIDDLE + chance.pick(MARKS)) * 100_000_000n);
      act(taker, limit(isBuy, isBuy ? MIDDLE + 500 : MIDDLE - 500, chance.between(10, 150), "Ioc"));
      quote();
    });
  }
}

function limit(isBuy: boolean, price: number, thousandths: number, tif: "Gtc" | "Ioc") {
  const size = `0.${String(thousandths).padStart(3, "0")}`;
  const order = { a: 0, b: isBuy, p: String(price), s: size, r: false, t: { limit: { tif } }, c: null };
  return { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
}
