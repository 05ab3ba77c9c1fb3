/** What one and the same piece of work takes of the processor now, beside what it took where the limits were set. */
import { Database } from "bun:sqlite";

/** Milliseconds, on two cores of an Intel Xeon of 2026 while nobody slows them down. */
const WHERE_LIMITS_WERE_SET_MS = 8.5;
/** A machine that is slower than this cannot be judged by these limits. */
const SLOWEST = 3;
const ROWS = 400;
const TURNS = 40;
const PAGES = 10;
const WIDE_ROWS = 4_000;
const WIDTH = 1_000;
const APART = 1_237;
/** The first turns are slower than all that follow: the runtime compiles them. */
const WARMING = 6;

/** From 1, as fast as there or faster, up to `SLOWEST`. */
export function slowness(): number {
  const taken = Array.from({ length: WARMING }, workMs);
  return Math.min(SLOWEST, Math.max(1, Math.min(...taken) / WHERE_LIMITS_WERE_SET_MS));
}

/** What a request is made of, and what makes different machines slow: objects that become text and back, and rows that are sought here and there. */
const OBJECTS = Array.from({ length: ROWS }, (_none, index) => ({ id: index, price: `${index}.25`, side: "buy" }));
const soughtRows = rowsToSeek();

function workMs(): number {
  const before = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn += 1) JSON.parse(JSON.stringify(OBJECTS));
  for (let nth = 0; nth < PAGES; nth += 1) JSON.stringify(soughtRows.values());
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** A page of one table with what belongs to it of another, whose rows are as wide as an order's and lie far apart. */
function rowsToSeek() {
  const books = new Database(":memory:");
  books.run("CREATE TABLE wide (id TEXT PRIMARY KEY, words TEXT, owner TEXT)");
  const insert = books.prepare("INSERT INTO wide VALUES (?, ?, ?)");
  books.transaction(() => {
    for (let nth = 0; nth < WIDE_ROWS; nth += 1) insert.run(`order-${nth}`, "w".repeat(WIDTH), `owner-${nth % 5}`);
  })();
  const names = JSON.stringify(OBJECTS.map(({ id }) => `order-${(id * APART) % WIDE_ROWS}`));
  const seek = books.prepare("SELECT id, owner FROM wide WHERE id IN (SELECT value FROM json_each(?))");
  return { values: () => seek.values(names) };
}
