/**
 * Follows a value through the source: into what it is handed to, and back out of what is given back. By syntax alone, so it goes
 * where a function is called by its name; a function that is handed on inside a value (what a plan stores, what a commit
 * runs) is read where it is written.
 */
import { isNode, type Node } from "../tidy/node.ts";
import { functionsOf, type HouseFile, type HouseFunction, identifierOf, lineAt } from "./syntax.ts";
import {
  annotationOf,
  awaited,
  declarationOf,
  type Files,
  importOf,
  isObject,
  memberOf,
  namesIn,
  type Written,
} from "./types.ts";

/** `whole`: a value that holds the one that is followed; `part`: a text or number out of such a one; `none`: anything else. */
type Level = "none" | "part" | "whole";

/** What is known of a value: how much of the followed one it is, its type where that is written down, its own members. */
type Value = { level: Level; type: Written | null; members: ReadonlyMap<string, Value> | null };

const NOTHING: Value = { level: "none", type: null, members: null };
const WHOLE: Value = { ...NOTHING, level: "whole" };
const LEVELS: readonly Level[] = ["none", "part", "whole"];
const FUNCTIONS = new Set(["FunctionExpression", "ArrowFunctionExpression", "FunctionDeclaration"]);
/** Methods that hand each member, or what comes later, to a function; and those that give back what they are called on. */
const OF_EACH = new Set(["map", "flatMap", "some", "every", "then"]);
const SAME = new Set(["finally", "catch", "filter", "find", "toSorted", "slice"]);
/** Members that are texts and yet all of it: of a request, of an answer, and of what is signed. */
const WHOLE_TEXTS = new Set(["body", "action"]);
/** The member under which a commit gives back what its work has given back. */
const WRAPPED = "value";
/** Where numbers and texts of any kind are read and written: what passes there has no name of its own. */
const GENERAL = /\((?:src\/core\/(?:decimal|canonical-json)|src\/wire\/(?:json|answer\/read))\.ts\)$/;
/** What is only looked at, and passes nothing on. */
const NOT_PASSED = new Set(["ThrowStatement", "TSTypeAliasDeclaration"]);

/** The inner names of one function, and what they hold. */
type Scope = { file: HouseFile; held: Map<string, Value> };

export class Road {
  /** Names of types under which the value has passed, each with its file, and the place where it first did. */
  readonly names = new Map<string, string>();
  readonly #files: Files;
  readonly #functions = new Map<string, HouseFunction>();
  readonly #given = new Map<string, Value>();

  constructor(sources: readonly HouseFile[]) {
    this.#files = new Map(sources.map((file) => [file.path, file]));
    for (const found of sources.flatMap(functionsOf)) this.#functions.set(`${found.file.path} ${found.name}`, found);
  }

  /** Follows whatever a function is handed as its parameter number `index`. */
  follow(file: HouseFile, node: Node, index: number): void {
    const scope = { file, held: new Map<string, Value>() };
    const params = nodes(node["params"]);
    params.forEach((param, at) => {
      if (at === index) this.#bind(scope, param, WHOLE, true);
    });
    this.#body(scope, node);
  }

