/**
 * The response types of the SDK as checks. It publishes no schemas for answers, but its declarations are types of
 * a simple kind with the pattern of every string in a comment; this reads them and holds values against them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

type Member = { name: string; isOptional: boolean; shape: Shape };
type Shape =
  | { kind: "object"; members: Member[]; rest: Shape | null }
  | { kind: "array"; item: Shape }
  | { kind: "tuple"; items: Shape[] }
  | { kind: "union"; options: Shape[] }
  | { kind: "both"; parts: Shape[] }
  | { kind: "literal"; value: string | number | boolean | null }
  | { kind: "text"; pattern: RegExp | null }
  | { kind: "primitive"; type: "number" | "boolean" | "unknown" }
  | { kind: "name"; name: string };

type ObjectShape = Extract<Shape, { kind: "object" }>;

type Token = { text: string; pattern: string | null };

const TOKEN = /\/\*\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Za-z_$][\w$]*|-?[0-9]+|[{}[\]()|;:?,<>=.&]/g;

/** Tokens of a declaration; the pattern in a comment goes with the token after it. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let pattern: string | null = null;
  for (const [found] of text.replace(/^\s*\/\/.*$/gm, "").matchAll(TOKEN)) {
    if (!found.startsWith("/**")) {
      tokens.push({ text: found, pattern });
      pattern = null;
      continue;
    }
    pattern = /@pattern (\S+)/.exec(found)?.[1] ?? pattern;
  }
  return tokens;
}

class Reader {
  readonly tokens: Token[];
  at = 0;

  constructor(tokens: Token[]) {
    this.tokens = tokens;
  }

  peek(ahead = 0): string {
    return this.tokens[this.at + ahead]?.text ?? "";
  }

  take(text?: string): Token {
    const token = this.tokens[this.at];
    if (token === undefined || (text !== undefined && token.text !== text)) {
      throw new Error(
        `sdk types: want ${text ?? "more"}, have ${this.tokens
          .slice(this.at, this.at + 8)
          .map((one) => one.text)
          .join(" ")}`,
      );
    }
    this.at += 1;
    return token;
  }

  shape(pattern: string | null): Shape {
    if (this.peek() === "|") this.take();
    const options = [this.joined(pattern)];
    while (this.peek() === "|") {
      this.take();
      options.push(this.joined(pattern));
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "union", options };
  }

  joined(pattern: string | null): Shape {
    const parts = [this.postfix(pattern)];
    while (this.peek() === "&") {
      this.take();
      parts.push(this.postfix(pattern));
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "both", parts };
  }

  postfix(pattern: string | null): Shape {
    let shape = this.single(pattern);
    while (this.peek() === "[" && this.peek(1) === "]") {
      this.take();
      this.take();
      shape = { kind: "array", item: shape };
    }
    return shape;
  }

  single(pattern: string | null): Shape {
    const { text } = this.take();
    if (text === "{") return this.object();
    if (text === "[") return this.tuple();
    if (text === "(") {
      const inner = this.shape(pattern);
      this.take(")");
      return inner;
    }
    if (text.startsWith('"')) return { kind: "literal", value: JSON.parse(text) };
    if (text.startsWith("`")) return { kind: "text", pattern: new RegExp(pattern ?? templatePattern(text)) };
    if (/^-?[0-9]/.test(text)) return { kind: "literal", value: Number(text) };
    if (text === "true" || text === "false") return { kind: "literal", value: text === "true" };
    if (text === "null") return { kind: "literal", value: null };
    if (text === "string") return { kind: "text", pattern: pattern === null ? null : new RegExp(pattern) };
    if (text === "number" || text === "boolean" || text === "unknown") return { kind: "primitive", type: text };
    if (text === "Exclude") return this.excluded();
    if (this.peek() === "<") throw new Error(`sdk types: ${text}<…> is not understood`);
    return { kind: "name", name: text };
  }

  /** `Exclude<A, B>`: A, because no test would give B where it may not stand. */
  excluded(): Shape {
    this.take("<");
    const shape = this.shape(null);
    this.take(",");
    this.shape(null);
    this.take(">");
    return shape;
  }

  object(): Shape {
    const members: Member[] = [];
    let rest: Shape | null = null;
    while (this.peek() !== "}") {
      const { text, pattern } = this.take();
      if (text === "[") {
        while (this.take().text !== "]");
        this.take(":");
        rest = this.shape(pattern);
      } else {
        const isOptional = this.peek() === "?";
        if (isOptional) this.take();
        this.take(":");
        members.push({ name: text.replace(/^"|"$/g, ""), isOptional, shape: this.shape(pattern) });
      }
      if (this.peek() === ";") this.take();
    }
    this.take("}");
    return { kind: "object", members, rest };
  }

  tuple(): Shape {
    const items: Shape[] = [];
    while (this.peek() !== "]") {
      const pattern = this.tokens[this.at]?.pattern ?? null;
      if (/^[A-Za-z]/.test(this.peek()) && this.peek(1) === ":") {
        this.take();
        this.take();
      }
      items.push(this.shape(pattern));
      if (this.peek() === ",") this.take();
    }
    this.take("]");
    return { kind: "tuple", items };
  }
}

