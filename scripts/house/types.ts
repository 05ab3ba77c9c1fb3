/** What a type written in a source file names, and what stands behind it: by its text alone, without a compiler. */
import { isNode, type Node } from "../tidy/node.ts";
import { type HouseFile, identifierOf, statementsOf, visit } from "./syntax.ts";

/** A type as it is written, in the file whose imports say what its names mean. */
export type Written = { file: HouseFile; node: Node };
export type Files = ReadonlyMap<string, HouseFile>;

/** Names of the language or of packages that stand for their first argument, whole or in part. */
const TRANSPARENT = new Set(["Promise", "Readonly", "Partial", "Pick", "Omit", "Awaited", "Static"]);
/** Longest chain of names that is followed. */
const MAX_DEPTH = 16;

/** Where a name that a file uses is declared, at the top of a file; null where it is of a package or of a function. */
export function declarationOf(files: Files, file: HouseFile, name: string): Written | null {
  const from = files.get(importOf(file, name) ?? file.path);
  const node = from === undefined ? undefined : statementsOf(from).find((one) => declares(one, name));
  return from === undefined || node === undefined ? null : { file: from, node };
}

function declares(statement: Node, name: string): boolean {
  const { declarations } = statement;
  return Array.isArray(declarations)
    ? declarations.some((one) => identifierOf(one) === name)
    : identifierOf(statement) === name;
}

/** Path of the file that a name is imported from. */
export function importOf(file: HouseFile, name: string): string | null {
  return importsOf(file).get(name) ?? null;
}

const imported = new Map<HouseFile, ReadonlyMap<string, string>>();

function importsOf(file: HouseFile): ReadonlyMap<string, string> {
  const known = imported.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, string>();
  for (const { type, source, specifiers } of statementsOf(file)) {
    if (type !== "ImportDeclaration" || !isNode(source) || !Array.isArray(specifiers)) continue;
    const path = new URL(String(source["value"]), `file:///${file.path}`).pathname.slice(1);
    for (const one of specifiers.filter(isNode)) found.set(identifierOf(one["local"]) ?? "", path);
  }
  imported.set(file, found);
  return found;
}

/** The type after `:` of a parameter, a member, a variable or a function. */
export function annotationOf(file: HouseFile, holder: unknown): Written | null {
  if (!isNode(holder)) return null;
  const annotation = holder["typeAnnotation"] ?? holder["returnType"];
  if (!isNode(annotation)) return null;
  const node = annotation["typeAnnotation"];
  return isNode(node) ? { file, node } : null;
}

/** What a promise is of; any other type as it is. */
export function awaited(type: Written): Written {
  const [first] = identifierOf(type.node["typeName"]) === "Promise" ? argumentsOf(type.node) : [];
  return first === undefined ? type : { file: type.file, node: first };
}

/** What a type says of one of its members: its type, or what calling it gives; null where that is not written down. */
export function memberOf(files: Files, type: Written | null, name: string, depth = 0): Written | null {
  if (type === null || depth > MAX_DEPTH) return null;
  const { file, node } = type;
  const inside = (one: Written | null) => memberOf(files, one, name, depth + 1);
  if (node.type === "TSTypeLiteral") return ofLiteral(type, name);
  if (node.type === "TSIntersectionType" || node.type === "TSUnionType") {
    for (const part of partsOf(type)) {
      const found = inside(part);
      if (found !== null) return found;
    }
    return null;
  }
  if (node.type === "TSIndexedAccessType") return inside(indexed(files, type));
  return node.type === "TSTypeReference" ? inside(behind(files, file, node)) : null;
}

function ofLiteral({ file, node }: Written, name: string): Written | null {
  const members = Array.isArray(node["members"]) ? node["members"].filter(isNode) : [];
  const found = members.find(({ key }) => identifierOf(key) === name);
  const type = annotationOf(file, found);
  if (type?.node.type !== "TSFunctionType") return type;
  return annotationOf(file, type.node);
}

/** `Type["member"]`. */
function indexed(files: Files, { file, node }: Written): Written | null {
  const { objectType, indexType } = node;
  const literal = isNode(indexType) ? indexType["literal"] : null;
  if (!isNode(objectType) || !isNode(literal)) return null;
  return memberOf(files, { file, node: objectType }, String(literal["value"]));
}

/** What a reference stands for: its declaration, or the argument of a name that only wraps. */
function behind(files: Files, file: HouseFile, reference: Node): Written | null {
  const name = identifierOf(reference["typeName"]) ?? "";
  const declared = declarationOf(files, file, name);
  if (declared !== null) return annotated(declared);
  const [first] = TRANSPARENT.has(name) ? argumentsOf(reference) : [];
  return first === undefined ? null : { file, node: first };
}

function annotated({ file, node }: Written): Written | null {
  const { typeAnnotation } = node;
  return isNode(typeAnnotation) ? { file, node: typeAnnotation } : null;
}

function argumentsOf({ typeArguments }: Node): Node[] {
  const params = isNode(typeArguments) ? typeArguments["params"] : null;
  return Array.isArray(params) ? params.filter(isNode) : [];
}

/** The parts of a union or an intersection. */
function partsOf({ file, node }: Written): Written[] {
  const { types } = node;
  return Array.isArray(types) ? types.filter(isNode).map((part) => ({ file, node: part })) : [];
}

/** Whether it has members: no text, number, function or list of words. */
export function isObject(files: Files, type: Written | null, depth = 0): boolean {
  if (type === null || depth > MAX_DEPTH) return false;
  const { file, node } = type;
  const inside = (one: Written | null) => isObject(files, one, depth + 1);
  switch (node.type) {
    case "TSTypeLiteral":
    case "TSTypeQuery":
    case "TSMappedType":
      return true;
    case "TSUnionType":
      return partsOf(type).some(inside);
    case "TSIntersectionType":
      return partsOf(type).some(inside) && !partsOf(type).some((part) => part.node.type === "TSStringKeyword");
    case "TSArrayType":
      return isNode(node["elementType"]) && inside({ file, node: node["elementType"] });
    case "TSTypeOperator":
      return inside(annotated(type));
    case "TSIndexedAccessType":
      return inside(indexed(files, type));
    case "TSTypeReference":
      return inside(behind(files, file, node));
    default:
      return false;
  }
}

/** Names in a type that have members, each with its file; none of those that stand in a function's type or behind `Type["…"]`. */
export function namesIn(files: Files, type: Written | null): string[] {
  if (type === null || type.node.type === "TSFunctionType" || type.node.type === "TSIndexedAccessType") return [];
  const { file, node } = type;
  const own =
    node.type === "TSTypeReference" ? node["typeName"] : node.type === "TSTypeQuery" ? node["exprName"] : null;
  const declared = declarationOf(files, file, identifierOf(own) ?? "");
  const isCounted = declared !== null && (node.type === "TSTypeQuery" || isObject(files, type));
  const below: string[] = [];
  visit(node, (each, parent) => {
    if (parent === node) below.push(...namesIn(files, { file, node: each }));
  });
  return isCounted ? [`${identifierOf(own)} (${declared.file.path})`, ...below] : below;
}
