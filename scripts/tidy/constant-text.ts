/** The text that an expression stands for, as far as its own file tells. */
import { isNode, type Node } from "./node.ts";

/** What the constants of a file were made from, by their names. */
export type Constants = Map<string, Node>;

/** Constants that name constants; nobody goes further. */
const MAX_DEPTH = 8;

/** Of a string, a template, a sum of them, a regular expression or a constant; null for everything else. */
export function constantText(node: unknown, constants: Constants, depth = 0): string | null {
  if (!isNode(node) || depth > MAX_DEPTH) return null;
  const text = (part: unknown) => constantText(part, constants, depth + 1);
  switch (node.type) {
    case "Literal":
      return literalText(node);
    case "Identifier":
      return text(constants.get(String(node["name"])));
    case "TemplateLiteral":
      return templateText(node, text);
    case "BinaryExpression": {
      const [left, right] = [text(node["left"]), text(node["right"])];
      return node["operator"] === "+" && left !== null && right !== null ? left + right : null;
    }
    default:
      return null;
  }
}

function literalText({ value, regex }: Node): string | null {
  if (typeof regex === "object" && regex !== null && "pattern" in regex) return String(regex.pattern);
  return typeof value === "string" ? value : null;
}

function templateText({ quasis, expressions }: Node, textOf: (part: unknown) => string | null): string | null {
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return null;
  let whole = "";
  for (const [index, quasi] of quasis.entries()) {
    whole += cooked(quasi);
    if (index === expressions.length) break;
    // How often a part is repeated, where that is one fixed number, changes nothing.
    const isCount = whole.endsWith("{") && cooked(quasis[index + 1]).startsWith("}");
    const text = textOf(expressions[index]) ?? (isCount ? "2" : null);
    if (text === null) return null;
    whole += text;
  }
  return whole;
}

function cooked(quasi: unknown): string {
  const value = isNode(quasi) ? quasi["value"] : null;
  return typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "";
}
