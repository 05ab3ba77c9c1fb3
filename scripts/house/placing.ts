/**
 * The names that what is placed has on its way, from the verb down to the rows and back to the answer: types that hold a part of it,
 * and those that add to such a one (`A & { … }`) or pick from it, which is the same value under a second name. Three members are told apart by more
 * than their name, for they stand in what is no placing as well. A size without a price is of a bot's book, a TWAP or a sum of fills;
 * a `key` that is an API key says who asks; the `action` of an operation is a word for what it does, and nothing that is signed.
 */
import { isNode, type Node } from "../tidy/node.ts";
import { functionsOf, type HouseFile, type HouseFunction, identifierOf, statementsOf, visit } from "./syntax.ts";

const FIRST = { path: "src/actions/place-order.ts", name: "placeOrder" };
/** Rooms that an order passes; what the outside world is made of has names of its own. */
const ROOMS = ["actions", "write", "settle", "store", "core", "wire"].map((room) => `src/${room}/`);
/** Whoever holds one of these holds the order, the key that asked for it or its action, or what came of them. */
const CARRIED = /^(?:order|orderId|key|keyRecord|idempotencyKey|leg|cloid|attempt|action|answer|body|size)$/;
/** What has such a member, and is of something else. */
const OF_OTHERS = new Set(["ApiKey", "StoredKey", "OperationAction", 'Operation["action"]']);

/** Types that stand in a signature on the way and carry a part of the placing, by name and file. */
export function namesOfPlacing(sources: readonly HouseFile[]): string[] {
  const files = new Map(sources.map((file) => [file.path, file]));
  const names = new Set<string>();
  for (const { file, node } of reached(files)) {
    visit(node, (below) => {
      if (below.type !== "TSTypeReference") return;
      const place = placeOf(files, file, identifierOf(below["typeName"]) ?? "");
      if (place !== null && ROOMS.some((room) => place.file.path.startsWith(room)) && carries(files, place)) {
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

function placeOf(files: ReadonlyMap<string, HouseFile>, file: HouseFile, name: string): Declared | null {
  const from = files.get(importOf(file, name) ?? file.path);
  const declared = from === undefined ? undefined : statementsOf(from).find((one) => identifierOf(one) === name);
  return from === undefined || declared === undefined ? null : { file: from, declared };
}

type Declared = { file: HouseFile; declared: Node };

function carries(files: ReadonlyMap<string, HouseFile>, { file, declared }: Declared): boolean {
  const members = new Map<string, string>();
  const added: Declared[] = [];
  visit(declared, (node, parent) => {
    if (node.type === "TSPropertySignature") members.set(identifierOf(node["key"]) ?? "", typeOf(file, node));
    if (node.type === "TSTypeReference" && identifierOf(node["typeName"]) === "Pick")
      for (const picked of namedIn(node)) members.set(picked, "");
    if (node.type !== "TSTypeReference" || parent?.type !== "TSIntersectionType") return;
    const place = placeOf(files, file, identifierOf(node["typeName"]) ?? "");
    if (place !== null && place.declared !== declared) added.push(place);
  });
  const own = [...members].filter(([name, type]) => CARRIED.test(name) && !OF_OTHERS.has(type));
  return own.some(([name]) => name !== "size" || members.has("price")) || added.some((each) => carries(files, each));
}

/** What a `Pick` names. */
function namedIn(node: Node): string[] {
  const names: string[] = [];
  visit(node, (below) => {
    const { literal } = below;
    if (below.type === "TSLiteralType" && isNode(literal)) names.push(String(literal["value"]));
  });
  return names;
}

function typeOf({ text }: HouseFile, { typeAnnotation: type }: Node): string {
  return isNode(type) ? text.slice(type.start, Number(type["end"])).replace(/^:\s*/, "") : "";
}
