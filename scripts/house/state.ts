/** State that stands at the top of a file: what can be set again, and containers that the file itself changes. */
import { isNode, type Node } from "../tidy/node.ts";
import { type HouseFile, identifierOf, lineAt, statementsOf, visit } from "./syntax.ts";

const CHANGING = new Set(["add", "clear", "delete", "pop", "push", "set", "shift", "splice", "unshift"]);

export function moduleState(file: HouseFile): string[] {
  const changed = changedNames(file);
  return statementsOf(file).flatMap((statement) => {
    if (statement.type !== "VariableDeclaration" || !Array.isArray(statement["declarations"])) return [];
    const names = statement["declarations"].map(identifierOf).filter((name) => name !== null);
    const isState = (name: string) => statement["kind"] !== "const" || changed.has(name);
    return names.filter(isState).map((name) => `${file.path}:${lineAt(file, statement)} ${name}`);
  });
}

/** Names of which something is called that changes it, or a member of which is set. */
function changedNames(file: HouseFile): Set<string> {
  const changed = new Set<string>();
  visit(file.program, (node) => {
    const target = node.type === "CallExpression" ? changedByCall(node) : changedBySetting(node);
    const name = identifierOf(target);
    if (name !== null) changed.add(name);
  });
  return changed;
}

function changedByCall({ callee }: Node): unknown {
  if (!isNode(callee) || callee.type !== "MemberExpression") return null;
  return CHANGING.has(identifierOf(callee["property"]) ?? "") ? callee["object"] : null;
}

function changedBySetting(node: Node): unknown {
  const target = node.type === "AssignmentExpression" ? node["left"] : node["argument"];
  const isSetting = node.type === "AssignmentExpression" || node.type === "UpdateExpression";
  return isSetting && isNode(target) && target.type === "MemberExpression" ? target["object"] : null;
}
