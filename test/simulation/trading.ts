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
  const limit = (isBuy: boolean, price: number, thousandths: number, tif: "Gtc" | "Ioc") => ({
    type: "order" as const,
    orders: [
      {
        a: 0,
        b: isBuy,
        p: String(price),
        s: `0.${String(thousandths).padStart(3, "0")}`,
        r: false,
        t: { limit: { tif } },
        c: null,
      },
    ],
    grouping: "na" as const,
    builder: null,
  });
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
