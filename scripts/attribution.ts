/**
 * Days of an account that a plain key, two bots and its owner trade, over a network that loses answers and a gateway that dies: what
 * `GET /v1/performance` and `/v1/fills` say of who has made what, held to the digit against the exchange's own log:
 *
 *   bun run attribution [--days 200] [--from 1]
 *
 * A day is two hours of virtual time, with two or three hours' funding. Fails with the first day of which something is wrong.
 */
import { parseArgs } from "node:util";
import { tradeADay } from "../test/attribution/trading-day.ts";

const { values } = parseArgs({
  options: { days: { type: "string", default: "200" }, from: { type: "string", default: "1" } },
});
const from = Number(values.from);
const until = from + Number(values.days);
const told = { days: 0, fills: 0, payments: 0, owners: 0 };
const startMs = performance.now();
for (let seed = from; seed < until && process.exitCode !== 1; seed += 1) {
  const { findings, fills, payments, owners } = await tradeADay(seed);
  for (const finding of findings) console.log(`day ${seed}: ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
  told.days += 1;
  told.fills += fills;
  told.payments += payments;
  told.owners += owners;
}
const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
console.log(
  `${told.days} days from ${from} in ${seconds} s: ${told.fills} fills of ${told.owners} keys, ${told.payments} payments of funding, ${process.exitCode === 1 ? "one day is wrong" : "every line to the digit"}`,
);
