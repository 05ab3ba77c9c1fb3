/**
 * What the house rules need to know of one source file, read from its syntax tree: text searches take
 * `fetch` in a comment, a string or a property name for the real thing.
 */
import { type Comment, parseSync } from "oxc-parser";
import { type Constants, constantText } from "./constant-text.ts";
import { isNode, type Node } from "./node.ts";

export type SourceFile = { path: string; text: string };

export type Import = { specifier: string; typeOnly: boolean; line: number };
export type Mention = { name: string; line: number };

/** `source` is null where the text is put together from what is not in the file. */
export type Pattern = { source: string | null; flags: string; line: number };

export type Facts = {
  path: string;
  text: string;
  lineCount: number;
  imports: Import[];
  /** Names as their packages export them: `randomBytes`; `all of it` for a whole module. */
  imported: Mention[];
  /** Globals the file reaches for, dotted as written: `fetch`, `Date.now`, `import.meta.env`. */
  globals: Mention[];
  /** `await`, `for await` and `async`. */
  waits: Mention[];
  /** Text of strings and templates. */
  literals: Mention[];
  /** Names called as methods: `sign` in `key.sign(digest)`. */
  methods: Mention[];
  /** `new Date()` and `Date()`, which read the clock. */
  clockReads: Mention[];
  /** Sleeps that are kept or listed, and not awaited where they begin. */
  keptSleeps: Mention[];
  /** Limits of time that a test sets itself. */
  ownLimits: Mention[];
  /** Regular expressions, TypeBox' patterns among them. */
  patterns: Pattern[];
  /** Casts other than `as const` and of literals, by the type they claim. */
  casts: Mention[];
  /** `const name = () => …` at the top level. */
  arrowConstants: Mention[];
  /** Lines with a spread of what is written out on the spot. */
  idleSpreads: number[];
  /** Classes, types and functions the file declares. */
  declared: Mention[];
  /** Types at the top level, whether other files can import them or not. */
  types: Mention[];
  comments: { text: string; firstLine: number; lastLine: number }[];
  syntaxError: string | null;
};

type Place = { parent: Node | null; key: string; inType: boolean; inBinding: boolean };
type Scan = Facts & {
  lineOf: (offset: number) => number;
  bound: Set<string>;
  /** What a regular expression is made of; read at the end, when all constants are known. */
  patternTexts: { text: Node; flags: string; line: number }[];
  constants: Constants;
};

const TYPE_KEYS = new Set([
  "typeAnnotation",
  "typeParameters",
  "typeArguments",
  "returnType",
  "superTypeArguments",
  "implements",
]);
const VALUE_WRAPPERS = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);
const KEYED = new Set(["Property", "MethodDefinition", "PropertyDefinition", "AccessorProperty"]);
const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const DECLARATIONS = new Set(["FunctionDeclaration", "ClassDeclaration", "TSTypeAliasDeclaration"]);
const SKIPPED_PARENTS = new Set([
  "ExportSpecifier",
  "LabeledStatement",
  "BreakStatement",
  "ContinueStatement",
  "MetaProperty",
]);

export function readFacts(file: SourceFile): Facts {
  const lineOf = lineFinder(file.text);
  const parsed = parseSync(file.path, file.text);
  const scan: Scan = {
    path: file.path,
    text: file.text,
    lineCount: file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0),
    imports: [],
    imported: [],
    globals: [],
    waits: [],
    literals: [],
    methods: [],
    clockReads: [],
    keptSleeps: [],
    ownLimits: [],
    patterns: [],
    casts: [],
    arrowConstants: [],
    idleSpreads: [],
    declared: [],
    types: [],
    comments: parsed.comments.map((comment) => place(comment, lineOf)),
    syntaxError: parsed.errors[0]?.message ?? null,
    lineOf,
    bound: new Set(),
    patternTexts: [],
    constants: new Map(),
  };
  // The tree is plain data; its published type is a union of 200 shapes that this walk does not tell apart.
  visit(scan, parsed.program as unknown as Node, { parent: null, key: "", inType: false, inBinding: false });
  const { bound, lineOf: _, patternTexts, constants, ...facts } = scan;
  for (const { text, ...rest } of patternTexts) facts.patterns.push({ ...rest, source: constantText(text, constants) });
  return { ...facts, globals: facts.globals.filter((mention) => !bound.has(mention.name.split(".")[0] ?? "")) };
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  let last = 0;
  return (offset) => {
    // Asked in the order of the text, and several times of one node.
    const isSame = (starts[last] ?? 0) <= offset && offset < (starts[last + 1] ?? Number.POSITIVE_INFINITY);
    if (isSame) return last + 1;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    last = low;
    return low + 1;
  };
}

function place(comment: Comment, lineOf: (offset: number) => number) {
  return { text: comment.value, firstLine: lineOf(comment.start), lastLine: lineOf(comment.end) };
}

