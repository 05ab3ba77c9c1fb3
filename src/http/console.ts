/**
 * The owner's page at `/`, and its files. Never a `routes` entry of the runtime's own server, which would answer it
 * before the Host check and without our headers.
 */
import type { PageFile, PageFiles } from "./build-page.ts";
import { routeNotFound } from "./guard.ts";
import { readPageFiles } from "./page-files.ts";
import { readQuery } from "./query.ts";
import type { Answer, Route } from "./route.ts";
import type { Visit } from "./visit.ts";

/** Only what this gateway serves itself, and no other host is ever asked for anything. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const REVALIDATED = "no-cache";
/** A year: an asset's name has the hash of its content in it. */
const KEPT_FOR_GOOD = "public, max-age=31536000, immutable";

/** No part of the interface, so they are not in its description. */
export function pageRoutes(): Route[] {
  const files = openOnce(readPageFiles);
  return [
    route("/", async (visit) => answer(visit, (await files()).page, REVALIDATED)),
    route("/assets/{id}", async (visit, name) => {
      const asset = (await files()).assets.get(name);
      if (asset === undefined) throw routeNotFound();
      return answer(visit, asset, KEPT_FOR_GOOD);
    }),
  ];
}

function route(path: "/" | "/assets/{id}", run: (visit: Visit, name: string) => Promise<Answer>): Route {
  return {
    contract: {
      name: path === "/" ? "get_page" : "get_page_asset",
      method: "GET",
      access: "anybody",
      ...{ path, tag: "Page", summary: "The owner's page", answers: [], errors: [] },
    },
    answer: (_deps, visit, name) => {
      if (visit.url === null) throw routeNotFound();
      readQuery(visit.url, {});
      return run(visit, name);
    },
  };
}

/** What failed is tried again by whoever asks next. */
function openOnce(open: () => Promise<PageFiles>): () => Promise<PageFiles> {
  let opened: Promise<PageFiles> | null = null;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}

function answer(visit: Visit, file: PageFile, caching: string): Answer {
  const encoding = encodingFor(visit.request.headers.get("accept-encoding"));
  return {
    status: 200,
    body: file[encoding === null ? "identity" : ENCODINGS[encoding]],
    contentType: file.contentType,
    headers: {
      ...{ "Cache-Control": caching, "Content-Security-Policy": PAGE_POLICY, Vary: "Accept-Encoding" },
      ...(encoding === null ? {} : { "Content-Encoding": encoding }),
    },
  };
}

const ENCODINGS = { br: "brotli", gzip: "gzip" } as const satisfies Record<string, keyof PageFile>;

/** The smallest form that the client takes: RFC 9110, 12.5.3; a weight of 0 is a no. */
function encodingFor(header: string | null): keyof typeof ENCODINGS | null {
  const taken = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((entry) => entry.trim().split(/\s*;\s*q\s*=\s*/))
    .filter(([, weight]) => weight === undefined || Number(weight) > 0)
    .map(([name]) => name);
  if (taken.includes("br")) return "br";
  return taken.includes("gzip") ? "gzip" : null;
}
