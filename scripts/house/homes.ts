/** Functions of store/ that have to ask a placing's row and a table of its own for one and the same fact. */
import { isNode, type Node } from "../tidy/node.ts";
import { type HouseFile, type HouseFunction, identifierOf, statementsOf, visit } from "./syntax.ts";

/** A fact of a placing stands in the first, that of every later leg, attempt or key in the second. */
const HOMES = [
  ["orders", "attempts"],
  ["orders", "legs"],
  ["orders", "idempotency"],
] as const;

/** Where the tables are declared, as their neighbours write it. */
const SCHEMA = "./schema.ts";

/** Tables in a statement that is written as text. */
const IN_TEXT = /\b(?:from|join|into|update)\s+"?([a-z_]+)/gi;

export function asksBothHomes({ file, node }: HouseFunction): boolean {
  if (!file.path.startsWith("src/store/")) return false;
  const asked = tablesOf(file, node);
  return HOMES.some(([one, other]) => asked.has(one) && asked.has(other));
}

/**
 * Tables that are named below a node, and by constants of the same file that it names: statements are kept in those. A name is
 * a table's where the file has it from the schema: elsewhere `orders` and `legs` are values that were read.
 */
function tablesOf(file: HouseFile, node: Node): Set<string> {
  const constants = constantsOf(file);
  const imported = namesOfSchema(file);
  const tables = new Set<string>();
  const seen = new Set<string>();
  const queue = [node];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    visit(next, (below) => {
      const identifier = below.type === "Identifier" ? String(below["name"]) : "";
      const constant = seen.has(identifier) ? undefined : constants.get(identifier);
      seen.add(identifier);
      if (constant !== undefined) queue.push(constant);
      if (imported.has(identifier)) tables.add(identifier);
      for (const name of inText(below)) tables.add(name);
    });
  }
  return tables;
}

function inText({ value }: Node): string[] {
  const text = typeof value === "object" && value !== null && "raw" in value ? value.raw : value;
  return typeof text === "string" ? [...text.matchAll(IN_TEXT)].map(([, name = ""]) => name) : [];
}

/** What a file has from the schema, by the names that it has there. */
function namesOfSchema(file: HouseFile): Set<string> {
  const fromSchema = statementsOf(file).filter(
    ({ type, source }) => type === "ImportDeclaration" && isNode(source) && source["value"] === SCHEMA,
  );
  const specifiers = fromSchema.flatMap((statement) => statement["specifiers"]).filter(isNode);
  return new Set(specifiers.map((specifier) => identifierOf(specifier["local"]) ?? ""));
}

function constantsOf(file: HouseFile): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const { type, declarations } of statementsOf(file)) {
    if (type !== "VariableDeclaration" || !Array.isArray(declarations)) continue;
    for (const declared of declarations.filter(isNode)) found.set(identifierOf(declared) ?? "", declared);
  }
  return found;
}
