// What was told is not taken back: sizes only grow, ends stay ends, and a read is not older than what its reader was told before.
import { parse } from "./exchange.mjs";
import { D, S } from "./ledger.mjs";

const CLOSED = ["filled", "canceled", "rejected"];

export function memory(judge, told) {
  const notes = told
    .filter((n) => !n.replayed && !n.from.startsWith("cli"))
    .map((n) => {
      try {
        return { note: n, body: parse(n.raw) };
      } catch {
        return null;
      }
    })
    .filter(Boolean);
  orders(judge, notes);
  positions(judge, notes);
  fillsOnce(judge, notes);
  books(judge, notes);
}
// Lists of fills and the performance say up to when they are whole: by X-Data-As-Of, else of now; by complete_to.
function books(judge, notes) {
  const all = judge.ledger.fills.filter((f) => !f.hidden);
  for (const { note, body } of notes) {
    if (note.from.startsWith("GET /v1/fills?limit=500") && note.status === 200) {
      const upTo = note.asOf ? Date.parse(note.asOf) : note.t0 - 1500;
      const want = all.filter((f) => f.wire <= upTo).length;
      if (body.data.length < want)
        judge.say(
          note.asOf ? "FALSE" : "STALE",
          note,
          `fills: ${body.data.length} listed ${note.asOf ? "as of a named time" : "as of now"}, by which there were ${want} or more`,
        );
    }
    if (note.from === "GET /v1/performance" && body.complete_to && body.total) {
      const want = all.filter((f) => f.wire <= Date.parse(body.complete_to));
      const volume = want.reduce((a, f) => a + f.px * f.sz, 0n) / 10n ** 8n;
      if (D(body.total.volume) < volume)
        judge.say(
          "FALSE",
          note,
          `performance complete to a named time with ${body.total.fills} fills, by which there were ${want.length} or more`,
        );
    }
  }
}
// `error` of a refused modify or cancel stands in that answer alone, so writes are no part of this; reads and events are, each in its own line.
function orders(judge, notes) {
  const lines = new Map();
  for (const { note, body } of notes) {
    const kind =
      note.from.startsWith("event order") && !/removed/.test(note.from)
        ? "events"
        : note.from.startsWith("GET /v1/orders")
          ? "reads"
          : null;
    if (!kind) continue;
    for (const o of judge.objects(body)) {
      if (o.object !== "order" || !o.status) continue;
      const key = `${kind} ${o.id}`;
      lines.set(key, [...(lines.get(key) ?? []), { note, o }]);
    }
  }
  for (const [key, list] of lines) {
    list.sort((a, b) => a.note.t1 - b.note.t1);
    let most = null;
    let end = null;
    for (const x of list) {
      if (most && x.note.t0 > most.note.t1 && x.o.filled_size !== null && D(x.o.filled_size) < D(most.o.filled_size))
        judge.say(
          "BACK",
          x.note,
          `${key}: filled ${most.o.filled_size} was told, then ${x.o.filled_size} (${most.o.status} -> ${x.o.status})`,
        );
      if (end && x.note.t0 > end.note.t1 && x.o.status !== end.o.status)
        judge.say(
          "BACK",
          x.note,
          `${key}: ${end.o.status} (${end.o.error?.slice(0, 80)}) was told, then ${x.o.status} (${x.o.error?.slice(0, 80)})`,
        );
      if (x.o.filled_size !== null && (!most || D(x.o.filled_size) > D(most.o.filled_size))) most = x;
      if (CLOSED.includes(x.o.status)) end = x;
    }
  }
}
function positions(judge, notes) {
  const fills = notes.filter((x) => x.note.from === "event fill.created" && x.body.data?.market);
  for (const { note, body } of notes) {
    if (!note.from.startsWith("GET /v1/positions") || note.status !== 200) continue;
    for (const [name, hist] of judge.ledger.positions) {
      const before = fills
        .filter((f) => f.note.t1 < note.t0 && f.body.data.market === name)
        .map((f) => Date.parse(f.body.data.created_at));
      if (!before.length) continue;
      const T = Math.max(...before);
      const told = body.data.find((p) => p.market === name);
      const signed = told ? D(told.size) * (told.side === "long" ? 1n : -1n) : 0n;
      const values = [
        judge.ledger.at(hist, T)?.szi ?? 0n,
        ...hist.filter((h) => h.t > T && h.t <= note.t1).map((h) => h.szi),
      ];
      if (!values.includes(signed))
        judge.say(
          "BACK",
          note,
          `position ${name} told ${S(signed)} after the fill of ${new Date(T).toISOString()} had been told; since then ${values.map(S)}`,
        );
    }
  }
}
function fillsOnce(judge, notes) {
  const seen = new Map();
  for (const { note, body } of notes) {
    if (note.from !== "event fill.created") continue;
    const id = body.data.id;
    if (seen.has(id) && seen.get(id) !== body.id) judge.say("FALSE", note, `fill ${id} told twice as an event`);
    seen.set(id, body.id);
  }
}