function templatePattern(template: string): string {
  return `^${template
    .slice(1, -1)
    .replace(/[+*.]/g, "\\$&")
    .replace(/\$\{string\}/g, ".*")
    .replace(/\$\{number\}/g, "[0-9]+")}$`;
}

const API = join(dirname(createRequire(import.meta.url).resolve("@nktkas/hyperliquid")), "api");

/** Declarations that are read when they are asked for: not all of them are of the simple kind. */
function readDeclarations(): Map<string, string> {
  const declarations = new Map<string, string>();
  // The last one counts: an action and a read may have the same name.
  for (const folder of ["exchange/_methods", "subscription/_methods", "info/_methods/_base", "info/_methods"]) {
    for (const name of readdirSync(join(API, folder)).filter((file) => file.endsWith(".d.ts"))) {
      const text = readFileSync(join(API, folder, name), "utf8");
      for (const found of text.matchAll(/^(?:export )?type (\w+) = /gm)) {
        declarations.set(found[1] ?? "", text.slice(found.index + found[0].length));
      }
    }
  }
  return declarations;
}

const DECLARATIONS = readDeclarations();
const SHAPES = new Map<string, Shape>();

function shapeNamed(name: string): Shape {
  const known = SHAPES.get(name);
  if (known !== undefined) return known;
  const declaration = DECLARATIONS.get(name);
  if (declaration === undefined) throw new Error(`sdk types: no ${name}`);
  const shape = new Reader(tokensOf(declaration)).shape(null);
  SHAPES.set(name, shape);
  return shape;
}

/** What of the value is not as the SDK's type of that name says; empty when it is. Unknown members count. */
export function mismatches(type: string, value: unknown): string[] {
  return against({ kind: "name", name: type }, value, type);
}

function against(shape: Shape, value: unknown, path: string): string[] {
  switch (shape.kind) {
    case "name":
      return against(shapeNamed(shape.name), value, path);
    case "primitive":
      return shape.type === "unknown" || typeof value === shape.type ? [] : [`${path}: want ${shape.type}`];
    case "literal":
      return value === shape.value ? [] : [`${path}: want ${JSON.stringify(shape.value)}`];
    case "text":
      if (typeof value !== "string") return [`${path}: want a string`];
      return shape.pattern === null || shape.pattern.test(value) ? [] : [`${path}: ${value} is not ${shape.pattern}`];
    case "union": {
      const tries = shape.options.map((option) => against(option, value, path));
      const best = tries.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a));
      return tries.some((problems) => problems.length === 0) ? [] : best;
    }
    case "array":
      if (!Array.isArray(value)) return [`${path}: want an array`];
      return value.flatMap((item, index) => against(shape.item, item, `${path}[${index}]`));
    case "tuple":
      if (!Array.isArray(value) || value.length !== shape.items.length)
        return [`${path}: want ${shape.items.length} items`];
      return shape.items.flatMap((item, index) => against(item, value[index], `${path}[${index}]`));
    case "object":
    case "both":
      return againstObject(asObject(shape), value, path);
  }
}

function asObject(shape: Shape): ObjectShape {
  if (shape.kind === "object") return shape;
  if (shape.kind === "name") return asObject(shapeNamed(shape.name));
  if (shape.kind !== "both") throw new Error(`sdk types: a part is ${shape.kind}, not an object`);
  const parts = shape.parts.map(asObject);
  return { kind: "object", members: parts.flatMap(({ members }) => members), rest: null };
}

/** Of several failed alternatives the one that came furthest is the one that was meant. */
function depthOf(problems: string[]): number {
  return Math.max(...problems.map((problem) => problem.split(":")[0]?.length ?? 0)) * 100 - problems.length;
}

function againstObject(shape: ObjectShape, value: unknown, path: string): string[] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [`${path}: want an object`];
  const given = new Map(Object.entries(value));
  const problems: string[] = [];
  for (const { name, isOptional, shape: inner } of shape.members) {
    if (given.has(name)) problems.push(...against(inner, given.get(name), `${path}.${name}`));
    else if (!isOptional) problems.push(`${path}.${name}: absent`);
    given.delete(name);
  }
  for (const [name, rest] of given) {
    if (shape.rest === null) problems.push(`${path}.${name}: not known`);
    else problems.push(...against(shape.rest, rest, `${path}.${name}`));
  }
  return problems;
}
