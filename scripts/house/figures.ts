/** The figures, one function each: its name, its value, and the places behind it. */
import type { Node } from "../tidy/node.ts";
import { bagsTaken } from "./bags.ts";
import { asksBothHomes } from "./homes.ts";
import { namesOfPlacing } from "./placing.ts";
import { LEAST_LINES, repeatsOf } from "./repeats.ts";
import { moduleState } from "./state.ts";
import {
  functionsOf,
  type HouseFile,
  type HouseFunction,
  identifierOf,
  lineAt,
  statementsOf,
  visit,
} from "./syntax.ts";

export type Figure = { name: string; value: string; places: string[] };

/** The house rule for a function; `bun run check` stops at it as well, without blank lines. */
const LONG_FUNCTION = 70;
const SMALL_FILE = 35;
const TINY_FILE = 20;

export function figuresOf(house: readonly HouseFile[]): Figure[] {
  const sources = house.filter(({ path }) => path.startsWith("src/"));
  const functions = sources.flatMap(functionsOf);
  return [
    ...["src", "test", "scripts"].map((room) => sizeOf(house, room)),
    ...fileFigures(sources),
    ...functionFigures(functions),
    typeNames(sources),
    weakMaps(sources),
    ...stateFigures(sources),
    ...bagFigures(sources, functions),
    counted("names that a placing has on its way", namesOfPlacing(sources)),
    counted("functions that ask both homes of a placing", functions.filter(asksBothHomes).map(placeOf)),
    counted(`passages of ${LEAST_LINES} lines or more that stand twice`, repeatsOf(sources)),
  ];
}

function counted(name: string, places: string[]): Figure {
  return { name, value: String(places.length), places };
}

function sizeOf(house: readonly HouseFile[], room: string): Figure {
  const files = house.filter(({ path }) => path.startsWith(`${room}/`));
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  return { name: `files · lines of ${room}/`, value: `${files.length} · ${lines}`, places: [] };
}

/** Median, nine tenths and largest. */
function spread(sizes: readonly number[]): string {
  const sorted = sizes.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${at(0.5)} · ${at(0.9)} · ${at(1)}`;
}

function fileFigures(sources: readonly HouseFile[]): Figure[] {
  const importers = new Map<string, number>();
  for (const target of sources.flatMap(({ imports }) => imports)) {
    importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  const single = sources.filter(({ path }) => importers.get(path) === 1);
  const most = (files: readonly HouseFile[], lines: number) =>
    files.filter((file) => file.lines <= lines).map((file) => `${file.path} (${file.lines})`);
  return [
    { name: "lines a file: median · p90 · max", value: spread(sources.map(({ lines }) => lines)), places: [] },
    counted("files with one importer", most(single, Number.POSITIVE_INFINITY)),
    counted(`files with one importer, at most ${SMALL_FILE} lines`, most(single, SMALL_FILE)),
    counted(`files with one importer, at most ${TINY_FILE} lines`, most(single, TINY_FILE)),
    counted(`files of at most ${TINY_FILE} lines`, most(sources, TINY_FILE)),
  ];
}

function functionFigures(functions: readonly HouseFunction[]): Figure[] {
  const long = functions.filter(({ lines }) => lines > LONG_FUNCTION);
  return [
    { name: "functions with a name", value: String(functions.length), places: [] },
    { name: "lines a function: median · p90 · max", value: spread(functions.map(({ lines }) => lines)), places: [] },
    counted(
      `functions of more than ${LONG_FUNCTION} lines`,
      long.map((found) => `${placeOf(found)} (${found.lines})`),
    ),
  ];
}

function placeOf({ file, name, node }: HouseFunction): string {
  return `${file.path}:${lineAt(file, node)} ${name}`;
}

/** One name for several things, or one thing declared several times. */
function typeNames(sources: readonly HouseFile[]): Figure {
  const files = new Map<string, Set<string>>();
  for (const file of sources) {
    for (const statement of statementsOf(file)) {
      const isType = ["TSTypeAliasDeclaration", "TSInterfaceDeclaration"].includes(statement.type);
      const name = isType ? identifierOf(statement) : null;
      if (name !== null) files.set(name, (files.get(name) ?? new Set()).add(file.path));
    }
  }
  const shared = [...files].filter(([, paths]) => paths.size > 1).sort(([, a], [, b]) => b.size - a.size);
  const value = `${shared.length} of ${files.size}`;
  return {
    name: "names of types declared in several files",
    value,
    places: shared.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`),
  };
}

function weakMaps(sources: readonly HouseFile[]): Figure {
  const made = sources.flatMap((file) =>
    nodesOf(file, (node) => {
      const maker = node.type === "NewExpression" ? identifierOf(node["callee"]) : null;
      return maker === "WeakMap" || maker === "WeakSet";
    }),
  );
  return counted("WeakMap and WeakSet", made);
}

function stateFigures(sources: readonly HouseFile[]): Figure[] {
  const isOfPage = ({ path }: HouseFile) => path.startsWith("src/console/");
  return [
    counted("module-level state of the page", sources.filter(isOfPage).flatMap(moduleState)),
    counted("module-level state elsewhere", sources.filter((file) => !isOfPage(file)).flatMap(moduleState)),
  ];
}

function bagFigures(sources: readonly HouseFile[], functions: readonly HouseFunction[]): Figure[] {
  // Next door is another world under the same name.
  const { whole, parts } = bagsTaken(
    sources,
    functions.filter(({ file }) => !file.path.startsWith("src/paper/")),
  );
  return [
    counted(
      "files that import Deps or World",
      sources.filter(({ text }) => /import[^;]*\b(?:Deps|World)\b[^;]*\bdeps\.ts"/.test(text)).map(({ path }) => path),
    ),
    counted("functions that take all of Deps or World", whole.map(placeOf)),
    counted("functions that take a named part of them", parts.map(placeOf)),
  ];
}

function nodesOf(file: HouseFile, isWanted: (node: Node) => boolean): string[] {
  const found: string[] = [];
  visit(file.program, (node) => {
    if (isWanted(node)) found.push(`${file.path}:${lineAt(file, node)}`);
  });
  return found;
}
