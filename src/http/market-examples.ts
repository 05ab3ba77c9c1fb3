/** What was traded in a market. */

export const EXAMPLE_CANDLE = {
  object: "candle",
  market: "BTC",
  interval: "1h",
  opened_at: "2026-11-21T09:00:00.000Z",
  closes_at: "2026-11-21T10:00:00.000Z",
  complete: false,
  open: "64180",
  high: "64320",
  low: "64111.5",
  close: "64250.5",
  volume: "312.40517",
  trades: 8_112,
};

export const EXAMPLE_MARKET_TRADE = {
  object: "market_trade",
  market: "BTC",
  id: "118906512037719",
  side: "buy",
  price: "64250.5",
  size: "0.02",
  transaction_hash: "0x2222222222222222222222222222222222222222222222222222222222222222",
  created_at: "2026-11-21T09:30:00.125Z",
};
