/** How each driver is driven: a line of JSON in, a line of JSON out, one at a time, so that the others stand still. */
import { createInterface } from "node:readline";

export type Load = {
  /**
   * `place` is what is compared, by the HTTP client that the libraries have as well; `bare` is a round trip to the exchange
   * with it. The others are of the gateway alone, over sockets of our own.
   */
  what:
    | "place"
    | "bare"
    | "placeRaw"
    | "bareRaw"
    | "read"
    | "list"
    | "deep"
    | "open"
    | "positions"
    | "account"
    | "health";
  count: number;
  inFlight: number;
  /** Before each of them, milliseconds; not part of what is measured. */
  pauseMs?: number;
};

export type Loaded = {
  /** Of each request, milliseconds. */
  latenciesMs: number[];
  /** Of all of them together, milliseconds. */
  elapsedMs: number;
};

/** Keeps `inFlight` calls going until `count` have ended; `once` gets the number of its lane. Throws what it throws. */
async function measure({ count, inFlight, pauseMs = 0 }: Load, once: (lane: number) => Promise<void>): Promise<Loaded> {
  const latenciesMs: number[] = [];
  let begun = 0;
  async function lane(number: number): Promise<void> {
    while (begun < count) {
      begun += 1;
      if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
      const startedMs = performance.now();
      await once(number);
      latenciesMs.push(performance.now() - startedMs);
    }
  }
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number)));
  return { latenciesMs, elapsedMs: performance.now() - startedMs };
}

/** Answers loads until its input ends. */
export async function serveLoads(callOf: (load: Load) => (lane: number) => Promise<void>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    // Only `openDriver` writes to our input.
    const load = JSON.parse(line) as Load;
    const { latenciesMs, elapsedMs } = await measure(load, callOf(load));
    const rounded = latenciesMs.map((ms) => Math.round(ms * 1_000) / 1_000);
    process.stdout.write(`${JSON.stringify({ latenciesMs: rounded, elapsedMs })}\n`);
  }
}
