/** Bodies that are awaited: who sends many of them slowly is in nobody's way but his own. */
import { describe, expect, test } from "bun:test";
import { ApiError } from "../../src/core/errors.ts";
import { MAX_ARRIVING, openArrivals } from "../../src/http/arrivals.ts";
import { MAX_REQUESTS_AT_ONCE } from "../../src/http/server.ts";
import { ACCOUNTS, KEYS, openRig } from "./rig.ts";

/** Reads that end when they are told to, and who was given up. */
function slowReads() {
  const arrivals = openArrivals();
  const ends: (() => void)[] = [];
  const givenUp: string[] = [];
  const take = (client: string, name: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    ends.push(() => resolve(name));
    return arrivals
      .take(
        client,
        () => promise,
        () => givenUp.push(name),
      )
      .catch((error: unknown) => (error instanceof ApiError ? error.code : "another error"));
  };
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { take, givenUp, endAll };
}

describe("where the most bodies are awaited that may be", () => {
  test("the client of whom most are awaited loses its oldest, and whoever comes is let in", async () => {
    const { take, givenUp, endAll } = slowReads();
    const honest = Array.from({ length: 12 }, (_, index) => take(`honest-${index}`, "honest"));
    const own = Array.from({ length: MAX_ARRIVING - 12 }, (_, index) => take("greedy", `greedy-${index}`));
    expect(givenUp).toEqual([]);
    const late = take("late", "late");
    const more = take("greedy", "greedy-more");
    expect(givenUp).toEqual(["greedy-0", "greedy-1"]);
    endAll();
    expect(await Promise.all(honest)).toEqual(honest.map(() => "honest"));
    expect((await Promise.all(own)).slice(0, 3)).toEqual(["too_many_connections", "too_many_connections", "greedy-2"]);
    expect(await Promise.all([late, more])).toEqual(["late", "greedy-more"]);
  });

  test("places are given back by bodies that came and by those that failed", async () => {
    const { take, givenUp, endAll } = slowReads();
    for (let round = 0; round < 3; round += 1) {
      const some = Array.from({ length: MAX_ARRIVING }, (_, index) => take("one", `${round}-${index}`));
      endAll();
      await Promise.all(some);
    }
    expect(givenUp).toEqual([]);
    const failing = openArrivals();
    for (let count = 0; count < 2 * MAX_ARRIVING; count += 1) {
      const failed = failing.take(
        "one",
        () => Promise.reject(new Error("only a test")),
        () => givenUp.push("failed"),
      );
      await expect(failed).rejects.toThrow("only a test");
    }
    expect(givenUp).toEqual([]);
  });
});

test("bodies that never come take nobody's place, and the connection of one that was given up is closed", async () => {
  const rig = openRig();
  const waiting = Array.from({ length: 3 * MAX_REQUESTS_AT_ONCE }, () => {
    const request = new Request("http://127.0.0.1:8787/v1/api-keys", {
      method: "POST",
      body: new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new TextEncoder().encode("{")) }),
      headers: { Host: "127.0.0.1:8787", "Content-Type": "application/json" },
    });
    return rig.server.handle(request, "10.0.0.1");
  });
  const order = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.001", price: "30000" };
  const placed = await rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "beside-bodies", body: order });
  expect(placed.status).toBeLessThan(300);
  expect((await rig.ask({ path: "/healthz" })).status).toBe(200);
  const given = await waiting[0];
  expect([given?.status, given?.headers.get("connection")]).toEqual([503, "close"]);
});
