import { join } from "node:path";
import { buildPage, type PageFiles } from "./build-page.ts";

const ENTRYPOINT = join(import.meta.dir, "../console/index.html");
/** Fast; nobody far away loads a page from source. */
const QUALITY = 4;

/**
 * The files of the owner's page. From source they are built when they are first asked for; in the executable this
 * file is replaced by one that holds them (scripts/build.ts).
 */
export function readPageFiles(): Promise<PageFiles> {
  return buildPage(ENTRYPOINT, QUALITY);
}
