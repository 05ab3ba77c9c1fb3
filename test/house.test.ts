/** What `bun run house` counts, each by a file that has one of it and something that only looks like it. */
import { expect, test } from "bun:test";
import { figuresOf } from "../scripts/house/figures.ts";
import { fileOf } from "../scripts/house/syntax.ts";

const CALLS = ["one()", "two()", "three()", "four()", "five()", "six()", "seven()"].join(";\n");

const COUNTED: readonly [figure: string, files: Record<string, string>, value: string][] = [
  [
    "files with one importer, at most 20 lines",
    {
      "src/core/a.ts": `import { b } from "./b.ts";\nimport type { C } from "./c.ts";`,
      "src/core/b.ts": `export type { C } from "./c.ts";\nexport const b = 1;`,
      "src/core/c.ts": "export type C = 1;",
    },
    "1",
  ],
  [
    "functions of more than 70 lines",
    { "src/a.ts": `function long() {${"\n".repeat(70)}}\nfunction at() {${"\n".repeat(69)}}` },
    "1",
  ],
  [
    "names of types declared in several files",
    { "src/a.ts": "export type A = 1;\ntype B = 1;", "src/b.ts": "type A = 2;" },
    "1 of 2",
  ],
  [
    "WeakMap and WeakSet",
    { "src/a.ts": "const a = new WeakMap<A, B>();\nconst b = new Map();\ntype C = WeakMap<A, B>;" },
    "1",
  ],
  [
    "module-level state of the page",
    {
      "src/console/a.ts": "let a = 1;\nconst b = new Set([1]);\nfunction c() { let d = 1; b.has(d); }",
      "src/core/a.ts": "let a = 1;",
    },
    "1",
  ],
  [
    "module-level state elsewhere",
    { "src/core/a.ts": "const a = new Map();\nfunction b() { a.set(1, 2); }\nconst c = { d: 1 };\nc.d = 2;" },
    "2",
  ],
  [
    "functions that take all of Deps or World",
    {
      "src/a.ts": `function a(deps: Deps) {}\nfunction b({ store }: World & { more: 1 }) {}\nfunction c(deps: Pick<Deps, "store">) {}`,
    },
    "2",
  ],
  [
    "functions that take a named part of them",
    {
      "src/deps.ts": `export type Reading = Pick<Deps, "store">;\nexport type More = Reading & { more: 1 };\ntype Other = { store: Store };`,
      "src/a.ts": `function a(deps: Deps) {}\nconst b = (x: 1, deps: More) => x;\nfunction c(o: Other) {}\nfunction d(deps: Pick<World, "log">) {}`,
    },
    "2",
  ],
  [
    "functions that ask both homes of a placing",
    {
      "src/store/a.ts":
        'import { attempts, legs, orders } from "./schema.ts";\n' +
        "const byId = prepared((store) => store.select().from(legs));\n" +
        "export function a(store) { return byId(store) ?? store.select().from(orders); }\n" +
        "export function b(store) { return byId(store); }\n" +
        "export function c(store) { return store.run(sql`SELECT 1 FROM orders JOIN attempts`); }",
      "src/core/a.ts": "function d(orders, legs) { return [orders, legs]; }",
      "src/store/b.ts": "function e(orders, legs) { return [orders, legs]; }",
    },
    "2",
  ],
  [
    "passages of 6 lines or more that stand twice",
    {
      "src/a.ts": `import { a } from "./b.ts";\n${CALLS}`,
      "src/b.ts": `// of another\n${CALLS}\n}`,
      "src/c.ts": CALLS.slice(0, 30),
    },
    "1",
  ],
];

test.each(COUNTED)("%s", (figure, files, value) => {
  const house = Object.entries(files).map(([path, text]) => fileOf(path, text));
  expect(figuresOf(house).find(({ name }) => name === figure)?.value).toBe(value);
});

/** A route, and what it calls; every type has a member, or it would be no name of anything. */
const ROUTE = [
  `import { placeOrder } from "../actions/place-order.ts";`,
  `const place = writeRoute({}, (deps, caller, { body, idempotencyKey }) => placeOrder(deps, { ...body, idempotencyKey }));`,
].join("\n");

const WAYS: readonly [what: string, verb: string, names: string[]][] = [
  [
    "parameters and results that hold it",
    "export function placeOrder(deps: Deps, wanted: Wanted): Said { return put(wanted); }\nfunction put(row: Row): Said { return { row }; }",
    ["Row", "Said", "Wanted"],
  ],
  [
    "what is made of two of its members, and nothing that is made of one",
    "export function placeOrder(deps: Deps, wanted: Wanted) { return [put(wanted.a, wanted.b), see({ a: wanted.a }), see({ a: wanted.inWords() })]; }\n" +
      "function put(a: string, b: string): Row { return { a, b }; }\nfunction see(said: Said): Said { return said; }",
    ["Wanted"],
  ],
  [
    "a row that copies its terms",
    "export function placeOrder(deps: Deps, wanted: Wanted): Said { return put(wanted); }\n" +
      "function put({ a, b }: Wanted): Row { return { a, b, c: 1 }; }",
    ["Row", "Said", "Wanted"],
  ],
  [
    "no side road: what is only called, and conditions",
    "export function placeOrder(deps: Deps, wanted: Wanted): string { tell(wanted); if (isGood(wanted)) return wanted.a; return wanted.b; }\n" +
      "function tell(row: Row): void {}\nfunction isGood(said: Said): boolean { return true; }",
    ["Wanted"],
  ],
  [
    "what a plan stores, which is called by no name of its own",
    "export function placeOrder(deps: Deps, wanted: Wanted) { return run({ store() { return put(wanted); } }); }\n" +
      "function run(plan: Plan): Said { return plan.store(); }\nfunction put(row: Row): Row { return row; }",
    ["Plan", "Row", "Said", "Wanted"],
  ],
  [
    "texts that are all of it, and no list of words",
    "export function placeOrder(deps: Deps, wanted: Wanted): Said { const body = JSON.stringify(wanted); return sent({ body }); }\n" +
      "function sent({ body }: Row): Said { return read(body); }\nfunction read(text: Word): Said { return { text }; }",
    ["Row", "Said", "Wanted"],
  ],
  [
    "what is read of a body that is a text",
    "export function placeOrder(deps: Deps, wanted: Wanted): Said { return read(wanted.body); }\n" +
      "function read(text: Word): Said { return { text }; }",
    ["Said", "Wanted"],
  ],
];

test.each(WAYS)("names that a placing has: %s", (_what, verb, names) => {
  const types = ["Wanted", "Row", "Said"].map(
    (name) => `type ${name} = { a: string; b: string; body: string; inWords(): string };`,
  );
  const text = [verb, ...types, `type Word = "a" | "b";`, "type Plan = { store(): Row };"].join("\n");
  const files = { "src/http/orders.ts": ROUTE, "src/actions/place-order.ts": text };
  const house = Object.entries(files).map(([path, source]) => fileOf(path, source));
  const found = figuresOf(house).find(({ name }) => name.startsWith("names that a placing"))?.places;
  expect(found?.map((place) => place.split(" ")[0] ?? "")).toEqual(names);
});
