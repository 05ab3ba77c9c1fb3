/** The names that what is placed has on its way, from the verb down to the rows and back to the answer. */
import { isNode, type Node } from "../tidy/node.ts";
import { functionsOf, type HouseFile, type HouseFunction, identifierOf, statementsOf, visit } from "./syntax.ts";

const FIRST = { path: "src/actions/place-order.ts", name: "placeOrder" };
/** Rooms that an order passes; what the outside world is made of has names of its own. */
const ROOMS = ["actions", "write", "settle", "store", "core", "wire"].map((room) => `src/${room}/`);
/** Whoever holds one of these holds the order, the key that asked for it or its action, or what came of them. */
const CARRIED = /^(?:order|orderId|key|idempotencyKey|leg|cloid|attempt|action|answer|body|size)$/;

/** Types that stand in a signature on the way and carry a part of the placing, by name and file. */
export function namesOfPlacing(sources: readonly HouseFile[]): string[] {
  const files = new Map(sources.map((file) => [file.path, file]));
  const names = new Set<string>();
  for (const { file, node } of reached(files)) {
    visit(node, (below) => {
      if (below.type !== "TSTypeReference") return;
      const place = placeOf(files, file, identifierOf(below["typeName"]) ?? "");
      if (place !== null && ROOMS.some((room) => place.file.path.startsWith(room)) && carries(place.declared)) {
        names.add(`${identifierOf(below["typeName"])} (${place.file.path})`);
      }
    });
  }
  return [...names].sort();
}

function reached(files: ReadonlyMap<string, HouseFile>): HouseFunction[] {
  const byPlace = new Map<string, HouseFunction>();
  for (const found of [...files.values()].flatMap(functionsOf)) byPlace.set(`${found.file.path} ${found.name}`, found);
  const seen = new Set<HouseFunction>();
  const queue = [byPlace.get(`${FIRST.path} ${FIRST.name}`)];
  while (queue.length > 0) {
    const next = queue.pop();
    if (next === undefined || seen.has(next)) continue;
    seen.add(next);
    visit(next.node, (node) => {
      if (node.type !== "CallExpression") return;
      const name = identifierOf(node["callee"]) ?? "";
      queue.push(byPlace.get(`${next.file.path} ${name}`) ?? byPlace.get(`${importOf(next.file, name)} ${name}`));
    });
  }
  return [...seen];
}

function importOf({ path, program }: HouseFile, name: string): string | null {
  let found: string | null = null;
  visit(program, (node) => {
    const { source, specifiers } = node;
    if (node.type !== "ImportDeclaration" || !isNode(source) || !Array.isArray(specifiers)) return;
    const isNamed = specifiers.some((one) => isNode(one) && identifierOf(one["local"]) === name);
    if (isNamed) found = new URL(String(source["value"]), `file:///${path}`).pathname.slice(1);
  });
  return found;
}

function placeOf(files: ReadonlyMap<string, HouseFile>, file: HouseFile, name: string) {
  const from = files.get(importOf(file, name) ?? file.path);
  const declared = from === undefined ? undefined : statementsOf(from).find((one) => identifierOf(one) === name);
  return from === undefined || declared === undefined ? null : { file: from, declared };
}

function carries(declared: Node): boolean {
  let isCarrier = false;
  visit(declared, (node) => {
    isCarrier ||= node.type === "TSPropertySignature" && CARRIED.test(identifierOf(node["key"]) ?? "");
  });
  return isCarrier;
}
