import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { ApiError } from "../core/errors.ts";

/** Gives the value back, typed, when it fits; throws a fault as an error that names the field and the rule. */
export type Check<Value> = (value: unknown) => Value;

export function compileCheck<Schema extends TSchema>(schema: Schema): Check<Static<Schema>> {
  let compiled: TypeCheck<Schema> | null = null;
  return (value) => {
    // With the first body, and not at each start: there are forty schemas, and most are asked for by hardly any client.
    compiled ??= TypeCompiler.Compile(schema);
    if (compiled.Check(value)) return value;
    // A body of at most 64 KiB has a bounded number of faults; a stray name tells the client most, so it goes first.
    const faults = [...compiled.Errors(value)];
    throw asApiError(faults.find((fault) => fault.type === ValueErrorType.ObjectAdditionalProperties) ?? faults[0]);
  };
}

function asApiError(fault: ValueError | undefined): ApiError {
  if (fault === undefined) return new ApiError("invalid_parameter", "The body does not have the documented shape.");
  const field = fieldName(fault.path);
  if (fault.type === ValueErrorType.ObjectAdditionalProperties) {
    return new ApiError("unknown_parameter", `${field} is not a parameter of this request.`);
  }
  if (fault.type === ValueErrorType.ObjectRequiredProperty) {
    return new ApiError("missing_parameter", `${field} is required.`);
  }
  if (field === "") return new ApiError("invalid_parameter", "The body must be a JSON object.");
  return new ApiError("invalid_parameter", `${field} is not valid: ${ruleOf(fault)}`);
}

/** The schema's own description, which states the rule; TypeBox' words where there is none. */
function ruleOf({ schema, message }: ValueError): string {
  return typeof schema.description === "string" ? schema.description : `${message}.`;
}

/** Characters of a client's own name that are repeated to it. */
const MAX_NAME_CHARACTERS = 60;
/** What could be a key or a signature in the wrong place: never repeated. */
const MAYBE_SECRET = /api_trade_|[0-9a-fA-F]{32}/;

/** `/consent/policy/scopes` as `consent.policy.scopes`. */
function fieldName(path: string): string {
  const name = path.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  if (MAYBE_SECRET.test(name)) return "A name that is not shown here";
  return JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS)).slice(1, -1);
}
