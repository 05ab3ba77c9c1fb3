/** Who takes all of the outside world, and who says which part of it. */
import { isNode, type Node } from "../tidy/node.ts";
import { type HouseFile, type HouseFunction, identifierOf, statementsOf } from "./syntax.ts";

const BAGS: ReadonlySet<string> = new Set(["Deps", "World"]);

export function bagsTaken(sources: readonly HouseFile[], functions: readonly HouseFunction[]) {
  const parts = namesOfParts(sources);
  const takes = (names: ReadonlySet<string>) =>
    functions.filter(({ node }) => typesOfParameters(node).some((type) => isOne(type, names)));
  return { whole: takes(BAGS), parts: takes(parts) };
}

function typesOfParameters({ params }: Node): Node[] {
  if (!Array.isArray(params)) return [];
  return params.filter(isNode).flatMap((param) => {
    const annotation = isNode(param["left"]) ? param["left"]["typeAnnotation"] : param["typeAnnotation"];
    return isNode(annotation) && isNode(annotation["typeAnnotation"]) ? [annotation["typeAnnotation"]] : [];
  });
}

/** A reference to one of these names, a `Pick` of a bag, or either of them and more. */
function isOne(type: Node, names: ReadonlySet<string>): boolean {
  if (type.type === "TSIntersectionType" && Array.isArray(type["types"])) {
    return type["types"].some((one) => isNode(one) && isOne(one, names));
  }
  const name = identifierOf(type["typeName"]);
  if (name === "Pick" && names !== BAGS) return isPickOf(type);
  return name !== null && names.has(name);
}

function isPickOf({ typeArguments }: Node): boolean {
  const params = isNode(typeArguments) && Array.isArray(typeArguments["params"]) ? typeArguments["params"] : [];
  const [picked]: unknown[] = params;
  return isNode(picked) && BAGS.has(identifierOf(picked["typeName"]) ?? "");
}

/** Aliases of a `Pick` of a bag, and of such aliases. */
function namesOfParts(sources: readonly HouseFile[]): ReadonlySet<string> {
  const names = new Set<string>();
  const aliases = sources.flatMap(statementsOf).filter(({ type }) => type === "TSTypeAliasDeclaration");
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const alias of aliases) {
      const name = identifierOf(alias);
      const { typeAnnotation } = alias;
      if (name !== null && !BAGS.has(name) && isNode(typeAnnotation) && isOne(typeAnnotation, names)) names.add(name);
    }
  }
  return names;
}
