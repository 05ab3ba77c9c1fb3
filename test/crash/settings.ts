/** No limit of our own gets in the way of load; durability has no switch. */
export const UNLIMITED = {
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_LIMIT_WRITES: "0",
  POSTERN_LIMIT_READS: "0",
  POSTERN_EXCHANGE_WEIGHT: "0",
  POSTERN_DEXES: "",
} as const;
