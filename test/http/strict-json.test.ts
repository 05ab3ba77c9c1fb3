import { expect, test } from "bun:test";
import fc from "fast-check";
import { exactInteger, parseStrictJson } from "../../src/http/strict-json.ts";
import { parseByTokens } from "./json-by-tokens.ts";

function parse(text: string) {
  return parseStrictJson(new TextEncoder().encode(text));
}

function isTaken(text: string): boolean {
  return parse(text).kind === "value";
}

/** Levels of a value: 1 for a flat object. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const FORBIDDEN = ["__proto__", "constructor", "prototype"];

function hasForbiddenName(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, part]) => (!Array.isArray(value) && FORBIDDEN.includes(name)) || hasForbiddenName(part),
  );
}

test("gives back what was written, as long as it is shallow and well named", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      const text = JSON.stringify(value);
      const parsed = parse(text);
      const isAllowed = depthOf(value) <= 8 && !hasForbiddenName(value);
      expect(parsed.kind).toBe(isAllowed ? "value" : "fault");
      if (parsed.kind === "value")
        expect(JSON.stringify(parsed.value, hideLarge)).toBe(JSON.stringify(JSON.parse(text), hideLarge));
    }),
    { numRuns: 500 },
  );
});

test("takes eight levels and no ninth, and at none of them a name that reaches behind an object", () => {
  for (let depth = 1; depth <= 9; depth += 1) {
    const around = (inner: string) => `${'{"x":'.repeat(depth - 1)}${inner}${"}".repeat(depth - 1)}`;
    expect([depth, isTaken(around('{"a":1}')), isTaken(around("[1]"))]).toEqual([depth, depth <= 8, depth <= 8]);
    for (const name of [...FORBIDDEN, "\\u005f_proto__", "constr\\u0075ctor"]) {
      expect([name, isTaken(around(`{"${name}":{}}`))]).toEqual([name, false]);
    }
  }
  expect(isTaken('["__proto__","constructor","prototype"]')).toBe(true);
});

/** Whole numbers beyond 2^53 come back as NaN, which JSON writes as null. */
function hideLarge(_name: string, value: unknown): unknown {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? null : value;
}

/** What other readers of JSON let pass. */
const NEARLY_JSON = [
  '{"a":1,}',
  "[1,]",
  "{a:1}",
  "{'a':1}",
  '{"a":1}//',
  '/**/{"a":1}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":0x1}',
  '{"a":undefined}',
  '{"a":1}{"a":1}',
  '{"a":1',
  '{"a" 1}',
  '{,"a":1}',
  '"\t"',
  "\u000b1",
  "\u00a01",
  "[1 2]",
  "",
  " ",
  "True",
  '{"a":1}\u0000',
];

test("never takes what JSON.parse refuses, and never throws", () => {
  for (const text of NEARLY_JSON) expect([text, isTaken(text)]).toEqual([text, false]);
  const characters = fc.constantFrom(...'{}[]",:\\ue019tfn-. \n'.split(""));
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (!isJson) expect(isTaken(text)).toBe(false);
      else parse(text);
    }),
    { numRuns: 3_000 },
  );
});

test("finds a member that comes twice at any depth and however it is spelled", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 10 }),
      fc.integer({ min: 0, max: 6 }),
      fc.boolean(),
      (name, depth, isEscaped) => {
        fc.pre(name.isWellFormed());
        const other = isEscaped
          ? `"${[...name]
              .flatMap((c) => c.split(""))
              .map(escaped)
              .join("")}"`
          : JSON.stringify(name);
        const inner = `{${JSON.stringify(name)}:1,${other}:2}`;
        const text = `${'{"x":'.repeat(depth)}${inner}${"}".repeat(depth)}`;
        expect(isTaken(text)).toBe(false);
      },
    ),
  );
});

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Few names, so that many come twice, in several spellings. */
const spelling = fc.constantFrom(
  '"a"',
  '"\\u0061"',
  '"b"',
  '""',
  '"a:{"',
  '"\\""',
  '"\\\\"',
  '"é"',
  '"__proto__"',
  '"\\u005f_proto__"',
  '"prototype"',
  '"\\ud83d"',
  '"\\ud83d\\ude00"',
  '"\\ude00\\ud83d"',
  '"😀"',
  '"\\n"',
);
const number = fc.constantFrom("1", "-0", "5.0", "1e2", "1e999", "9007199254740993", "0.1", "01", "1.", "-");
const word = fc.constantFrom("true", "false", "null", "nul");
const space = fc.constantFrom("", "", " ", "\n\t");

/** Texts that are JSON, most of them, with everything that is refused on top of the grammar. */
const jsonText = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, spelling, number, word, tie("object"), tie("list")),
  object: fc
    .array(fc.tuple(spelling, space, tie("value")), { maxLength: 4 })
    .map((members) => `{${members.map(([name, gap, value]) => `${name}${gap}:${gap}${value}`).join(",")}}`),
  list: fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
})).value;

const wrapped = fc
  .tuple(jsonText, fc.integer({ min: 0, max: 9 }), fc.boolean())
  .map(([text, depth, isList]) =>
    isList ? `${"[".repeat(depth)}${text}${"]".repeat(depth)}` : `${'{"w":'.repeat(depth)}${text}${"}".repeat(depth)}`,
  );

