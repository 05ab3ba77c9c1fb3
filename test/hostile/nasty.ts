/** The worst that a client may send within the limits, by the places where it can stand. */

/** Of all headers together: what we take, less what every request has. */
const HEADER_CHARACTERS = 15_600;
/** Of path and query: what we take, less the host in front of them and the path itself. */
const TARGET_CHARACTERS = 3_900;
/** Headers that the runtime takes of one request. */
const MOST_HEADERS = 90;

export type Nasty = { name: string; text: string };

/** Characters that separate something from something somewhere, and what is not ASCII. */
const FILLERS: readonly [name: string, piece: string][] = [
  ...([" ", "\t", ",", ";", '"', "\\", "=", ":", "/", "0", "a", "\xff"] as const).map((one): [string, string] => [
    one,
    one,
  ]),
  ...(["a,", " ,", " ;", ", ", ";q=", "a;q=0.5,", '"\\', "1.", "::", "%41", "-1"] as const).map(
    (one): [string, string] => [one, one],
  ),
];

/** Headers that somebody reads: us, the framework or the runtime. */
const READ_HEADERS = [
  "Accept-Encoding",
  "Content-Type",
  "X-Forwarded-For",
  "Authorization",
  "Idempotency-Key",
  "Last-Event-ID",
  "Origin",
  "Sec-Fetch-Site",
  "Content-Encoding",
  "Cookie",
  "Accept",
  "If-None-Match",
  "Range",
  "X-Request-Id",
];

/** Values that begin as they should. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  "Accept-Encoding": "a",
  "Content-Type": "application/json",
  Authorization: "Bearer ",
  "X-Forwarded-For": "1.2.3.4",
};

/** Lines of headers, each set at the limit of them all; `isWhole` false: a few of each kind. */
export function nastyHeaders(isWhole: boolean): Nasty[] {
  const fillers = isWhole ? FILLERS : FILLERS.filter(([name]) => name === " " || name === ",");
  const filled = READ_HEADERS.flatMap((header) =>
    fillers.map(([name, piece]) => ({
      name: `${header} of ${JSON.stringify(name)}`,
      text: `${header}: ${BEGINNINGS[header] ?? ""}${full(piece, HEADER_CHARACTERS)}b`,
    })),
  );
  const many = (line: (nth: number) => string) =>
    Array.from({ length: MOST_HEADERS }, (_, nth) => line(nth)).join("\r\n");
  return [
    ...filled,
    { name: "many headers", text: many((nth) => `X-${nth}: a`) },
    { name: "many large headers", text: many((nth) => `X-${nth}: ${"a,".repeat(80)}`) },
    { name: "one header many times", text: many(() => `X-A: ${"b ".repeat(80)}`) },
    { name: "Accept-Encoding many times", text: many(() => "Accept-Encoding: gzip;q=0.5 , br") },
    { name: "X-Forwarded-For many times", text: many(() => "X-Forwarded-For: 127.0.0.1, ::ffff:127.0.0.1") },
    { name: "proxies that are all trusted", text: `X-Forwarded-For: ${full("127.0.0.1,", HEADER_CHARACTERS)}` },
    { name: "headers over our limit", text: `X-A: ${full("a ", 60_000)}` },
  ];
}

/** Values of Host, which replace the true one. */
export function nastyHosts(host: string): Nasty[] {
  return [full("a", HEADER_CHARACTERS), full("a.", HEADER_CHARACTERS), full(`${host},`, HEADER_CHARACTERS)].map(
    (text, nth) => ({ name: `Host ${nth + 1} at the limit`, text }),
  );
}

/** Query strings without their question mark; `known` are parameters that the route takes. */
export function nastyQueries(known: readonly string[]): Nasty[] {
  const free = ["a&", "a=b&", "&", "=", "%41", "%", "+", "%F0%9F%92%A9", "?", "a[]=1&", "%00", "%2e%2e/"];
  return [
    ...free.map((piece) => ({ name: `query of ${piece}`, text: full(piece, TARGET_CHARACTERS) })),
    ...known.flatMap((name) =>
      ["0", "%20", "%41", "a,", "%ff", "-"].map((piece) => ({
        name: `${name} of ${piece}`,
        text: `${name}=${full(piece, TARGET_CHARACTERS - name.length - 1)}`,
      })),
    ),
    { name: "different parameters", text: known.map((name) => `${name}=${"1".repeat(200)}`).join("&") },
    { name: "a target over our limit", text: full("a=b&", 12_000) },
  ];
}

