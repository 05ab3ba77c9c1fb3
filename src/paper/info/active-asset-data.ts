import { openAccount } from "../engine/accounts.ts";
import { leverageSetting } from "../engine/leverage-setting.ts";
import { availableToTrade } from "../engine/margin.ts";
import type { PerpMarket, Venue, VenueAccount } from "../engine/state.ts";
import { address, required, text } from "../exchange/decode.ts";
import { marketOf } from "./books.ts";
import { numberText, usdText } from "./number-format.ts";
import { infoRequest } from "./request.ts";

/** Works without a position; perpetuals only. */
export const activeAssetData = infoRequest(
  { user: required(address), coin: required(text) },
  ({ venue }, { user, coin }) => activeAssetOf(venue, user, coin),
);

export function activeAssetOf(venue: Venue, user: string, coin: string): unknown {
  const market = marketOf(venue, coin);
  if (market?.kind !== "perp") return null;
  const account = venue.accounts.get(user) ?? null;
  const available = account === null ? 0n : availableToTrade(venue, account, market.dex);
  const setting = account === null ? defaultSetting(venue, market) : leverageSetting(account, market);
  const size = maxTradeSize(market, available * BigInt(setting.leverage));
  return {
    user,
    coin,
    leverage: leverageText(account, market, setting),
    maxTradeSzs: [numberText(size), numberText(size)],
    availableToTrade: [usdText(available), usdText(available)],
    markPx: numberText(market.markPrice),
  };
}

type AssetSetting = { readonly isCross: boolean; readonly leverage: number };

/** What somebody has who is not known: an account of a venue that is thrown away. */
function defaultSetting(venue: Venue, market: PerpMarket): AssetSetting {
  return leverageSetting(openAccount({ ...venue, accounts: new Map() }, ""), market);
}

function leverageText(account: VenueAccount | null, market: PerpMarket, setting: AssetSetting): unknown {
  if (setting.isCross) return { type: "cross", value: setting.leverage };
  const position = account?.positions.get(market.asset);
  const rawUsd = position === undefined ? 0n : position.isolatedMargin - position.signedEntry;
  return { type: "isolated", value: setting.leverage, rawUsd: usdText(rawUsd) };
}

/** Cut to the lot of the market. */
function maxTradeSize(market: PerpMarket, notional: bigint): bigint {
  if (market.markPrice === 0n) return 0n;
  const size = (notional * 100_000_000n) / market.markPrice;
  const lot = 10n ** BigInt(8 - market.szDecimals);
  return size - (size % lot);
}