/** The same with a byte changed, left out or put in. */
const garbled = fc
  .tuple(wrapped, fc.nat(), fc.constantFrom("replace", "remove", "insert"), fc.nat({ max: 255 }))
  .map(([text, at, how, byte]) => {
    const bytes = [...new TextEncoder().encode(text)];
    const index = at % Math.max(1, bytes.length);
    if (how === "remove") bytes.splice(index, 1);
    else bytes.splice(index, how === "replace" ? 1 : 0, byte);
    return Uint8Array.from(bytes);
  });

test("takes and refuses what a reader of tokens takes and refuses, and reads the same", () => {
  const whole = wrapped.map((text) => new TextEncoder().encode(text));
  const kinds = new Map<string, number>();
  fc.assert(
    fc.property(fc.oneof(whole, garbled, fc.uint8Array({ maxLength: 12 })), (bytes) => {
      const [ours, expected] = [parseStrictJson(bytes), parseByTokens(bytes)];
      kinds.set(expected.kind, (kinds.get(expected.kind) ?? 0) + 1);
      expect(ours.kind).toBe(expected.kind);
      if (ours.kind === "value" && expected.kind === "value") expect(ours.value).toEqual(expected.value);
    }),
    { numRuns: 10_000 },
  );
  // Neither side of the rule was left out.
  expect(Math.min(kinds.get("value") ?? 0, kinds.get("fault") ?? 0)).toBeGreaterThan(1_000);
});

test.each([
  ['{"__proto__":1}', "the member name __proto__ is not allowed"],
  ['{"a":[{"constructor":"x"}]}', "the member name constructor is not allowed"],
  ['{"a":1,"a":2}', "a member name comes twice in one object"],
  ['{"a":"\\ud83d"}', "a string holds half of a surrogate pair"],
  ['{"\\ud83d":0}', "a string holds half of a surrogate pair"],
  ['{"a":1', "it cannot be parsed"],
  ["[[[[[[[[[1]]]]]]]]]", "it nests deeper than 8 levels"],
])("says what is wrong with %s", (text, reason) => {
  expect(parse(text)).toEqual({ kind: "fault", reason });
});

test.each([
  ['{"a":1,"b":{"a":1}}', true],
  ['[{"a":1},{"a":1}]', true],
  ['{"a":"a","b":"a"}', true],
  ['{"a":["b","b"]}', true],
  ['{"a":1,"a":1}', false],
  ['{"":1,"":1}', false],
  ['{"a":{"b":1,"b":1}}', false],
  ['[{"a":1,"a":1}]', false],
  ['{"prototype":1}', false],
  ['"\\ud83d\\ude00"', true],
  ['"\\ud83d"', false],
  ['"\\ude00\\ud83d"', false],
  ['{"a":"{\\"b\\":1,\\"b\\":1}"}', true],
  ["\uFEFF{}", false],
  ["", false],
  [" ", false],
])("takes %s: %p", (text, expected) => {
  expect(isTaken(text)).toBe(expected);
});

test("says that a byte order mark is what is wrong", () => {
  expect(parse("\uFEFF{}")).toEqual({ kind: "fault", reason: "it starts with a byte order mark" });
});

test("refuses bytes that are no UTF-8", () => {
  for (const bytes of [
    [0xff],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22],
  ]) {
    expect(parseStrictJson(Uint8Array.from(bytes)).kind).toBe("fault");
  }
});

test("is done with 64 KiB of anything in linear steps", () => {
  for (const hostile of ['"', '\\"', '"\\', "[", "{", "[[", '{"a":', "{}", ",", "\\", "1", '""', '[""']) {
    const text = hostile.repeat(Math.floor((64 * 1024) / hostile.length));
    expect(typeof parse(text).kind).toBe("string");
  }
});

test.each([
  ["5", 5],
  ["5.0", 5],
  ["5e0", 5],
  ["50e-1", 5],
  ["0.5e1", 5],
  ["500E-2", 5],
  ["-0", 0],
  ["0e9", 0],
  ["0.000", 0],
  ["-7", -7],
  ["9007199254740991", 9007199254740991],
  ["9007199254740991.0", 9007199254740991],
  ["8640000000000000", 8640000000000000],
  ["8.64e15", 8640000000000000],
  ["5.5", Number.NaN],
  ["9007199254740991.4", Number.NaN],
  ["8640000000000000.4", Number.NaN],
  ["4503599627370497.1", Number.NaN],
  ["5.00000000000000000001", Number.NaN],
  ["9007199254740992", Number.NaN],
  ["9007199254740993", Number.NaN],
  ["1e400", Number.NaN],
  ["1e-400", Number.NaN],
  ["1e99999999999999999999", Number.NaN],
])("reads the integer in %s as %p", (source, expected) => {
  expect(exactInteger(source)).toBe(expected);
});

test("reads every safe integer in every spelling", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 25 }), (value, shift) => {
      const magnitude = Math.abs(value)
        .toString()
        .padStart(shift + 1, "0");
      const whole = magnitude.slice(0, magnitude.length - shift);
      const fraction = magnitude.slice(magnitude.length - shift);
      const source = `${value < 0 ? "-" : ""}${whole}${shift === 0 ? "" : `.${fraction}`}e${shift}`;
      expect(exactInteger(source) === value || (value === 0 && exactInteger(source) === 0)).toBe(true);
    }),
  );
});