/** What may stand for an id in a path. */
export function nastyIds(): Nasty[] {
  return ["0", "a", "-", ".", "0x", "_", "ffffffff-"].map((piece) => ({
    name: `id of ${piece}`,
    text: full(piece, TARGET_CHARACTERS),
  }));
}

/** Bodies of so many bytes, some of them made of one that is as it should be. */
export function nastyBodies(good: Readonly<Record<string, unknown>>, bytes: number): Nasty[] {
  const inside = bytes - JSON.stringify(good).length - 64;
  const numbered = Array.from({ length: Math.floor(bytes / 12) }, (_, nth) => nth);
  const values: [string, string][] = [
    ["a long string", `"${full("a", inside)}"`],
    ["zeros", `"${full("0", inside)}"`],
    ["a long decimal", `"1.${full("0", inside)}1"`],
    ["escapes", `"${full("\\u0061", inside)}"`],
    ["quotes", `"${full('\\"', inside)}"`],
    ["slashes", `"${full("/~1", inside)}"`],
    ["hex digits", `"0x${full("1b", inside)}"`],
    ["a list of numbers", `[${full("1,", inside - 2)}1]`],
    ["a list of words", `[${full('"trading:read",', inside - 20)}1]`],
    ["a list of lists", `[${full("[[]],", inside - 4)}1]`],
    ["a list of objects", `[${full('{"a":{}},', inside - 4)}1]`],
    [
      "many members",
      `{${numbered
        .slice(0, inside / 12)
        .map((nth) => `"${nth}":1`)
        .join()}}`,
    ],
    ["a number of nines", full("9", inside)],
    ["a number of zeros", `1.${full("0", inside)}1`],
    ["a long exponent", `1e-${full("0", inside)}1`],
  ];
  const replaced = placesOf(good).flatMap(({ name, text }) =>
    values.map(([what, value]) => ({ name: `${name} is ${what}`, text: text.replace(PLACE, () => value) })),
  );
  return [
    ...values.map(([what, value]) => ({ name: `the body is ${what}`, text: value })),
    ...values.map(([what, value]) => ({ name: `a stranger is ${what}`, text: `{"stranger":${value}}` })),
    ...replaced,
    { name: "brackets", text: full("[", bytes) },
    { name: "closed brackets", text: full("[]", bytes) },
    { name: "eight levels", text: `[${full("[[[[[[[]]]]]]],", bytes - 16)}1]` },
    {
      name: "one member many times",
      text: `{${numbered
        .slice(0, bytes / 8)
        .map(() => '"a":1')
        .join()}}`,
    },
    { name: "colons", text: full('{"a":', bytes) },
    { name: "white space", text: `${full(" \n", bytes - 1)}1` },
    { name: "no UTF-8 at its end", text: `"${full("a", bytes - 3)}\xff"` },
    { name: "half a character at its end", text: `"${full("a", bytes - 8)}\\ud800"` },
  ];
}

const PLACE = '"@"';

/** The body with each of its members, at any depth, replaced by a mark. */
function placesOf(value: unknown, prefix = ""): Nasty[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const here = { name: `${prefix}${name}`, text: JSON.stringify({ ...value, [name]: "@" }) };
    const below = placesOf(part, `${prefix}${name}.`).map((inner) => ({
      ...inner,
      text: JSON.stringify({ ...value, [name]: "#" }).replace('"#"', () => inner.text),
    }));
    return [here, ...below];
  });
}

/** `piece` as often as it fits. */
function full(piece: string, characters: number): string {
  return piece.repeat(Math.max(1, Math.floor(characters / piece.length)));
}
