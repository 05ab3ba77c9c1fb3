import { expect, test } from "bun:test";
import fc from "fast-check";
import { openEventReader } from "../../src/console/api/event-stream.ts";

const TEXT = [
  ": Postern\r\nretry: 1000\r\n\r\n",
  'id: 7\nevent: ready\ndata: {"resumed":false}\n\n',
  ": beat\n\n",
  "id: 8\nevent: order.created\ndata: one\ndata:two\n\n",
  "data\r\rid: 9\r\ndata: x:y\r\n\r\n",
].join("");

const EVENTS = [
  { id: "7", type: "ready", data: '{"resumed":false}' },
  { id: "8", type: "order.created", data: "one\ntwo" },
  { id: null, type: "message", data: "" },
  { id: "9", type: "message", data: "x:y" },
];

test("events are the same however the stream is cut into pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const reader = openEventReader();
      const found = [];
      for (let at = 0, index = 0; at < TEXT.length; index += 1) {
        const size = sizes[index % sizes.length] ?? 1;
        found.push(...reader.push(TEXT.slice(at, at + size)));
        at += size;
      }
      expect(found).toEqual(EVENTS);
    }),
  );
});

test("an event without an end is not collected for ever", () => {
  const reader = openEventReader();
  expect(() => {
    for (let pieces = 0; pieces < 40; pieces += 1) reader.push("x".repeat(50_000));
  }).toThrow("longer than any may be");
});
