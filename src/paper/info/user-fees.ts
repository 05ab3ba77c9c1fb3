import type { DayVolume, Venue, VenueAccount } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { ratioText, usdText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

/** Days of volume in one answer. */
const MAX_DAYS = 15;

/** The public fee table: cut-off in dollars of 14 days, then perp taker and maker, spot taker and maker. */
const VIP_TIERS = [
  ["5000000.0", "0.0004", "0.00012", "0.0006", "0.0003"],
  ["25000000.0", "0.00035", "0.00008", "0.0005", "0.0002"],
  ["100000000.0", "0.0003", "0.00004", "0.0004", "0.0001"],
  ["500000000.0", "0.00028", "0.0", "0.00035", "0.0"],
  ["2000000000.0", "0.00026", "0.0", "0.0003", "0.0"],
  ["7000000000.0", "0.00024", "0.0", "0.00025", "0.0"],
] as const;
const MAKER_TIERS = [
  ["0.005", "-0.00001"],
  ["0.015", "-0.00002"],
  ["0.03", "-0.00003"],
] as const;
const STAKING_TIERS = [
  ["0.0", "0.0"],
  ["0.0001", "0.05"],
  ["0.001", "0.1"],
  ["0.01", "0.15"],
  ["0.1", "0.2"],
  ["1.0", "0.3"],
  ["5.0", "0.4"],
] as const;

/** Volume moves nobody to another tier here: everybody pays the rates of the options. */
export const userFees = infoRequest({ user: required(address) }, (context, { user }) => {
  const { venue } = context;
  const rates = rateTexts(venue);
  return {
    dailyUserVlm: dailyVolumes(venue, accountOf(context, user)),
    feeSchedule: feeSchedule(rates),
    userCrossRate: rates.cross,
    userAddRate: rates.add,
    userSpotCrossRate: rates.spotCross,
    userSpotAddRate: rates.spotAdd,
    activeReferralDiscount: ratioText(venue.options.feeDiscountE12, 6),
    trial: null,
    feeTrialEscrow: "0.0",
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: "0.0", discount: "0.0" },
  };
});

type RateTexts = { cross: string; add: string; spotCross: string; spotAdd: string };

function rateTexts({ options }: Venue): RateTexts {
  return {
    cross: ratioText(options.perpTakerRateE12, 12),
    add: ratioText(options.perpMakerRateE12, 12),
    spotCross: ratioText(options.spotTakerRateE12, 12),
    spotAdd: ratioText(options.spotMakerRateE12, 12),
  };
}

function feeSchedule(rates: RateTexts): unknown {
  return {
    ...rates,
    tiers: {
      vip: VIP_TIERS.map(([ntlCutoff, cross, add, spotCross, spotAdd]) => ({
        ntlCutoff,
        cross,
        add,
        spotCross,
        spotAdd,
      })),
      mm: MAKER_TIERS.map(([makerFractionCutoff, add]) => ({ makerFractionCutoff, add })),
    },
    referralDiscount: "0.04",
    stakingDiscountTiers: STAKING_TIERS.map(([bpsOfMaxSupply, discount]) => ({ bpsOfMaxSupply, discount })),
  };
}

function dailyVolumes(venue: Venue, account: VenueAccount | null): unknown[] {
  return (account?.volumes ?? []).slice(-MAX_DAYS).map((day) => ({
    date: new Date(day.dayStartMs).toISOString().slice(0, 10),
    userCross: usdText(day.cross),
    userAdd: usdText(day.add),
    exchange: usdText(exchangeVolume(venue, day)),
  }));
}

/** Every trade has one crossing side, so the sum of those is the exchange's volume. */
function exchangeVolume(venue: Venue, { dayStartMs }: DayVolume): bigint {
  let total = 0n;
  for (const account of venue.accounts.values()) {
    total += account.volumes.find((day) => day.dayStartMs === dayStartMs)?.cross ?? 0n;
  }
  return total;
}
