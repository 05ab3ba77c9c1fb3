/** How the executable is bundled: in one place, so that what is described and counted is what is built. */
import { join } from "node:path";
import { PAGE_NAMES } from "../../src/http/build-page.ts";
import { embedHandouts } from "../embed-handouts.ts";
import { embedPage, pageSource } from "../embed-page.ts";

export const ROOT = join(import.meta.dir, "../..");

/** Its place below the root of the bundle is its place below src/, by which `src/main.ts` finds it. */
const CHECKPOINT_THREAD = join(ROOT, "src/store/checkpoint-thread.ts");

export type Stamp = { version: string; commit: string };

/** Everything about the bundle but what it becomes. */
export async function bundleOptions(entrypoint: string, stamp: Stamp) {
  return {
    entrypoints: [entrypoint, CHECKPOINT_THREAD],
    target: "bun",
    minify: { syntax: true, whitespace: true, identifiers: false },
    define: {
      POSTERN_VERSION: JSON.stringify(stamp.version),
      POSTERN_COMMIT: JSON.stringify(stamp.commit),
      // Packages that look beside themselves for a worker would carry the directory of the build into the executable.
      __dirname: JSON.stringify("/nonexistent"),
    },
    metafile: true,
    plugins: [leftOut(), embedHandouts(), await embedPage()],
  } as const satisfies Bun.BuildConfig;
}

/**
 * Elysia loads `file-type` when a schema takes an upload, which none of ours does: nine packages that would be in the
 * executable for nothing. pino's transports start a worker from a file, which an executable does not have: whoever asks
 * for one is told so. prom-client has quantiles, exemplars, workers of a cluster and a gateway to push to, which nobody here asks for
 * and which take a ninth of a start to load. Empty instead of external, which would look for them beside
 * the executable.
 */
function leftOut(): Bun.BunPlugin {
  return {
    name: "left-out",
    setup(build) {
      build.onResolve({ filter: /^file-type$/ }, () => ({ path: "file-type", namespace: "left-out" }));
      build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "export {};", loader: "js" }));
      build.onLoad({ filter: /pino\/lib\/transport\.js$/ }, () => ({
        contents: `module.exports = () => { throw new Error("pino's transports are not in the executable") };`,
        loader: "js",
      }));
      build.onLoad({ filter: /prom-client\/index\.js$/ }, () => ({ contents: METRIC_KINDS, loader: "js" }));
    },
  };
}

/** What `src/metrics.ts` takes of prom-client. */
const METRIC_KINDS = ["Counter", "Gauge", "Histogram", "Registry"]
  .map((kind) => `exports.${kind} = require("./lib/${kind.toLowerCase()}");`)
  .join("\n");

/** Where each package with bytes in the executable lies below node_modules, `viem/ox` for a nested one. */
export async function bundledPlaces(stamp: Stamp): Promise<string[]> {
  const program = await Bun.build(await bundleOptions(join(ROOT, "src/main.ts"), stamp));
  const pages = await Promise.all(
    PAGE_NAMES.map((name) => Bun.build({ entrypoints: [pageSource(name)], metafile: true })),
  );
  const outputs = [program, ...pages].flatMap(({ metafile }) => Object.values(metafile?.outputs ?? {}));
  const places = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput === 0 ? [] : placeIn(path))),
  );
  if (places.length === 0) throw new Error("the bundle names no package: counting nothing proves nothing");
  return [...new Set(places)].sort();
}

function placeIn(path: string): string[] {
  const folders = path.split("node_modules/").slice(1);
  const names = folders.map((rest) => /^(@[^/]+\/)?[^/]+/.exec(rest)?.[0] ?? "");
  return names.length === 0 ? [] : [names.join("/").replaceAll("//", "/")];
}
