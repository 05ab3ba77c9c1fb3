// Answers that are none, or half of one. Each makes of the right one (undefined where nothing was executed) what is sent.
import { write } from "./decimals.mjs";

const JUST =
  (value, more = {}) =>
  () => ({ body: typeof value === "string" ? value : write(value), ...more });

function statuses(right, change) {
  const copy = structuredClone(
    right ?? { status: "ok", response: { type: "order", data: { statuses: [{ resting: { oid: 499999999999n } }] } } },
  );
  const data = copy.response?.data;
  if (!data?.statuses) return { body: write(copy), how: "cut" };
  data.statuses = change(data.statuses);
  return { body: write(copy) };
}

const html =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>";

/** What may befall any answer, executed or not. */
export const LOST = {
  rate: JUST("null", { status: 429 }),
  rateEmpty: JUST("", { status: 429 }),
  rateAfter: JUST("null", { status: 429, headers: { "retry-after": "3" } }),
  html502: JUST(html, { status: 502, type: "text/html" }),
  html200: JUST(html, { type: "text/html" }),
  null200: JUST("null"),
  empty200: JUST(""),
  emptyObject: JUST({}),
  list: (right) => ({ body: write([right ?? null]) }),
  okAlone: JUST({ status: "ok" }),
  okNull: JUST({ status: "ok", response: null }),
  errAlone: JUST({ status: "err" }),
  errNull: JUST({ status: "err", response: null }),
  errEmpty: JUST({ status: "err", response: "" }),
  errNew: JUST({ status: "err", response: "The sequencer has lost its place. Try later." }),
  errObject: JUST({ status: "err", response: { type: "order", data: { statuses: [] } } }),
  newStatus: JUST({ status: "pending", response: { type: "order", data: { statuses: [] } } }),
  dataNull: JUST({ status: "ok", response: { type: "order", data: null } }),
  statusesNull: JUST({ status: "ok", response: { type: "order", data: { statuses: null } } }),
  statusesEmpty: JUST({ status: "ok", response: { type: "order", data: { statuses: [] } } }),
  half: (right) => ({ body: write(right ?? { status: "ok", response: { type: "order" } }).slice(0, -9) }),
  cut: (right) => ({ body: write(right ?? { status: "ok" }), how: "cut" }),
  nulByte: (right) => ({ body: `${write(right ?? { status: "ok" })}\u0000` }),
  twiceKey: (right) => ({
    body: write(right ?? { status: "ok", response: { type: "default" } }).replace(
      '{"status":"ok"',
      '{"status":"ok","status":"pending"',
    ),
  }),
  reset: () => ({ how: "reset" }),
  slow: (right) => ({ body: write(right ?? { status: "err" }), waitMs: 9500 }),
  trickle: (right) => ({
    body: write(right ?? { status: "ok", response: { type: "order", data: { statuses: [] } } }),
    how: "trickle",
  }),
  early: JUST('{"status":"ok","resp', { status: 200 }),
  redirect: JUST("", { status: 307, headers: { location: "/exchange" } }),
  proxy407: JUST("proxy", { status: 407, type: "text/plain" }),
  teapot: JUST('{"error":"maintenance"}', { status: 418 }),
};

/** Of the entries of an answer that was carried out: nothing of it is believed word for word. */
export const ENTRIES = {
  entryNull: (right) => statuses(right, () => [null]),
  entrySuccess: (right) => statuses(right, () => ["accepted"]),
  entryNew: (right) => statuses(right, () => [{ queued: { oid: 1 } }]),
  errorNull: (right) =>
    statuses(right, (list) => list.map((s) => ({ ...(typeof s === "object" ? s : {}), error: null }))),
  errorNew: (right) => statuses(right, () => [{ error: "Book is being rebuilt" }]),
  errorObject: (right) => statuses(right, () => [{ error: { code: 7 } }]),
  bothWays: (right) =>
    statuses(right, (list) =>
      list.map((s) => ({ ...(typeof s === "object" ? s : {}), error: "Order has invalid size." })),
    ),
  oidText: (right) => statuses(right, (list) => list.map((s) => change(s, (o) => ({ ...o, oid: String(o.oid) })))),
  oidNull: (right) => statuses(right, (list) => list.map((s) => change(s, (o) => ({ ...o, oid: null })))),
  oidZero: (right) => statuses(right, (list) => list.map((s) => change(s, (o) => ({ ...o, oid: 0 })))),
  oidMinus: (right) => statuses(right, (list) => list.map((s) => change(s, (o) => ({ ...o, oid: -5 })))),
  totalMore: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("totalSz" in o ? { ...o, totalSz: "9.0" } : o)))),
  totalNone: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("totalSz" in o ? { ...o, totalSz: "0.0" } : o)))),
  totalMinus: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("totalSz" in o ? { ...o, totalSz: "-1.0" } : o)))),
  totalNumber: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("totalSz" in o ? { ...o, totalSz: 0.0213 } : o)))),
  averageNull: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("avgPx" in o ? { ...o, avgPx: null } : o)))),
  averageZero: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("avgPx" in o ? { ...o, avgPx: "0.0" } : o)))),
  averageExponent: (right) =>
    statuses(right, (list) => list.map((s) => change(s, (o) => ("avgPx" in o ? { ...o, avgPx: "6e4" } : o)))),
  doubled: (right) => statuses(right, (list) => [...list, ...list]),
  typeOther: (right) => ({ body: write({ ...right, response: { ...right?.response, type: "twapOrder" } }) }),
  utf16: (right) => ({ body: Buffer.from(write(right ?? {}), "utf16le") }),
  mark: (right) => ({ body: `\ufeff${write(right ?? {})}` }),
  html: (right) => ({ body: write(right ?? {}), type: "text/html" }),
  created: (right) => ({ body: write(right ?? {}), status: 201 }),
  five: (right) => ({ body: write(right ?? {}), status: 500 }),
  fourTwentyTwo: (right) => ({ body: write(right ?? {}), status: 422 }),
};

function change(entry, how) {
  if (entry?.resting) return { resting: how(entry.resting) };
  if (entry?.filled) return { filled: how(entry.filled) };
  return entry;
}
