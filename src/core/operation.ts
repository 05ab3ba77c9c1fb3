export const OPERATION_ACTIONS = ["leverage", "isolated_margin", "twap", "twap_cancel"] as const;
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

export const OPERATION_STATUSES = ["processing", "succeeded", "rejected", "unknown"] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** The result of an action that places no order (spec 2.4). */
export type Operation = {
  id: string;
  accountId: string;
  action: OperationAction;
  /** Canonical name. */
  market: string;
  status: OperationStatus;
  /** Native id of a created TWAP, decimal digits; null otherwise. */
  exchangeId: string | null;
  error: string | null;
  createdAtMs: number;
};

/** What became of an operation, as an answer or a reading proves it. */
export type OperationEnd =
  | { status: "succeeded"; exchangeId: string | null }
  | { status: "rejected"; error: string }
  /** Not to be proven any more: nobody will look again. `exchangeId`: what the exchange made, where it is not what was asked. */
  | { status: "unknown"; error: string; exchangeId?: string };
