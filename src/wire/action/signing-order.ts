import { KindGuard, type TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { madeOnce } from "../../core/made-once.ts";

type Arrange = (value: unknown) => unknown;

/**
 * The value with its members in the order of the schema's properties, which is the order that is hashed, and with
 * whole numbers as bigint where the schema says bigint. Members that the schema does not know stay (at the end), so
 * that a check against a closed schema still refuses them. Members that are undefined go.
 */
export function inSigningOrder(schema: TSchema, value: unknown): unknown {
  return arrangementOf(schema)(value);
}

/** True when the value is one of this schema; closed objects refuse what they do not know. */
export function fits(schema: TSchema, value: unknown): boolean {
  return checkOf(schema).Check(value);
}

// Schemas are constants: each is compiled and arranged once.
const checkOf = madeOnce((schema: TSchema) => TypeCompiler.Compile(schema));
const arrangementOf = madeOnce(arrange);

function arrange(schema: TSchema): Arrange {
  if (KindGuard.IsBigInt(schema)) {
    return (value) => (typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value);
  }
  if (KindGuard.IsUnion(schema)) return (value) => firstFitting(schema.anyOf, value);
  if (KindGuard.IsArray(schema)) {
    const item = arrangementOf(schema.items);
    return (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (!KindGuard.IsObject(schema)) return (value) => value;
  const arranges = Object.entries(schema.properties).map(([name, member]) => [name, arrangementOf(member)] as const);
  const members = new Map<string, Arrange>(arranges);
  return (value) => arrangeMembers(members, value);
}

function arrangeMembers(members: ReadonlyMap<string, Arrange>, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // Asked for its own members only.
  const given = value as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  for (const [name, arrange] of members) {
    const member = Object.hasOwn(given, name) ? given[name] : undefined;
    if (member !== undefined) ordered[name] = arrange(member);
  }
  for (const name of Object.keys(given)) {
    const member = members.has(name) ? undefined : given[name];
    // Not by assignment, which would take `__proto__` for more than a name.
    if (member !== undefined) Object.defineProperty(ordered, name, { value: member, enumerable: true });
  }
  return ordered;
}

function firstFitting(members: readonly TSchema[], value: unknown): unknown {
  for (const member of members) {
    const ordered = inSigningOrder(member, value);
    if (fits(member, ordered)) return ordered;
  }
  return value;
}
