/** The scenes and golden rows that the client of TypeScript is tested by, outside this runtime: in Python, and in Node.js. */
import { join } from "node:path";
import { marketResource } from "../../src/actions/list-markets.ts";
import GOLDEN from "../../test/clients/rounding.json";
import { type GoldenRow, marketOf } from "../../test/clients/rounding.ts";
import type { Scene } from "../../test/clients/scene.ts";
import { SCENES } from "../../test/clients/scenes.ts";
import { openStandIn } from "../../test/clients/stand-in.ts";

type Driver = { ask(line: object): Promise<unknown>; end(): void };

const ROOT = join(import.meta.dir, "../..");
const SILENT_AFTER_MS = 40_000;

/** Prints what does not hold; returns how much was tried, and how much of it failed. */
export async function tryElsewhere(command: readonly string[]): Promise<{ tried: number; failed: number }> {
  const driver = openDriver(command);
  try {
    const faults = [...(await roundingFaults(driver))];
    for (const scene of SCENES) faults.push(...(await sceneFaults(driver, scene)));
    for (const fault of faults) console.log(`FAILED  ${command[0]}: ${fault}`);
    return { tried: SCENES.length + GOLDEN.length, failed: faults.length };
  } finally {
    driver.end();
  }
}

async function roundingFaults(driver: Driver): Promise<string[]> {
  // Written by the test that holds it against core/market.
  const rows = GOLDEN as GoldenRow[];
  const round = rows.map(([kind, decimals, what, value, direction]) => {
    return [marketResource(marketOf(kind, decimals)), what, value, direction];
  });
  const none = { code: "rounds_to_zero", outcome: "nothing_sent", status: null };
  const wanted = rows.map(([, , , , , result]) => (result === null ? none : { result }));
  const told = (await driver.ask({ round })) as { told: unknown[] };
  return rows.flatMap((row, at) => {
    return Bun.deepEquals(told.told[at], wanted[at]) ? [] : [`${row.join(" ")}: ${JSON.stringify(told.told[at])}`];
  });
}

async function sceneFaults(driver: Driver, scene: Scene): Promise<string[]> {
  const { calls, told, asked, slept, silentAfterMs = SILENT_AFTER_MS } = scene;
  const standIn = await openStandIn(scene);
  try {
    const was = { ...((await driver.ask({ url: standIn.url, calls, silentAfterMs })) as object), asked: standIn.asked };
    const isAsWanted = Bun.deepEquals(was, { told, asked, slept });
    return isAsWanted ? [] : [`${scene.name}: ${JSON.stringify(was)}, not ${JSON.stringify({ told, slept, asked })}`];
  } finally {
    standIn.close();
  }
}

/** One process for all of them. */
function openDriver(command: readonly string[]): Driver {
  const child = Bun.spawn([...command], { cwd: ROOT, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = linesOf(child.stdout);
  return {
    async ask(line) {
      await child.stdin.write(`${JSON.stringify(line)}\n`);
      await child.stdin.flush();
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${command.join(" ")} ended early`);
      return JSON.parse(value);
    },
    end: () => child.kill(),
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    const lines = (text + decoder.decode(piece, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
