/** Puts the built pages into the executable, in place of the file that builds them when run from source. */
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { buildPage, PAGE_NAMES, type PageName } from "../src/http/build-page.ts";

const SOURCES = join(import.meta.dir, "../src/console");
const REPLACED = /[/\\]src[/\\]http[/\\]page-files\.ts$/;
/** It is made once and sent often; the best there is takes the description's page, which is large, seconds for a tenth less. */
const QUALITY: Readonly<Record<PageName, number>> = { index: 11, docs: 9 };

export function pageSource(name: PageName): string {
  return join(SOURCES, `${name}.html`);
}

export async function embedPage(): Promise<BunPlugin> {
  const pages = await Promise.all(PAGE_NAMES.map(async (name) => [name, await packed(name)] as const));
  const contents = `
    import { sortFiles } from "./build-page.ts";
    const FILES = ${JSON.stringify(Object.fromEntries(pages))};
    function toFile({ name, contentType, gzip, brotli }) {
      const [first, second] = [gzip, brotli].map((text) => Uint8Array.fromBase64(text));
      return { name, contentType, identity: Bun.gunzipSync(first), gzip: first, brotli: second };
    }
    export async function readPageFiles(name) {
      return sortFiles(FILES[name].map(toFile));
    }`;
  return {
    name: "embed-page",
    setup(build) {
      build.onLoad({ filter: REPLACED }, () => ({ contents, loader: "js" }));
    },
  };
}

async function packed(page: PageName) {
  const { page: html, assets } = await buildPage(pageSource(page), QUALITY[page]);
  return [html, ...assets.values()].map(({ name, contentType, gzip, brotli }) => ({
    name,
    contentType,
    gzip: gzip.toBase64(),
    brotli: brotli.toBase64(),
  }));
}
