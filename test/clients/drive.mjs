/**
 * The scenes of test/clients with the client that `/llms/postern.js` serves, in Node.js: one call a line of standard input, what it came to a
 * line of standard output. `round` is golden rows.
 */
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Postern, PosternError, round } = await import(pathToFileURL(process.argv[2]).href);

async function run(postern, call) {
  if ("all" in call) return rowsOf(postern.all(call.all), Number.POSITIVE_INFINITY);
  if ("follow" in call) return (await rowsOf(postern.follow({ after: call.follow }), call.take)).map(wordsOf);
  const given = [call.id, call.with, call.key === undefined ? undefined : { key: call.key }];
  return postern[call.do](...given.filter((one) => one !== undefined));
}

async function rowsOf(rows, count) {
  const taken = [];
  for await (const row of rows) if (taken.push(row) === count) break;
  return taken;
}

function wordsOf({ type, id, orders }) {
  return [type, id, ...(orders === undefined ? [] : [orders.map((order) => order.id).join()])].join(" ");
}

async function tell(work) {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof PosternError)) throw error;
    return { code: error.code, outcome: error.outcome, status: error.status };
  }
}

/** Time passes while it sleeps, and at no other time. */
async function play({ url, calls, silentAfterMs }) {
  const slept = [];
  let nowMs = 0;
  const sleep = async (ms) => {
    slept.push(ms);
    nowMs += ms;
  };
  const clock = { nowMs: () => nowMs, sleep };
  const postern = new Postern({ url, apiKey: "api_trade_test", account: "a1", clock, silentAfterMs });
  const told = [];
  for (const call of calls) told.push(await tell(() => run(postern, call)));
  return { told, slept };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const rows = asked.round ?? [];
  const told = await Promise.all(rows.map((row) => tell(() => round(...row))));
  console.log(JSON.stringify(asked.round === undefined ? await play(asked) : { told }));
}
