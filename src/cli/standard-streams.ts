/**
 * The two streams that a command writes to. A pipe takes a little at a time: a process that ends before its reader has
 * taken everything loses the rest, so it waits. What a reader who went away or a full disk did not take is told.
 */
import type { Writable } from "node:stream";

export type OutStream = {
  write(text: string): void;
  /** Resolves once nothing is left to hand over, for as long as that takes: why something was lost, or null. */
  drained(): Promise<Lost | null>;
};

/** Code of the first failed write: `EPIPE`, `ENOSPC`. */
export type Lost = { code: string };

export function openOutStream(stream: Pick<Writable, "write" | "on">): OutStream {
  let pending = 0;
  let lost: Lost | null = null;
  let emptied: () => void = () => undefined;

  function failed(error: Error): void {
    lost ??= { code: "code" in error ? String(error.code) : error.message };
  }
  // Unheard, the event is an uncaught error: a gateway has none because nobody reads its log any more.
  stream.on("error", failed);
  return {
    write(text) {
      pending += 1;
      stream.write(text, (error) => {
        if (error != null) failed(error);
        pending -= 1;
        if (pending === 0) emptied();
      });
    },
    async drained() {
      const { promise, resolve } = Promise.withResolvers<void>();
      emptied = resolve;
      if (pending > 0) await promise;
      return lost;
    },
  };
}

/** 128 and SIGPIPE: how every program ends whose reader went away. */
const READER_GONE = 141;

/**
 * The exit code once everything is handed over. A command that failed keeps its own code. Lost log lines change nothing:
 * the command has done what it was asked for.
 */
export async function handOver(exitCode: number, streams: { out: OutStream; err: OutStream }): Promise<number> {
  const lost = await streams.out.drained();
  if (lost !== null && lost.code !== "EPIPE") {
    streams.err.write(`postern: standard output could not be written: ${lost.code}. What is there is not whole\n`);
  }
  await streams.err.drained();
  if (lost === null || exitCode !== 0) return exitCode;
  return lost.code === "EPIPE" ? READER_GONE : 1;
}
