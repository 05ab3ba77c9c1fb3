/** Every file that an account may read. */
export const FILES = ["orders", "fills", "operations"].flatMap((list) =>
  ["csv", "jsonl"].map((format) => `GET /v1/exports/${list}.${format}`),
);