function visit(scan: Scan, node: Node, at: Place): void {
  record(scan, node, at);
  const inType = at.inType || (node.type.startsWith("TS") && !VALUE_WRAPPERS.has(node.type));
  // Millions of members, of which most are texts and numbers: no list is made of them.
  for (const key in node) {
    const child = node[key];
    if (typeof child !== "object" || child === null) continue;
    const inBinding = bindsAt(node, key, at.inBinding);
    const below: Place = { parent: node, key, inType: inType || TYPE_KEYS.has(key), inBinding };
    for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) visit(scan, item, below);
  }
}

/** Whether identifiers below this key give names instead of using them. */
function bindsAt(node: Node, key: string, inBinding: boolean): boolean {
  if (key === "id" && (node.type === "VariableDeclarator" || node.type.startsWith("Class"))) return true;
  if (FUNCTIONS.has(node.type)) return key === "id" || key === "params";
  if (node.type === "CatchClause" && key === "param") return true;
  if (node.type === "AssignmentPattern" && key === "right") return false;
  if (node.type.startsWith("Import")) return true;
  if (KEYED.has(node.type) && key === "key") return false;
  return inBinding && (node.type.endsWith("Pattern") || node.type === "RestElement" || node.type === "Property");
}

function record(scan: Scan, node: Node, at: Place): void {
  recordImport(scan, node);
  recordShape(scan, node, at);
  recordPattern(scan, node, at);
  recordSleeps(scan, node);
  recordOwnLimit(scan, node);
  const line = scan.lineOf(node.start);
  if (node.type === "AwaitExpression" || node["await"] === true) scan.waits.push({ name: "await", line });
  if (node["async"] === true) scan.waits.push({ name: "async", line });
  if (node.type === "Literal" && typeof node["value"] === "string") scan.literals.push({ name: node["value"], line });
  if (node.type === "TemplateElement") scan.literals.push({ name: rawText(node), line });
  if (at.inType) return;
  const name = referenceName(node, at);
  if (name !== null) scan.globals.push({ name, line });
  if (node.type === "Identifier" && at.inBinding && !isPropertyKey(at)) scan.bound.add(String(node["name"]));
  if (node.type === "CallExpression" || node.type === "NewExpression") recordCall(scan, node, line);
}

function recordImport(scan: Scan, node: Node): void {
  const { source, imported } = node;
  if (node.type === "ImportSpecifier" && isNode(imported)) {
    scan.imported.push({ name: String(imported["name"] ?? imported["value"]), line: scan.lineOf(node.start) });
  }
  if (node.type === "ImportNamespaceSpecifier" || node.type === "ImportDefaultSpecifier") {
    scan.imported.push({ name: "all of it", line: scan.lineOf(node.start) });
  }
  if (!isNode(source) || typeof source["value"] !== "string") return;
  const typeOnly = node["importKind"] === "type" || node["exportKind"] === "type" || node.type === "TSImportType";
  scan.imports.push({ specifier: source["value"], typeOnly, line: scan.lineOf(node.start) });
}

/** Calls that make a regular expression of a text that they are given: the language's own, and TypeBox'. */
const MAKES_PATTERN = new Set(["RegExp", "TemplateLiteral", "match", "matchAll", "search"]);

function recordPattern(scan: Scan, node: Node, at: Place): void {
  const line = scan.lineOf(node.start);
  const { regex, value, key, init, callee } = node;
  if (node.type === "VariableDeclarator" && isNode(init)) scan.constants.set(idOf(node), init);
  if (
    node.type === "Literal" &&
    typeof regex === "object" &&
    regex !== null &&
    "pattern" in regex &&
    "flags" in regex
  ) {
    scan.patterns.push({ source: String(regex.pattern), flags: String(regex.flags), line });
  }
  const isMember = node.type === "Property" && at.parent?.type === "ObjectExpression" && isNode(key) && isNode(value);
  if (isMember && (key["name"] ?? key["value"]) === "pattern") scan.patternTexts.push({ text: value, flags: "", line });
  if ((node.type !== "CallExpression" && node.type !== "NewExpression") || !isNode(callee)) return;
  const [text, flags] = Array.isArray(node["arguments"]) ? node["arguments"] : [];
  const isMaking = isNode(callee["property"])
    ? MAKES_PATTERN.has(String(callee["property"]["name"]))
    : callee["name"] === "RegExp";
  if (!isNode(text) || !isMaking) return;
  scan.patternTexts.push({ text, flags: constantText(flags, scan.constants) ?? "", line });
}

function recordSleeps(scan: Scan, node: Node): void {
  const { init, elements } = node;
  const kept = Array.isArray(elements) ? elements : [node.type === "VariableDeclarator" ? init : null];
  for (const each of kept) {
    if (isSleep(each)) scan.keptSleeps.push({ name: "sleep", line: scan.lineOf(each.start) });
  }
}

/** `clock.sleep(…)`, and what is made of it by `.then(…)` and its kind. */
function isSleep(value: unknown): value is Node {
  if (!isNode(value) || value.type !== "CallExpression" || !isNode(value["callee"])) return false;
  const { property, object } = value["callee"];
  return (isNode(property) && property["name"] === "sleep") || isSleep(object);
}

