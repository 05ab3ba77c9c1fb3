import { Type } from "@sinclair/typebox";
import { pageAnswer } from "./console.ts";
import { llmsAnswer } from "./handouts.ts";
import { openApiDocument } from "./openapi.ts";
import { openRoute, type Route } from "./route.ts";

const TAG = "Description";

/** The description of these routes and of itself, as JSON and as a page. Rendered once, for the first who asks. */
export function descriptionRoutes(described: readonly Route[]): Route[] {
  let text: string | null = null;
  const rendered = () => {
    text ??= JSON.stringify(openApiDocument(routes));
    return text;
  };
  const routes: Route[] = [...described, openapi(rendered), docs(), llms(() => routes)];
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

function llms(routes: () => readonly Route[]): Route {
  return openRoute(
    {
      name: "get_llms",
      method: "GET",
      path: "/llms.txt",
      tag: TAG,
      summary: "Where a language model begins to read",
      description:
        "What this is, how a request is authorised, and links to all else that is written of it (llmstxt.org).",
      access: "anybody",
      answers: [
        {
          status: 200,
          description: "Markdown of a page; its links are of this gateway.",
          schema: Type.String(),
          example: "# Postern",
          contentType: "text/plain; charset=utf-8",
        },
      ],
      errors: [],
    },
    () => llmsAnswer(routes()),
  );
}

function docs(): Route {
  return openRoute(
    {
      name: "get_docs",
      method: "GET",
      path: "/docs",
      tag: TAG,
      summary: "This description as a page",
      description: "Swagger UI: Authorize with an API key, and Try it out sends real requests under it.",
      access: "anybody",
      answers: [
        {
          status: 200,
          description: "A page that asks no other host for anything.",
          schema: Type.String(),
          example: "<!doctype html>",
          contentType: "text/html; charset=utf-8",
        },
      ],
      errors: [],
    },
    (_deps, visit) => pageAnswer(visit, "docs"),
  );
}
