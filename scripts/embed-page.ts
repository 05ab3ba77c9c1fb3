/** Puts the built page into the executable, in place of the file that builds it when run from source. */
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { buildPage } from "../src/http/build-page.ts";

const ENTRYPOINT = join(import.meta.dir, "../src/console/index.html");
const REPLACED = /[/\\]src[/\\]http[/\\]page-files\.ts$/;
/** The best there is: it is made once and sent often. */
const QUALITY = 11;

export async function embedPage(): Promise<BunPlugin> {
  const { page, assets } = await buildPage(ENTRYPOINT, QUALITY);
  const files = [page, ...assets.values()].map(({ name, contentType, identity, gzip, brotli }) => ({
    ...{ name, contentType },
    ...{ identity: identity.toBase64(), gzip: gzip.toBase64(), brotli: brotli.toBase64() },
  }));
  const contents = `
    import { sortFiles } from "./build-page.ts";
    const FILES = ${JSON.stringify(files)};
    function toFile({ name, contentType, identity, gzip, brotli }) {
      const [first, second, third] = [identity, gzip, brotli].map((text) => Uint8Array.fromBase64(text));
      return { name, contentType, identity: first, gzip: second, brotli: third };
    }
    export async function readPageFiles() {
      return sortFiles(FILES.map(toFile));
    }`;
  return {
    name: "embed-page",
    setup(build) {
      build.onLoad({ filter: REPLACED }, () => ({ contents, loader: "js" }));
    },
  };
}
