import type { VenueEvent } from "../engine/event.ts";
import { fillRow } from "../info/fill-shapes.ts";
import { sliceRows } from "../info/fills.ts";
import { fundingDelta } from "../info/ledger.ts";
import { usdText } from "../info/number-format.ts";
import { twapHistoryRow } from "../info/twaps.ts";

/** Messages of the channel `user`: one for each kind of event, and none says whose it is. */
export function userEvents(events: readonly VenueEvent[], user: string): unknown[] {
  const own = events.filter((event) => "user" in event && event.user === user);
  const fills = own.flatMap((event) => (event.kind === "fill" ? [event.fill] : []));
  const slices = sliceRows(fills);
  const cancels = own.flatMap((event) =>
    event.kind === "nonUserCancel" ? [{ coin: event.coin, oid: event.oid }] : [],
  );
  const history = own.flatMap((event) => (event.kind === "twap" ? [twapHistoryRow(event.row)] : []));
  return [
    ...(fills.length > 0 ? [{ fills: fills.map(fillRow) }] : []),
    ...own.flatMap((event) => (event.kind === "funding" ? [{ funding: fundingOf(event) }] : [])),
    ...events.flatMap((event) => (event.kind === "liquidation" ? liquidationOf(event, user) : [])),
    ...(cancels.length > 0 ? [{ nonUserCancel: cancels }] : []),
    ...(history.length > 0 ? [{ twapHistory: history }] : []),
    ...(slices.length > 0 ? [{ twapSliceFills: slices }] : []),
  ];
}

function fundingOf({ payment }: Extract<VenueEvent, { kind: "funding" }>): unknown {
  return { time: payment.timeMs, ...fundingDelta(payment), nSamples: null };
}

function liquidationOf(event: Extract<VenueEvent, { kind: "liquidation" }>, user: string): unknown[] {
  if (event.liquidatedUser !== user && event.liquidator !== user) return [];
  return [
    {
      liquidation: {
        lid: event.lid,
        liquidator: event.liquidator,
        liquidated_user: event.liquidatedUser,
        liquidated_ntl_pos: usdText(event.liquidatedNotional),
        liquidated_account_value: usdText(event.accountValue),
      },
    },
  ];
}
