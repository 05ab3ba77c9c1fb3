/** What `bun run house` counts, each by a file that has one of it and something that only looks like it. */
import { expect, test } from "bun:test";
import { figuresOf } from "../scripts/house/figures.ts";
import { fileOf, type HouseFile } from "../scripts/house/syntax.ts";

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
        "const byId = prepared((store) => store.select().from(legs));\n" +
        "export function a(store) { return byId(store) ?? store.select().from(orders); }\n" +
        "export function b(store) { return byId(store); }\n" +
        "export function c(store) { return store.run(sql`SELECT 1 FROM orders JOIN attempts`); }",
      "src/core/a.ts": "function d(orders, legs) { return [orders, legs]; }",
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

test("names that a placing has are those in signatures of what placeOrder calls", () => {
  const files = {
    "src/actions/place-order.ts":
      `import { put } from "../store/put.ts";\n` +
      "export function placeOrder(wanted: Wanted) { return put(wanted); }\n" +
      "type Wanted = { key: string };\ntype Unused = { key: string };",
    "src/store/put.ts":
      "export function put(row: Row): Said { return row; }\ntype Row = { key: string };\ntype Said = { no: 1 };",
  };
  const house = Object.entries(files).map(([path, text]) => fileOf(path, text));
  expect(namesIn(house)).toEqual(["Row (src/store/put.ts)", "Wanted (src/actions/place-order.ts)"]);
});

test("names that a placing has are those of the order, under a second name as well, and of nothing else that has its members", () => {
  const text =
    "export function placeOrder(a: More, b: Total, c: Caller, d: Operation, e: Told, f: Less): void {}\n" +
    "type Terms = { size: string; price: string };\ntype More = Terms & { more: 1 };\ntype Told = { price: 1 };\n" +
    `type Less = Pick<Terms, "size" | "price">;\n` +
    "type Total = { size: string };\ntype Caller = { key: ApiKey };\ntype Operation = { action: OperationAction };";
  expect(namesIn([fileOf("src/actions/place-order.ts", text)])).toEqual(
    ["Less", "More"].map((name) => `${name} (src/actions/place-order.ts)`),
  );
});

function namesIn(house: readonly HouseFile[]): readonly string[] | undefined {
  return figuresOf(house).find(({ name }) => name.startsWith("names that a placing"))?.places;
}
