/**
 * What a bot holds by its own fills, as the auditor works it out from the exchange's log: the signed sum of all of them. What only reduces and was
 * filled beyond its flat has closed what others held, and is a short of its own.
 */
import type { Bot } from "./bots.ts";
import { START_MS } from "./template.ts";
import { isSpotAsset } from "./truth.ts";
import type { Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";
import { takenOf, type Withdrawing } from "./withdrawn.ts";

type Party = Wish["party"];
type Fill = ReturnType<Venue["fillsOf"]>[number];

/** Each fill of an account on perpetuals, with what the bot held in its market before and after it. Signed, 10^-8. */
export function fillsWithOwn(
  run: Withdrawing,
  party: Party,
  bot: Bot | null,
): { fill: Fill; was: bigint; own: bigint }[] {
  const taken = bot === null ? [] : takenOf(run, bot);
  const orders = new Set(taken.flatMap(({ oid }) => oid ?? []));
  const twaps = new Set(taken.flatMap(({ twapId }) => twapId ?? []));
  const nets = new Map<string, bigint>();
  const fills = run.venue.fillsOf(party.account.tradingAddress).filter(({ asset }) => !isSpotAsset(asset));
  return fills.map((fill) => {
    const { coin, size, isBuy, oid, twapId } = fill;
    const isOwn = orders.has(oid) || (twapId !== null && twaps.has(twapId));
    const was = nets.get(coin) ?? 0n;
    const own = isOwn ? was + (isBuy ? size : -size) : was;
    nets.set(coin, own);
    return { fill, was, own };
  });
}

/** All that it has held in a market within some time, milliseconds of the run; what it held at its begin among it. */
export function ownWithin(
  run: Withdrawing,
  bot: Bot,
  { coin, fromMs, toMs }: { coin: string; fromMs: number; toMs: number },
): bigint[] {
  const all = fillsWithOwn(run, bot.party, bot).filter(({ fill }) => fill.coin === coin);
  const before = all.findLast(({ fill }) => fill.timeMs - START_MS <= fromMs)?.own ?? 0n;
  const within = all.filter(({ fill: { timeMs } }) => timeMs - START_MS > fromMs && timeMs - START_MS <= toMs);
  return [before, ...within.map(({ own }) => own)];
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
