import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { DOCS_STYLE, docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import { openRoute, type Route } from "./route.ts";

const TAG = "Description";
const HTML = "text/html; charset=utf-8";

/** The page's one style sheet, by its hash, and nothing else: no script, no image, no other host. */
const DOCS_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(DOCS_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The description of these routes and of itself, as JSON and as a page. Rendered once. */
export function descriptionRoutes(described: readonly Route[]): Route[] {
  const routes = [...described, openapi(() => text), docs(() => page)];
  const document = openApiDocument(routes);
  const text = JSON.stringify(document);
  const page = docsPage(document);
  return routes.slice(described.length);
}

function openapi(text: () => string): Route {
  return openRoute(
    {
      name: "get_openapi",
      method: "GET",
      path: "/openapi.json",
      tag: TAG,
      summary: "This description as JSON",
      access: "anybody",
      answers: [
        {
          status: 200,
          description: "OpenAPI 3.1.",
          schema: Type.Object(
            { openapi: Type.String({ description: "Version of OpenAPI." }) },
            { additionalProperties: true },
          ),
          example: { openapi: "3.1.0" },
        },
      ],
      errors: [],
    },
    () => ({ status: 200, body: text() }),
  );
}

function docs(page: () => string): Route {
  return openRoute(
    {
      name: "get_docs",
      method: "GET",
      path: "/docs",
      tag: TAG,
      summary: "This description as a page",
      access: "anybody",
      answers: [
        {
          status: 200,
          description: "A page without scripts.",
          schema: Type.String(),
          example: "<!doctype html>",
          contentType: HTML,
        },
      ],
      errors: [],
    },
    () => ({ status: 200, body: page(), contentType: HTML, headers: { "Content-Security-Policy": DOCS_POLICY } }),
  );
}
