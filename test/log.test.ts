import { expect, test } from "bun:test";
import { openLog } from "../src/log.ts";

function logged(fields: Record<string, string | number | boolean | null>): string {
  const lines: string[] = [];
  openLog("info", { write: (line) => lines.push(line) }).info(fields, "order placed");
  return lines.join("");
}

test("a line is one JSON object with the message and the listed fields", () => {
  const line = logged({ order_id: "an-id", status: 201 });
  expect(line.endsWith("\n")).toBe(true);
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: "order placed", order_id: "an-id", status: 201 });
});

const KEY = `api_trade_${"0123456789abcdef".repeat(4)}`;

test.each([
  ["a field that is not on the list", { authorization: "Bearer x-secret-x" }, "x-secret-x"],
  ["an API key inside a text", { reason: `refused ${KEY}` }, KEY],
  ["a private key inside a text", { error: `key 0x${"ab".repeat(32)} is bad` }, "ab".repeat(32)],
  ["a signature inside a text", { detail: `0x${"cd".repeat(65)}` }, "cd".repeat(32)],
  ["a private key on the edge where texts are cut", { error: " ".repeat(470) + "ab".repeat(32) }, "ab".repeat(8)],
  ["a key on the edge where texts are cut", { detail: " ".repeat(470) + KEY }, KEY.slice(0, 26)],
])("%s does not reach the log", (_what, fields, secret) => {
  expect(logged(fields)).not.toContain(secret);
});

test("line ends, terminal commands and quotes in a text stay inside their field", () => {
  const nasty = 'a\r\n{"level":50,"msg":"forged"}\n\u001b[2J\u001b]0;title\u0007\u0000\u2028"';
  const line = logged({ reason: nasty });
  expect(line.split("\n")).toHaveLength(2);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f]/);
  expect(JSON.parse(line)).toMatchObject({ level: 30, msg: "order placed", reason: nasty });
});

test("a long text is cut", () => {
  expect(logged({ reason: "a".repeat(100_000) }).length).toBeLessThan(1_000);
});
