import { chapter, escaped as escapedText, prose as proseText } from "./docs-prose.ts";
import type { Json, JsonObject } from "./openapi.ts";

export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; }
h3 { margin-top: 2.5rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); overflow-x: auto; padding: 0.75rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
summary { cursor: pointer; }
`;

/** The interface description as a page: one file, no script, nothing from anywhere. */
export function docsPage(document: JsonObject): string {
  const info = object(document["info"]);
  const operations = operationsOf(document);
  const tags = list(document["tags"]).map(object);
  const sections = tags.map((tag) => tagSection(tag, operations));
  const schemas = Object.entries(object(object(document["components"])["schemas"])).map(schemaSection);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(info["title"])} interface</title><style>${DOCS_STYLE}</style></head><body>`,
    `<h1>${escaped(info["title"])} <small>${escaped(info["version"])}</small></h1>`,
    `<p>As JSON: <a href="/openapi.json">/openapi.json</a></p>`,
    contents(operations),
    chapter(String(info["description"])),
    ...sections,
    "<h2>Objects</h2>",
    ...schemas,
    "</body></html>",
  ].join("\n");
}

type Operation = { method: string; path: string; spec: JsonObject };

function operationsOf(document: JsonObject): Operation[] {
  return Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, spec]) => ({
      method: method.toUpperCase(),
      path,
      spec: object(spec),
    })),
  );
}

function contents(operations: readonly Operation[]): string {
  const rows = operations.map(
    ({ method, path, spec }) =>
      `<tr><td><a href="#${escaped(spec["operationId"])}"><code>${method} ${escaped(path)}</code></a></td><td>${prose(spec["summary"])}</td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

function tagSection(tag: JsonObject, operations: readonly Operation[]): string {
  const own = operations.filter(({ spec }) => list(spec["tags"]).includes(tag["name"] ?? null));
  return `<h2>${escaped(tag["name"])}</h2>${chapter(String(tag["description"]))}${own.map(operationSection).join("\n")}`;
}

function operationSection({ method, path, spec }: Operation): string {
  return [
    `<h3 id="${escaped(spec["operationId"])}"><code>${method} ${escaped(path)}</code></h3>`,
    `<p><strong>${prose(spec["summary"])}.</strong> ${prose(spec["description"])}</p>`,
    parameterTable(list(spec["parameters"]).map(object)),
    requestBody(object(spec["requestBody"])),
    ...Object.entries(object(spec["responses"])).map(([status, response]) => responseSection(status, object(response))),
  ].join("\n");
}

function parameterTable(parameters: readonly JsonObject[]): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, in: place, required, description }) => {
    const need = required === true ? "required" : "optional";
    return `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}, ${need}</td><td>${prose(description)}</td></tr>`;
  });
  return `<table><tr><th>Parameter</th><th>Where</th><th>Meaning</th></tr>${rows.join("")}</table>`;
}

function requestBody(body: JsonObject): string {
  const json = object(object(body["content"])["application/json"]);
  if (Object.keys(json).length === 0) return "";
  return `<p>Body: ${typeText(object(json["schema"]))}</p>${exampleText(json["example"])}`;
}

function responseSection(status: string, response: JsonObject): string {
  const [media] = Object.values(object(response["content"])).map(object);
  const names = Object.keys(object(response["headers"])).map((name) => `<code>${escaped(name)}</code>`);
  const body = media === undefined ? "" : `<p>${typeText(object(media["schema"]))}</p>${exampleText(media["example"])}`;
  const words = String(response["description"] ?? "")
    .split("\n\n")
    .map((part) => `<p>${prose(part)}</p>`)
    .join("");
  return `<details><summary><code>${status}</code></summary>${words}<p>Headers: ${names.join(", ")}</p>${body}</details>`;
}

function exampleText(example: Json | undefined): string {
  return example === undefined || example === null ? "" : `<pre>${escaped(JSON.stringify(example, null, 2))}</pre>`;
}

function schemaSection([name, value]: [string, Json]): string {
  const schema = object(value);
  const properties = Object.entries(object(schema["properties"]));
  const required = list(schema["required"]);
  const rows = properties.map(([field, part]) => {
    const need = required.includes(field) ? "" : " (optional)";
    const type = typeText(object(part));
    return `<tr><td><code>${escaped(field)}</code>${need}</td><td>${type}</td><td>${prose(object(part)["description"])}</td></tr>`;
  });
  const table =
    rows.length === 0 ? "" : `<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${rows.join("")}</table>`;
  const kinds = schema["oneOf"] === undefined ? "" : `<p>${typeText(schema)}</p>`;
  const pattern = schema["pattern"] === undefined ? "" : `<p>Pattern: <code>${escaped(schema["pattern"])}</code></p>`;
  return `<h3 id="schema-${escaped(name)}">${escaped(name)}</h3><p>${prose(schema["description"])}</p>${kinds}${pattern}${table}`;
}

/** A schema in a few words, named ones as links. */
function typeText(schema: JsonObject): string {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? "";
    return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  }
  const parts = schema["anyOf"] ?? schema["oneOf"];
  if (parts !== undefined) return list(parts).map(object).map(typeText).join(" or ");
  if (schema["type"] === "array") return `array of ${typeText(object(schema["items"]))}`;
  if (schema["const"] !== undefined) return `<code>${escaped(JSON.stringify(schema["const"]))}</code>`;
  return escaped(schema["type"] ?? "object");
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

function list(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function escaped(value: Json | undefined): string {
  return escapedText(typeof value === "string" ? value : JSON.stringify(value ?? ""));
}

function prose(value: Json | undefined): string {
  return proseText(typeof value === "string" ? value : JSON.stringify(value ?? ""));
}
