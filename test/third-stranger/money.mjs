// Money and position follow a fill.
import { byCoin, round } from "./markets.mjs";

const TAKER_FEE = 0.00045;
const MAKER_FEE = 0.00015;

export function settleFill(engine, order, { sz, px, isTaker, twapId = null }) {
  const market = byCoin.get(order.coin);
  const { oid, cloid, coin, buy, origin, ro } = order;
  const fee = round(sz * px * (isTaker ? TAKER_FEE : MAKER_FEE), 6);
  const row = { at: Date.now(), time: engine.now(), oid, cloid, coin, buy, sz, px, fee, isTaker, origin, ro, twapId };
  Object.assign(row, { tid: engine.nextTid++, start: 0, pnl: 0 });
  if (market.dex === "spot") onSpot(engine, row);
  else onPerpetual(engine, row, market);
  return row;
}

// Of what is bought the exchange keeps its fee in that token, where a scene asks for that.
function onSpot({ spot, spotFeeInBase }, row) {
  const sign = row.buy ? 1 : -1;
  row.start = spot.PURR;
  row.feeInBase = spotFeeInBase && row.buy ? round(row.fee / row.px, 5) : 0;
  spot.PURR = round(spot.PURR + sign * row.sz - row.feeInBase);
  spot.USDC = round(spot.USDC - sign * row.sz * row.px - (row.feeInBase > 0 ? 0 : row.fee));
  if (row.feeInBase > 0) row.fee = row.feeInBase;
}

function onPerpetual(engine, row, { dex }) {
  const position = engine.positionOf(row.coin);
  const sign = row.buy ? 1 : -1;
  const size = Math.abs(position.szi);
  const closing = position.szi * sign < 0 ? Math.min(size, row.sz) : 0;
  const opening = round(row.sz - closing);
  row.start = position.szi;
  row.pnl = round(closing * (row.px - position.entry) * Math.sign(position.szi), 6);
  moveMargin(engine, position, { opening, closing, px: row.px });
  const begins = closing > 0 || size === 0;
  if (opening > 0) position.entry = begins ? row.px : (position.entry * size + opening * row.px) / (size + opening);
  position.szi = round(position.szi + sign * row.sz);
  engine.cash[dex] = round(engine.cash[dex] + row.pnl - row.fee);
}

function moveMargin(engine, position, { opening, closing, px }) {
  const { isCross, leverage } = engine.settingOf(position.coin);
  if (isCross) return;
  if (closing > 0) position.margin = round(position.margin * (1 - closing / Math.abs(position.szi)), 6);
  if (opening > 0) position.margin = round(position.margin + (opening * px) / leverage, 6);
}