/** `test(title, run, limit)`, and `test.each(rows)(title, run, limit)`. */
function recordOwnLimit(scan: Scan, node: Node): void {
  const limit: unknown =
    node.type === "CallExpression" && Array.isArray(node["arguments"]) ? node["arguments"][2] : null;
  if (isNode(limit) && isOfTest(node["callee"])) scan.ownLimits.push({ name: "limit", line: scan.lineOf(limit.start) });
}

function isOfTest(value: unknown): boolean {
  if (!isNode(value)) return false;
  return value.type === "Identifier"
    ? value["name"] === "test"
    : isOfTest(value["callee"]) || isOfTest(value["object"]);
}

function recordShape(scan: Scan, node: Node, at: Place): void {
  const line = scan.lineOf(node.start);
  if (node.type === "TSTypeAssertion" || (node.type === "TSAsExpression" && !isConstCast(node))) {
    // In `value as unknown as T` the inner cast is half of the outer one.
    const isHalf = at.parent?.type === "TSAsExpression";
    if (!isHalf && !isLiteral(node["expression"]))
      scan.casts.push({ name: castTarget(scan, node), line: scan.lineOf(endOf(node)) });
  }
  if (node.type === "SpreadElement" && isWrittenOut(node["argument"])) scan.idleSpreads.push(line);
  const topLevel = at.parent?.type === "Program" || at.parent?.type === "ExportNamedDeclaration";
  if (DECLARATIONS.has(node.type)) {
    scan.declared.push({ name: idOf(node), line });
  }
  if (node.type === "TSTypeAliasDeclaration" && topLevel) {
    scan.types.push({ name: idOf(node), line });
  }
  if (node.type !== "VariableDeclaration" || !topLevel || !Array.isArray(node["declarations"])) return;
  for (const declarator of node["declarations"].filter(isNode)) {
    const { init } = declarator;
    if (isNode(init) && init.type === "ArrowFunctionExpression")
      scan.arrowConstants.push({ name: idOf(declarator), line });
  }
}

function isWrittenOut(value: unknown): boolean {
  if (!isNode(value)) return false;
  const { type, expression } = value;
  if (type === "ParenthesizedExpression" || type === "TSAsExpression") return isWrittenOut(expression);
  return type === "ObjectExpression" || type === "ArrayExpression";
}

function idOf(node: Node): string {
  const { id } = node;
  return isNode(id) ? String(id["name"]) : "";
}

/** `"0" as Decimal` is checked by looking at it. */
function isLiteral(value: unknown): boolean {
  return isNode(value) && value.type === "Literal";
}

function castTarget(scan: Scan, node: Node): string {
  const { typeAnnotation } = node;
  return isNode(typeAnnotation) ? scan.text.slice(typeAnnotation.start, endOf(typeAnnotation)) : "";
}

function isConstCast(node: Node): boolean {
  const annotation = node["typeAnnotation"];
  const typeName = isNode(annotation) ? annotation["typeName"] : null;
  return isNode(typeName) && typeName["name"] === "const";
}

function endOf(node: Node): number {
  return typeof node["end"] === "number" ? node["end"] : node.start;
}

function rawText(node: Node): string {
  const value = node["value"];
  return typeof value === "object" && value !== null && "raw" in value ? String(value.raw) : "";
}

function recordCall(scan: Scan, node: Node, line: number): void {
  const callee = node["callee"];
  if (!isNode(callee)) return;
  const isDate = callee.type === "Identifier" && callee["name"] === "Date";
  const hasArguments = Array.isArray(node["arguments"]) && node["arguments"].length > 0;
  if (isDate && (node.type === "CallExpression" || !hasArguments)) scan.clockReads.push({ name: "new Date()", line });
  if (callee.type === "MemberExpression" && isNode(callee["property"])) {
    scan.methods.push({ name: String(callee["property"]["name"] ?? callee["property"]["value"]), line });
  }
}

/** `a`, `a.b` or `import.meta.env` when the node uses a name that may be a global, else null. */
function referenceName(node: Node, at: Place): string | null {
  if (node.type === "MemberExpression") return memberName(node);
  if (node.type !== "Identifier" || at.inBinding || at.parent === null) return null;
  const isMember = at.parent.type === "MemberExpression" && at.key === "property" && at.parent["computed"] !== true;
  return isMember || isPropertyKey(at) || SKIPPED_PARENTS.has(at.parent.type) ? null : String(node["name"]);
}

function isPropertyKey(at: Place): boolean {
  return at.parent !== null && KEYED.has(at.parent.type) && at.key === "key" && at.parent["computed"] !== true;
}

function memberName(node: Node): string | null {
  const { object, property } = node;
  if (!isNode(object) || !isNode(property)) return null;
  const member = node["computed"] === true ? property["value"] : property["name"];
  if (typeof member !== "string") return null;
  if (object.type === "MetaProperty") return `import.meta.${member}`;
  if (object.type !== "Identifier") return null;
  return object["name"] === "globalThis" ? member : `${String(object["name"])}.${member}`;
}
