/**
 * The names that a placing has on its way: types under which the values of one `POST /v1/orders` are passed, from its checked body
 * and key to the text of its answer. The way is followed by `Road` from the handler on: what is handed to a function counts by
 * the type of its parameter, what is given back by the type of the result, and so do variables with a type beside them. A value is of the
 * placing where it holds the body or key, or at least two members of one that is: an order made of the body's terms is, a
 * verdict about its price is not. A text or number by itself has no name. Not on the way are what is only called, and whose result nobody
 * takes (audit rows, events, notes), conditions, and what is read from the store or asked of the exchange by an id alone: so neither
 * are repeats of a key, looks and the books of a bot.
 */
import { isNode, type Node } from "../tidy/node.ts";
import { Road } from "./road.ts";
import { type HouseFile, identifierOf, statementsOf } from "./syntax.ts";

/** The route whose handler begins the way. */
const FIRST = { path: "src/http/orders.ts", name: "place" };
/** Which of the handler's parameters is the request. */
const REQUEST = 2;

/** Every name, with its file and where the placing first has it. */
export function namesOfPlacing(sources: readonly HouseFile[]): string[] {
  const file = sources.find(({ path }) => path === FIRST.path);
  const handler = file === undefined ? null : handlerIn(file);
  if (file === undefined || handler === null) return [];
  const road = new Road(sources);
  road.follow(file, handler, REQUEST);
  return [...road.names].map(([name, place]) => `${name}, first at ${place}`).sort();
}

/** The function that the route is declared with. */
function handlerIn(file: HouseFile): Node | null {
  const declared = statementsOf(file).flatMap(({ declarations }) => (Array.isArray(declarations) ? declarations : []));
  const route = declared.filter(isNode).find((one) => identifierOf(one) === FIRST.name);
  const call = route?.["init"];
  const handed: unknown[] = isNode(call) && Array.isArray(call["arguments"]) ? call["arguments"] : [];
  const handler = handed.at(-1);
  return isNode(handler) ? handler : null;
}
