/**
 * The owner's page at `/`, that of the description, and their files. Never a `routes` entry of the runtime's own server, which would answer it
 * before the Host check and without our headers.
 */
import type { PageFile, PageFiles, PageName } from "./build-page.ts";
import { routeNotFound } from "./guard.ts";
import { readPageFiles } from "./page-files.ts";
import { readQuery } from "./query.ts";
import type { Answer, Route } from "./route.ts";
import type { Visit } from "./visit.ts";

/** Only what this gateway serves itself, and no other host is ever asked for anything. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const REVALIDATED = "no-cache";
/** A year: an asset's name has the hash of its content in it. */
const KEPT_FOR_GOOD = "public, max-age=31536000, immutable";

const PAGES = { index: openOnce(() => readPageFiles("index")), docs: openOnce(() => readPageFiles("docs")) } as const;

/** No part of the interface, so they are not in its description. */
export function pageRoutes(): Route[] {
  return [
    route("/", (visit) => pageAnswer(visit, "index")),
    route("/assets/{id}", async (visit, name) => {
      const { assets } = await PAGES[name.startsWith("docs-") ? "docs" : "index"]();
      const asset = assets.get(name);
      if (asset === undefined) throw routeNotFound();
      return answer(visit, asset, KEPT_FOR_GOOD);
    }),
  ];
}

export async function pageAnswer(visit: Visit, name: PageName): Promise<Answer> {
  return answer(visit, (await PAGES[name]()).page, REVALIDATED);
}

function route(path: "/" | "/assets/{id}", run: (visit: Visit, name: string) => Promise<Answer>): Route {
  return {
    contract: {
      name: path === "/" ? "get_page" : "get_page_asset",
      method: "GET",
      access: "anybody",
      path,
      tag: "Page",
      summary: "The owner's page",
      answers: [],
      errors: [],
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
      "Cache-Control": caching,
      "Content-Security-Policy": PAGE_POLICY,
      Vary: "Accept-Encoding",
      ...(encoding === null ? {} : { "Content-Encoding": encoding }),
    },
  };
}

const ENCODINGS = { br: "brotli", gzip: "gzip" } as const satisfies Record<string, keyof PageFile>;

/** Entries of a list that are looked at; browsers send five. */
const MAX_ENTRIES = 32;

/** The smallest form that the client takes: RFC 9110, 12.5.3; a weight of 0, or one that is none, is a no. */
function encodingFor(header: string | null): keyof typeof ENCODINGS | null {
  const entries = (header ?? "").toLowerCase().split(",", MAX_ENTRIES);
  const taken = new Set(entries.map(takenCoding));
  if (taken.has("br")) return "br";
  return taken.has("gzip") ? "gzip" : null;
}

const WEIGHT = /^q=(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/;

/** `gzip` of `gzip;q=0.5`; null where its weight is 0. */
function takenCoding(entry: string): string | null {
  const [name = "", ...parameters] = entry.split(";", 3);
  const [weight, ...more] = parameters.map((parameter) => parameter.trim());
  if (weight === undefined) return name.trim();
  const value = WEIGHT.exec(weight)?.[1];
  return more.length > 0 || Number(value ?? 0) === 0 ? null : name.trim();
}
