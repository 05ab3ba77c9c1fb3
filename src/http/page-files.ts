import { join } from "node:path";
import { buildPage, type PageFiles, type PageName } from "./build-page.ts";

const SOURCES = join(import.meta.dir, "../console");
/** Fast; nobody far away loads a page from source. */
const QUALITY = 4;

/**
 * The files of a page. From source they are built when they are first asked for; in the executable this file is
 * replaced by one that holds them (scripts/build.ts).
 */
export function readPageFiles(name: PageName): Promise<PageFiles> {
  return buildPage(join(SOURCES, `${name}.html`), QUALITY);
}
