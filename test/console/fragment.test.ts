import { expect, test } from "bun:test";
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Route = { screen: string; argument: string };
type Fragments = { parseFragment: (hash: string) => { route: Route; key: string | null; link: string | null } };
const { parseFragment } = (await import(join(CONSOLE, "state/fragment.ts"))) as Fragments;

const HOME = { screen: "now", argument: "" };

test.each([
  ["", HOME],
  ["#", HOME],
  ["#/", HOME],
  ["#main", HOME],
  ["#/history", { screen: "history", argument: "" }],
  // As they were called before.
  ["#/orders", { screen: "history", argument: "" }],
  ["#/keys", { screen: "bots", argument: "" }],
  ["#/story/0199-ab", { screen: "story", argument: "0199-ab" }],
  // What is none of them stays what it is, so that the page can say so.
  ["#orders", { screen: "#orders", argument: "" }],
  ["#/ordres", { screen: "ordres", argument: "" }],
  ["#/orders/", { screen: "history", argument: "" }],
  ["#/orders/12", { screen: "history", argument: "12" }],
  ["#/story/a/b", { screen: "story", argument: "a/b" }],
])("%p leads to %j", (hash, route) => {
  expect(parseFragment(hash)).toEqual({ route, key: null, link: null });
});

test("a key and a set-up link are told apart from pages", () => {
  expect(parseFragment("#key=api_trade_1")).toEqual({ route: HOME, key: "api_trade_1", link: null });
  expect(parseFragment("#setup=setup_1")).toEqual({ route: HOME, key: null, link: "setup_1" });
});