  /** What a function gives back; its parameters are held already. */
  #body(scope: Scope, { body }: Node): Value {
    if (!isNode(body)) return NOTHING;
    if (body.type !== "BlockStatement") return this.#valueOf(scope, body);
    const given: Value[] = [];
    this.#statement(scope, body, given);
    return most(given);
  }

  /** Reads statements in the order in which they stand. What is only called, and whose result nobody takes, is a side road. */
  #statement(scope: Scope, node: Node, given: Value[]): void {
    if (NOT_PASSED.has(node.type)) return;
    if (node.type === "ReturnStatement") {
      if (isNode(node["argument"])) given.push(this.#valueOf(scope, node["argument"]));
      return;
    }
    if (node.type === "VariableDeclaration") {
      for (const { id, init } of nodes(node["declarations"])) {
        if (isNode(id) && isNode(init)) this.#bind(scope, id, this.#valueOf(scope, init));
      }
      return;
    }
    if (node.type === "ForOfStatement" && isNode(node["left"]) && isNode(node["right"])) {
      const [declared] = nodes(node["left"]["declarations"]);
      if (declared !== undefined && isNode(declared["id"]))
        this.#bind(scope, declared["id"], this.#valueOf(scope, node["right"]));
    }
    for (const child of ["body", "consequent", "alternate", "block", "handler", "finalizer", "cases"]) {
      for (const one of nodes(node[child])) this.#statement(scope, one, given);
    }
  }

  /** Gives names to a value, or to its members, and notes the type that is written beside them. */
  #bind(scope: Scope, pattern: Node, value: Value, isSpread = false): void {
    const target = pattern.type === "AssignmentPattern" && isNode(pattern["left"]) ? pattern["left"] : pattern;
    const written = annotationOf(scope.file, target);
    const type = this.#typeOf(written, value);
    this.#pass(written, value);
    if (target.type === "Identifier") scope.held.set(identifierOf(target) ?? "", { ...value, type });
    if (target.type === "ArrayPattern")
      for (const one of nodes(target["elements"])) this.#bind(scope, one, { ...value, type });
    if (target.type !== "ObjectPattern") return;
    for (const property of nodes(target["properties"])) {
      const inner = property["value"] ?? property["argument"];
      if (!isNode(inner)) continue;
      const isRest = property.type === "RestElement";
      const member = isRest || isSpread ? value : this.#member({ ...value, type }, identifierOf(property["key"]) ?? "");
      this.#bind(scope, inner, member);
    }
  }

  /** The type that is written down for a value, unless that is a letter for any type. */
  #typeOf(written: Written | null, { type }: Value): Written | null {
    return type === null || isObject(this.#files, written) ? written : type;
  }

  /** Notes the names of a type under which a value passes; of a type that is written out, those of the members that hold it. */
  #pass(written: Written | null, value: Value): void {
    if (written === null || value.level !== "whole") return;
    const type = awaited(written);
    const { file, node } = type;
    if (node.type !== "TSTypeLiteral" || value.members === null) {
      for (const name of namesIn(this.#files, type)) {
        const isNew = !this.names.has(name) && !GENERAL.test(name);
        if (isNew) this.names.set(name, `${file.path}:${lineAt(file, node)}`);
      }
      return;
    }
    for (const member of nodes(node["members"])) {
      const held = value.members.get(identifierOf(member["key"]) ?? "");
      if (held !== undefined) this.#pass(annotationOf(file, member), held);
    }
  }

  #member(value: Value, name: string): Value {
    const own = name === WRAPPED ? value : value.members?.get(name);
    if (own !== undefined) return own;
    if (value.level === "none" || value.members?.has("...") === false) return NOTHING;
    const type = memberOf(this.#files, value.type, name);
    const isWhole = isObject(this.#files, type) || WHOLE_TEXTS.has(name);
    return { level: isWhole ? value.level : "part", type, members: null };
  }

  #valueOf(scope: Scope, node: Node): Value {
    switch (node.type) {
      case "Identifier":
        return scope.held.get(identifierOf(node) ?? "") ?? NOTHING;
      case "MemberExpression": {
        const { object, property } = node;
        if (!isNode(object)) return NOTHING;
        return this.#member(this.#valueOf(scope, object), identifierOf(property) ?? "");
      }
      case "ObjectExpression":
        return this.#objectOf(scope, node);
      case "ArrayExpression":
        return { ...most(nodes(node["elements"]).map((one) => this.#valueOf(scope, one))), members: null };
      case "CallExpression":
        return this.#called(scope, node);
      case "ConditionalExpression":
        return this.#mostOf(scope, [node["consequent"], node["alternate"]]);
      case "LogicalExpression":
        return this.#mostOf(scope, [node["left"], node["right"]]);
      case "AwaitExpression":
      case "SpreadElement":
      case "ChainExpression":
      case "ParenthesizedExpression":
        return this.#mostOf(scope, [node["argument"] ?? node["expression"]]);
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        return this.#mostOf(scope, [node["expression"]]);
      default:
        return FUNCTIONS.has(node.type) ? this.#closure(scope, node) : NOTHING;
    }
  }

  #mostOf(scope: Scope, options: readonly unknown[]): Value {
    return most(options.filter(isNode).map((one) => this.#valueOf(scope, one)));
  }

  /** An object is made of the followed value where it holds it, or two parts of it. */
  #objectOf(scope: Scope, { properties }: Node): Value {
    const members = new Map<string, Value>();
    for (const property of nodes(properties)) {
      const inner = property["value"] ?? property["argument"];
      if (!isNode(inner)) continue;
      const value = this.#valueOf(scope, inner);
      if (property.type !== "SpreadElement") members.set(identifierOf(property["key"]) ?? "", value);
      else if (value.members !== null) for (const [name, one] of value.members) members.set(name, one);
      else members.set("...", value);
    }
    const levels = [...members.values()].map(({ level }) => level);
    const isWhole = levels.includes("whole") || levels.filter((level) => level === "part").length > 1;
    const spread = members.get("...");
    const level = isWhole ? "whole" : levels.includes("part") ? "part" : "none";
    return { level, type: spread?.type ?? null, members };
  }

  /** A function that is written inside another: its parameters are what it will be handed, and it stands for what it gives back. */
  #closure(scope: Scope, node: Node, handed: Value = WHOLE): Value {
    const inner = { file: scope.file, held: new Map(scope.held) };
    for (const param of nodes(node["params"])) {
      if (annotationOf(scope.file, param) === null && !isOfWorld(param)) this.#bind(inner, param, handed);
    }
    const given = this.#body(inner, node);
    const type = annotationOf(scope.file, node);
    this.#pass(type, given);
    return { ...given, type: this.#typeOf(type, given) };
  }

  #called(scope: Scope, node: Node): Value {
    const { callee } = node;
    if (!isNode(callee)) return NOTHING;
    if (callee.type === "MemberExpression") return this.#calledOf(scope, callee, nodes(node["arguments"]));
    const handed = nodes(node["arguments"]).map((one) => this.#valueOf(scope, one));
    const name = identifierOf(callee) ?? "";
    if (scope.held.has(name)) return scope.held.get(name) ?? NOTHING;
    const path = importOf(scope.file, name) ?? scope.file.path;
    const found = this.#functions.get(`${path} ${name}`);
    const isOurs = found !== undefined && declarationOf(this.#files, scope.file, name) !== null;
    return isOurs ? this.#into(found, handed) : { ...NOTHING, level: most(handed).level };
  }

  /** A method: of a value on the road what its type says; of anything else what its callbacks give back, or what it is made of. */
  #calledOf(scope: Scope, { object, property }: Node, given: readonly Node[]): Value {
    const receiver = isNode(object) ? this.#valueOf(scope, object) : NOTHING;
    const name = identifierOf(property) ?? "";
    const isOfEach = OF_EACH.has(name);
    const handed = given.map((one) =>
      FUNCTIONS.has(one.type) && isOfEach ? this.#closure(scope, one, receiver) : this.#valueOf(scope, one),
    );
    if (SAME.has(name)) return receiver;
    const back = most(given.flatMap((one, index) => (FUNCTIONS.has(one.type) ? (handed[index] ?? []) : [])));
    if (back.level !== "none" || isOfEach) return back;
    if (identifierOf(object) === "Promise") return most(handed);
    if (receiver.level === "whole") return this.#member(receiver, name);
    return { ...NOTHING, level: most([receiver, ...handed]).level };
  }

  /** Goes into a function with what it is handed. The same way is gone once. */
  #into({ file, name, node }: HouseFunction, handed: readonly Value[]): Value {
    if (handed.every(({ level }) => level !== "whole")) return { ...NOTHING, level: most(handed).level };
    const key = `${file.path} ${name} ${handed.map(shapeOf).join()}`;
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    this.#given.set(key, NOTHING);
    const scope = { file, held: new Map<string, Value>() };
    nodes(node["params"]).forEach((param, index) => {
      this.#bind(scope, param, handed[index] ?? NOTHING);
    });
    const given = this.#body(scope, node);
    const type = annotationOf(file, node);
    this.#pass(type, given);
    const result = { ...given, type: this.#typeOf(type, given) };
    this.#given.set(key, result);
    return result;
  }
}

function shapeOf({ level, members }: Value): string {
  return members === null ? level : `{${[...members].map(([name, one]) => `${name}:${shapeOf(one)}`).join()}}`;
}

/** What a callback is handed of the outside world: where it writes, and its place among what is under way. */
function isOfWorld(param: Node): boolean {
  return /^(?:store|slot|deps|world|error)$/.test(identifierOf(param) ?? "");
}

/** What is known of a value that may be any of several: of each member the most that any of them has. */
function most(values: readonly Value[]): Value {
  const [first = NOTHING, ...others] = values.toSorted((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level));
  const like = [first, ...others.filter(({ level }) => level === first.level)];
  const names = new Set(like.flatMap(({ members }) => [...(members ?? [])].map(([name]) => name)));
  const isSpelled = like.every(({ members }) => members !== null);
  const members = [...names].map((name) => [name, most(like.flatMap((one) => one.members?.get(name) ?? []))] as const);
  const type = like.find((one) => one.type !== null)?.type ?? null;
  return { level: first.level, type, members: isSpelled ? new Map(members) : null };
}

function nodes(value: unknown): Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}
