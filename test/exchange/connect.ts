import type { Clock } from "../../src/core/clock.ts";
import { createBudget } from "../../src/exchange/budget.ts";
import { type ConnectedExchange, openExchange } from "../../src/exchange/http.ts";
import { openTransport, type Transport, type TransportInit } from "../../src/exchange/transport.ts";
import { stillClock } from "./clocks.ts";

export type ConnectOptions = { clock?: Clock; transport?: Transport; weightPerMinute?: number };

/** The exchange client as the gateway opens it, with a clock that stands unless the test moves it. */
export function connect(baseUrl: string, options: ConnectOptions = {}): ConnectedExchange {
  return openExchange({
    baseUrl,
    transport: options.transport ?? openTransport(setImmediate),
    clock: options.clock ?? stillClock(),
    budget: createBudget({ weightPerMinute: options.weightPerMinute ?? 1_200 }),
    timings: { deadlineMs: 5_000 },
  });
}

/** A transport that answers from a function and keeps what it was asked. */
export function answering(answer: (body: string) => Response | Promise<Response>): {
  transport: Transport;
  inits: TransportInit[];
} {
  const inits: TransportInit[] = [];
  return {
    inits,
    transport: async (_url, init) => {
      inits.push(init);
      return answer(init.body);
    },
  };
}
