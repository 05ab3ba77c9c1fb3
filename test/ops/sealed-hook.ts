import type { Hook } from "../../src/core/hook/hook.ts";
import { ACCOUNT } from "./sealed-directory.ts";

export const HOOK: Hook = {
  id: "8f3abd85-9c3b-4c6e-8f88-3bae4e5d7fc3",
  accountId: ACCOUNT,
  name: "chart",
  keyHash: "ab".repeat(32),
  secretHash: "cd".repeat(32),
  mode: "target",
  market: "BTC",
  maxAgeMs: 60_000,
  sameWithinMs: 60_000,
  maxSlippageBps: 50,
  sources: "203.0.113.7/32",
  isRehearsal: false,
  state: "active",
  createdAtMs: 1,
};
