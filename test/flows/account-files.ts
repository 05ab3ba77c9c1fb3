/** Every file that an account may read. */
export const FILES = ["orders", "fills", "operations", "history"].flatMap((list) =>
  ["csv", "jsonl"].map((format) => `GET /v1/exports/${list}.${format}`),
);

/** Everything that was told of an account, to its end. */
export const EVENTS = "GET /v1/events?after=0&follow=false";

/** Routes that `isolation-of-hooks.test.ts` and `demo-key.test.ts` ask. */
export const ASKED_ELSEWHERE = ["GET /v1/hooks", "GET /v1/hooks/{id}/deliveries", "POST /v1/api-keys/demo"];
