/** A list that was asked for before something was told, and comes after it, does not take that back. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { answering, forget, signedIn } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Step = (app: object) => Promise<void>;
type Take = (app: object, told: unknown) => void;
const { readHistory, readOperations, readTrades }: Record<string, Step> = await import(join(CONSOLE, "state/read.ts"));
const { remove, takeOperation, takeOrder, takeTrade }: Record<string, Take> = await import(
  join(CONSOLE, "state/apply.ts")
);

afterEach(forget);

type Row = { object: string; id: string; status: string; ended_at?: string | null };
type Lists = Record<string, { value: Row[] | null }>;

const OPEN: Row = { object: "order", id: "one", status: "open" };
const SENT: Row = { object: "operation", id: "one", status: "unknown" };
const LIVE: Row = { object: "trade", id: "one", status: "entering", ended_at: null };

test.each([
  [
    "an order that ended is not open again by the history",
    readHistory,
    "/v1/orders?limit=200",
    OPEN,
    takeOrder,
    "canceled",
  ],
  ["an operation keeps its outcome", readOperations, "/v1/operations?limit=200", SENT, takeOperation, "succeeded"],
  ["a trade that is over is not live again", readTrades, "/v1/trades?status=live&limit=500", LIVE, takeTrade, "closed"],
  ["what never left is not there again", readHistory, "/v1/orders?limit=200", OPEN, remove, "removed"],
] as const)("%s", async (...[, read, path, before, take, status]) => {
  const app = signedIn("now");
  const lists = app.state as Lists;
  for (const name of ["history", "openOrders", "operations", "trades"])
    app.state[name] = { value: [], readAtMs: 0, asOfMs: null, failure: null };
  let answer: (body: unknown) => void = () => undefined;
  answering({ [path]: new Promise((resolve) => (answer = resolve)) });
  const reading = read?.(app);
  take?.(app, status === "removed" ? before.id : { ...before, status, ended_at: "2026-11-21T09:30:00.000Z" });
  answer({ object: "list", data: [before] });
  await reading;
  const shown = ["history", "openOrders", "operations", "trades"].flatMap((name) => lists[name]?.value ?? []);
  expect(shown.filter((row) => row.status === before.status)).toEqual([]);
  // What is told once it is there is told as ever.
  expect((app.state["meanwhile"] as Set<unknown>).size).toBe(0);
});
