import { expect, test } from "bun:test";
import { ApiError, ERROR_STATUS, ERROR_TYPE, type ErrorCode } from "../../src/core/errors.ts";

test("every code has a status that the specification lists, and waiting times where waiting helps", () => {
  // Object.keys forgets the key type, which `satisfies` has checked.
  for (const code of Object.keys(ERROR_STATUS) as ErrorCode[]) {
    expect(ERROR_TYPE[ERROR_STATUS[code]]).toBeString();
    const ofOurs = ["rate_limited", "not_ready", "draining", "idempotency_in_progress"];
    const waits = [
      ...ofOurs,
      "rails_unproven",
      "book_stale",
      "close_in_progress",
      "exchange_rate_limited",
      "exchange_unreachable",
    ];
    expect(new ApiError(code, "m").retryAfterS !== null).toBe(waits.includes(code));
  }
  expect(new ApiError("rate_limited", "m", 7).retryAfterS).toBe(7);
});
