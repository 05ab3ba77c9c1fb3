/** A checkout as syntax: every source file with its tree, its functions and whom it imports. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { isNode, type Node } from "../tidy/node.ts";

export type HouseFile = {
  /** From the root of the checkout: `src/core/order.ts`. */
  path: string;
  text: string;
  lines: number;
  program: Node;
  /** Paths of the files that it imports, types included. */
  imports: string[];
};

export type HouseFunction = {
  file: HouseFile;
  /** Empty where it has none of its own. */
  name: string;
  lines: number;
  node: Node;
};

const ROOMS = ["src", "test", "scripts"];
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

export function readHouse(root: string): HouseFile[] {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" }).map((path) => join(room, path)),
  );
  const sources = paths.filter((path) => path.endsWith(".ts") && !path.includes("node_modules"));
  return sources.sort().map((path) => fileOf(path, readFileSync(join(root, path), "utf8")));
}

export function fileOf(path: string, text: string): HouseFile {
  // The tree is plain data; its published type is a union of 200 shapes that nobody here tells apart.
  const program = parseSync(path, text).program as unknown as Node;
  const imports = new Set<string>();
  visit(program, (node) => {
    const { source } = node;
    const target = isNode(source) ? source["value"] : null;
    if (typeof target === "string" && target.startsWith(".")) imports.add(posix.join(posix.dirname(path), target));
  });
  return { path, text, lines: linesOf(text), program, imports: [...imports] };
}

/** Every node below and the node itself, parents first; a parent comes with its child. */
export function visit(node: Node, see: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  see(node, parent);
  for (const child of Object.values(node)) {
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) visit(item, see, node);
  }
}

/** Functions with a name: declared, a method, or the value of a constant. */
export function functionsOf(file: HouseFile): HouseFunction[] {
  const found: HouseFunction[] = [];
  visit(file.program, (node, parent) => {
    const name = FUNCTIONS.has(node.type) ? nameOf(node, parent) : null;
    if (name === null) return;
    const text = file.text.slice(node.start, Number(node["end"]));
    found.push({ file, name, lines: linesOf(text), node });
  });
  return found;
}

function nameOf(node: Node, parent: Node | null): string | null {
  const bearer = isNode(node["id"]) ? node["id"] : (parent?.["id"] ?? parent?.["key"]);
  return isNode(bearer) && typeof bearer["name"] === "string" ? bearer["name"] : null;
}

/** What stands at the top of a file, exported or not. */
export function statementsOf({ program }: HouseFile): Node[] {
  const body = Array.isArray(program["body"]) ? program["body"].filter(isNode) : [];
  return body.map((statement) => (isNode(statement["declaration"]) ? statement["declaration"] : statement));
}

/** The name of a node that is one, or that declares one. */
export function identifierOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (typeof node["name"] === "string") return node["name"];
  return isNode(node["id"]) ? identifierOf(node["id"]) : null;
}

export function lineAt({ text }: HouseFile, { start }: Node): number {
  return text.slice(0, start).split("\n").length;
}

function linesOf(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
