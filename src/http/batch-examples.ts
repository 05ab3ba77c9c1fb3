import { EXAMPLE_ACCOUNT_ID, EXAMPLE_ORDER, EXAMPLE_PLACE_ORDER, EXAMPLE_UNKNOWN_ORDER } from "./examples.ts";

const { account: _ACCOUNT, ...EXAMPLE_TERMS } = EXAMPLE_PLACE_ORDER;

export const EXAMPLE_PLACE_BATCH = {
  account: EXAMPLE_ACCOUNT_ID,
  orders: [EXAMPLE_TERMS, { ...EXAMPLE_TERMS, price: "64100" }],
};

const EXAMPLE_SECOND_ID = "019aa5d8-3a40-7a3e-8d2c-4f6b1e0c9a72";

export const EXAMPLE_BATCH = {
  object: "order_batch",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  orders: [
    EXAMPLE_ORDER,
    { ...EXAMPLE_ORDER, id: EXAMPLE_SECOND_ID, price: "64100", exchange_order_id: "214748364802" },
  ],
};

export const EXAMPLE_UNKNOWN_BATCH = {
  ...EXAMPLE_BATCH,
  orders: [EXAMPLE_UNKNOWN_ORDER, { ...EXAMPLE_UNKNOWN_ORDER, id: EXAMPLE_SECOND_ID, price: "64100" }],
};
