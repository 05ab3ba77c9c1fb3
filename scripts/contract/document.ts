/** The interface description, asked about single requests and answers. Validated by another library than the gateway's. */
import { join } from "node:path";
import { type Case, codeOf, member, parsed } from "./case.ts";

type Validate = ((value: unknown) => boolean) & { errors?: readonly { instancePath: string; message?: string }[] };
/** The part of ajv that is used; its own types are not installed where this file is type-checked. */
type Ajv = { addSchema(schema: unknown, id: string): void; compile(schema: unknown): Validate };
type AjvModule = { default: new (options: object) => Ajv };

type Operation = { method: string; template: string; path: RegExp; definition: unknown };

/** What is wrong, or null. */
type Fault = string | null;

export type Description = { requestFault(one: Case): Fault; answerFault(one: Case): Fault };

const METHODS = ["get", "post", "put"];
const ID = "description";

export async function describe(document: unknown, toolsDirectory: string): Promise<Description> {
  // A path that is known only at run time: the package is installed by the run itself.
  const { default: Ajv2020 } = (await import(join(toolsDirectory, "node_modules/ajv/dist/2020.js"))) as AjvModule;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addSchema(document, ID);
  const operations = operationsOf(document);
  const compiled = new Map<string, Validate>();
  const schemaFault = (pointer: readonly string[], value: unknown): Fault => {
    const $ref = `${ID}#/${pointer.map(escaped).join("/")}`;
    const validate = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, validate);
    if (validate(value)) return null;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ""} ${first?.message ?? "does not fit"}`.trim();
  };
  const find = ({ method, path }: Case) => operations.find((one) => one.method === method && one.path.test(path));
  return {
    requestFault(one) {
      const operation = find(one);
      return operation === undefined ? "no such route" : requestFault(one, operation, schemaFault);
    },
    answerFault(one) {
      const operation = find(one);
      return operation === undefined ? "no such route" : answerFault(one, operation, schemaFault);
    },
  };
}

type SchemaFault = (pointer: readonly string[], value: unknown) => Fault;

function operationsOf(document: unknown): Operation[] {
  const paths = member(document, "paths");
  return Object.entries(paths ?? {}).flatMap(([template, methods]) =>
    METHODS.filter((method) => member(methods, method) !== undefined).map((method) => ({
      method: method.toUpperCase(),
      template,
      path: new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{[a-z_]+\}/g, "([^/]+)")}$`),
      definition: member(methods, method),
    })),
  );
}

/** A part of a JSON pointer within a URL fragment. */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function pointerOf({ template, method }: Operation): string[] {
  return ["paths", template, method.toLowerCase()];
}

function requestFault(one: Case, operation: Operation, schemaFault: SchemaFault): Fault {
  const listed = member(operation.definition, "parameters");
  const parameters: unknown[] = Array.isArray(listed) ? listed : [];
  const names = parameters.filter((each) => member(each, "in") === "query").map((each) => member(each, "name"));
  for (const name of one.query.keys()) {
    if (!names.includes(name)) return `query ${name} is not described`;
    if (one.query.getAll(name).length > 1) return `query ${name} came twice`;
  }
  for (const [index, parameter] of parameters.entries()) {
    const value = parameterValue(one, operation, parameter);
    const name = String(member(parameter, "name"));
    if (value === null) {
      if (member(parameter, "required") === true) return `${name} is missing`;
      continue;
    }
    const typed = member(parameter, "schema", "type") === "integer" ? asInteger(value) : value;
    const fault = schemaFault([...pointerOf(operation), "parameters", String(index), "schema"], typed);
    if (fault !== null) return `${name} ${fault}`;
  }
  return bodyFault(one, operation, schemaFault);
}

function parameterValue(one: Case, operation: Operation, parameter: unknown): string | null {
  const place = member(parameter, "in");
  if (place === "query") return one.query.get(String(member(parameter, "name")));
  if (place === "header") return one.idempotencyKey;
  const raw = operation.path.exec(one.path)?.[1];
  return raw === undefined ? null : decodeURIComponent(raw);
}

function asInteger(text: string): string | number {
  return /^-?[0-9]+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function bodyFault(one: Case, operation: Operation, schemaFault: SchemaFault): Fault {
  const described = member(operation.definition, "requestBody");
  if (described === undefined) return null;
  if (one.body === "") return member(described, "required") === true ? "the body is missing" : null;
  const value = parsed(one.body);
  if (value === undefined) return "the body is not JSON";
  return schemaFault([...pointerOf(operation), "requestBody", "content", "application/json", "schema"], value);
}

function answerFault(one: Case, operation: Operation, schemaFault: SchemaFault): Fault {
  const status = String(one.status);
  const content = member(operation.definition, "responses", status, "content");
  const mediaTypes = Object.keys(content ?? {});
  if (mediaTypes.length === 0) return `status ${status} is not described`;
  const mediaType = mediaTypes.find((type) => bare(type) === bare(one.contentType));
  if (mediaType === undefined) return `${one.contentType} is not described`;
  const value = bare(mediaType) === "application/json" ? parsed(one.answer) : one.answer;
  if (value === undefined) return "the answer is not JSON";
  const code = codeOf(one);
  if (one.status >= 400 && member(content, mediaType, "examples", code ?? "") === undefined) {
    return `code ${code} is not described at status ${status}`;
  }
  return schemaFault([...pointerOf(operation), "responses", status, "content", mediaType, "schema"], value);
}

/** The media type without its parameters. */
function bare(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
