/**
 * Sizes and counts of a checkout, all by one method, so that two of them can be held side by side:
 *
 *   bun run house                     this checkout
 *   bun run house --against DIR       beside another one, older or newer
 *   bun run house --list "one importer"   and the places behind every figure whose name contains this
 *
 * Figures are of src/ where nothing else is said. A size is in lines of the file as it stands; a function's is from its
 * first line to its last.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, figuresOf } from "./house/figures.ts";
import { readHouse } from "./house/syntax.ts";

const { values } = parseArgs({ options: { against: { type: "string" }, list: { type: "string" } } });

const here = figuresOf(readHouse(join(import.meta.dir, "..")));
const there = values.against === undefined ? null : figuresOf(readHouse(values.against));
const width = Math.max(...here.map(({ name }) => name.length));

if (there !== null) console.log(`${"".padEnd(width)}  ${values.against} → here`);
for (const figure of here) console.log(`${figure.name.padEnd(width)}  ${besides(figure)}${figure.value}`);
if (values.list !== undefined) list(values.list, here);

function besides({ name }: Figure): string {
  if (there === null) return "";
  return `${there.find((figure) => figure.name === name)?.value ?? ""} → `;
}

function list(part: string, figures: readonly Figure[]): void {
  for (const { name, places } of figures.filter((figure) => figure.name.includes(part))) {
    console.log(`\n${name}:`);
    for (const place of places) console.log(`  ${place}`);
  }
}
