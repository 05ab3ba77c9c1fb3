/** What reads texts of others takes time in proportion to them: four times as much of the worst costs about four times as much. */
import { describe, expect, test } from "bun:test";
import { parseDecimal } from "../../src/core/decimal.ts";
import { suggestMarkets } from "../../src/core/market.ts";
import { readAnswer } from "../../src/exchange/http-answer.ts";
import { clientAddress } from "../../src/http/client-address.ts";
import { parseStrictJson } from "../../src/http/strict-json.ts";
import { parseJsonText } from "../../src/paper/exchange/json-text.ts";
import { classifyReply } from "../../src/wire/answer/reply.ts";
import { parseJson } from "../../src/wire/json.ts";
import { recoverAddress } from "../../src/wire/recover.ts";

/** Below this nothing is slow, whatever it is to something else: milliseconds. */
const NOTHING_MS = 3;
/** Four times as much, and what a busy machine adds; what is quadratic takes sixteen times as long. */
const MAX_GROWTH = 8;
const TRIES = 5;
/** What takes so long is measured well enough: milliseconds. */
const ENOUGH_MS = 100;
/** What seems out of proportion is measured again: a machine that is busy just then is so for one of the two. */
const MAX_ROUNDS = 20;

/** Of this process, the least of some tries: what the machine does besides only adds. */
function processorMs(work: () => unknown): number {
  let [least, all] = [Number.POSITIVE_INFINITY, 0];
  for (let nth = 0; nth < TRIES && all < ENOUGH_MS; nth += 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
    all += (user + system) / 1_000;
  }
  return least;
}

function isInProportion(quarterMs: number, wholeMs: number): boolean {
  return wholeMs <= NOTHING_MS || wholeMs <= MAX_GROWTH * quarterMs;
}

/** What takes a tenth of a second of the processor does so by itself. */
function mayBeOfTheMachine(quarterMs: number, wholeMs: number): boolean {
  return wholeMs < ENOUGH_MS && !isInProportion(quarterMs, wholeMs);
}

const encoder = new TextEncoder();

function answer(head: string): unknown {
  return readAnswer(Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\nContent-Length: 0\r\n\r\n`));
}

function body(text: string): unknown {
  return parseStrictJson(encoder.encode(text));
}

/** What is read, the most that may come of it (characters), and how it reads so much of the worst. */
const READERS: readonly [name: string, most: number, read: (length: number) => unknown][] = [
  ["a field of white space in an answer's head", 16_000, (n) => answer(`X: ${" ".repeat(n)}\u0001`)],
  ["a value behind white space in it", 16_000, (n) => answer(`X: a${" \t".repeat(n / 2)}b`)],
  ["a list of a connection's words", 16_000, (n) => answer(`Connection: a${" ".repeat(n)}b`)],
  ["many commas in it", 16_000, (n) => answer(`Connection: ${",".repeat(n)}`)],
  ["many fields", 16_000, (n) => answer("a:b\r\n".repeat(n / 5))],
  ["a chunk's extension", 16_000, (n) => answer(`Transfer-Encoding: chunked\r\n\r\n1 ${" ".repeat(n)};`)],
  ["a number with zeros behind its point", 65_000, (n) => body(`{"a":1.${"0".repeat(n)}1}`)],
  ["a number with zeros in front of its last digit", 65_000, (n) => body(`{"a":0.${"0".repeat(n)}1}`)],
  ["a number of nothing but digits", 65_000, (n) => body(`{"a":${"9".repeat(n)}}`)],
  ["a number with a long exponent", 65_000, (n) => body(`{"a":1e${"0".repeat(n)}1}`)],
  ["many numbers", 65_000, (n) => body(`[${"1,".repeat(n / 2)}1]`)],
  ["many members", 65_000, (n) => body(`{${Array.from({ length: n / 10 }, (_, at) => `"${at}":1`).join()}}`)],
  ["one member many times", 65_000, (n) => body(`{${Array.from({ length: n / 10 }, () => `"a":1`).join()}}`)],
  ["many lists", 65_000, (n) => body(`[${"[[[[[[[]]]]]]],".repeat(n / 15)}[]]`)],
  ["a string of escapes", 65_000, (n) => body(`"${"\\u0061".repeat(n / 6)}"`)],
  ["a string that does not end", 65_000, (n) => body(`"${"\\\\".repeat(n / 2)}`)],
  ["brackets", 65_000, (n) => body("[".repeat(n))],
  ["an integer of the exchange's", 300_000, (n) => parseJson(`{"oid":${"9".repeat(n)}}`)],
  ["many of its integers", 300_000, (n) => parseJson(`[${"9007199254740993,".repeat(n / 17)}1]`)],
  ["an integer for the paper exchange", 300_000, (n) => parseJsonText(`{"oid":${"9".repeat(n)}}`)],
  ["an open string for it", 60_000, (n) => parseJsonText(`"${'\\"'.repeat(n / 2)}`)],
  ["white space for it", 300_000, (n) => parseJsonText(`${" ".repeat(n)}x`)],
  ["a decimal", 65_000, (n) => parseDecimal(`1.${"0".repeat(n)}1`)],
  [
    "a refusal of the exchange's",
    400,
    (n) => classifyReply(200, JSON.stringify({ status: "err", response: "0,".repeat(n) })),
  ],
  ["a forwarded address", 16_000, (n) => clientAddress("::1", ",:".repeat(n), ["::1"])],
  ["a name of a market", 100, (n) => suggestMarkets(UNIVERSE, "/:".repeat(n))],
  [
    "a signature",
    130,
    () => recoverAddress(new Uint8Array(32).fill(7), { r: `0x${"1b".repeat(32)}`, s: "0x1", v: 27 }),
  ],
];

const UNIVERSE = { byName: new Map(), byPairName: new Map(), byAssetId: new Map(), readAtMs: 0 };

describe("four times as much takes at most about four times as long", () => {
  test.each([...READERS])("%s", (_name, most, read) => {
    let [quarter, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // The first round is not compared: until a text was read some times, reading it costs many times as much.
    for (let round = 0; round < 2 || (round < MAX_ROUNDS && mayBeOfTheMachine(quarter, whole)); round += 1) {
      const [quarterNow, wholeNow] = [processorMs(() => read(most / 4)), processorMs(() => read(most))];
      quarter = Math.min(quarter, quarterNow);
      whole = Math.min(whole, wholeNow);
    }
    expect(isInProportion(quarter, whole) ? "in proportion" : { quarter, whole }).toBe("in proportion");
  });
});
