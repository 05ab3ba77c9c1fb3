import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HANDOUTS, type HandoutName } from "./handout-table.ts";

const ROOT = join(import.meta.dir, "../..");

/** As it stands. In the executable this file is replaced by one that holds all of them (scripts/embed-handouts.ts). */
export function readHandout(name: HandoutName): string {
  const text = readFileSync(join(ROOT, HANDOUTS[name].from), "utf8");
  if (!name.endsWith(".js")) return text;
  const [head = ""] = text.split("*/", 1);
  return `${head}*/\n${new Bun.Transpiler({ loader: "ts" }).transformSync(text)}`;
}
