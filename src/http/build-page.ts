/** The pages as a browser gets them, made of the sources in src/console/: the owner's, and the description's. */
import { basename } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

export type PageFile = {
  /** `index-jpgaf9qr.js`: the hash is of the content, so a name never means two things. */
  name: string;
  contentType: string;
  identity: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer>;
};

export const PAGE_NAMES = ["index", "docs"] as const;
/** Also what the names of a page's assets begin with. */
export type PageName = (typeof PAGE_NAMES)[number];

export type PageFiles = { page: PageFile; assets: ReadonlyMap<string, PageFile> };

/** Where the assets are answered; the page names them so. */
export const ASSETS_PATH = "/assets/";

const NAMING = { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" };

/** @param quality of the compression: 11 for what is built once, less for what is built at every start */
export async function buildPage(entrypoint: string, quality: number): Promise<PageFiles> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    target: "browser",
    minify: true,
    // Without it packages are taken in the form that is made for debugging.
    define: { "process.env.NODE_ENV": '"production"' },
    splitting: true,
    publicPath: ASSETS_PATH,
    naming: NAMING,
  });
  const files = await Promise.all(built.outputs.map((output) => toFile(output, quality)));
  return sortFiles(files);
}

export function sortFiles(files: readonly PageFile[]): PageFiles {
  const page = files.find(({ name }) => name.endsWith(".html"));
  if (page === undefined) throw new Error("bug: the page was built without its HTML");
  return { page, assets: new Map(files.filter((file) => file !== page).map((file) => [file.name, file])) };
}

async function toFile(output: Blob & { path: string }, quality: number): Promise<PageFile> {
  const identity = new Uint8Array(await output.arrayBuffer());
  const brotli = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  return {
    name: basename(output.path),
    contentType: output.type.replace(";charset", "; charset"),
    identity,
    gzip: new Uint8Array(gzipSync(identity)),
    brotli: new Uint8Array(brotli),
  };
}
