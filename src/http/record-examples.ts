import { EXAMPLE_OPERATION } from "./examples.ts";

export const EXAMPLE_LISTED_OPERATION = {
  ...EXAMPLE_OPERATION,
  market: "BTC",
  key_hash: "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d",
  leverage: 5,
  margin_type: "cross",
  amount: null,
  side: null,
  size: null,
  duration_minutes: null,
  randomize: null,
  reduce_only: null,
  twap_id: null,
  created_at: "2026-11-21T09:30:00.125Z",
};
