/** What happened, in the order in which it happened: the source of the websocket channels and of nothing else. */
import type {
  Address,
  LedgerRow,
  OrderSnapshot,
  TwapHistoryRow,
  VenueFill,
  VenueFundingPayment,
  VenueOrderStatus,
} from "./state.ts";

/** `users`: buyer, seller. `isBuy`: the side of the taker. */
export type VenueTrade = {
  coin: string;
  isBuy: boolean;
  price: bigint;
  size: bigint;
  timeMs: number;
  hash: string;
  tid: number;
  users: [Address, Address];
};

export type VenueEvent =
  | { kind: "order"; user: Address; order: OrderSnapshot; status: VenueOrderStatus; statusTimestampMs: number }
  | { kind: "fill"; user: Address; fill: VenueFill }
  | { kind: "trade"; trade: VenueTrade }
  | { kind: "book"; coin: string }
  | { kind: "nonUserCancel"; user: Address; coin: string; oid: number }
  | {
      kind: "liquidation";
      lid: number;
      liquidator: Address;
      liquidatedUser: Address;
      liquidatedNotional: bigint;
      accountValue: bigint;
    }
  | { kind: "funding"; user: Address; payment: VenueFundingPayment }
  | { kind: "ledger"; user: Address; row: LedgerRow }
  | { kind: "twap"; user: Address; twapId: number; row: TwapHistoryRow };
