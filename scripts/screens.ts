/** `bun run screens`: pictures of every screen into dist/screens, against a gateway and a paper exchange of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { takeScreens } from "../test/browser/support/screens.ts";

const DIRECTORY = join(import.meta.dir, "..", "dist", "screens");
mkdirSync(DIRECTORY, { recursive: true });
for (const file of await takeScreens(DIRECTORY)) console.log(file);
