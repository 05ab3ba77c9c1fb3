import { KindGuard, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/**
 * The value with its members in the order of the schema's properties, which is the order that is hashed, and with
 * whole numbers as bigint where the schema says bigint. Members that the schema does not know stay (at the end), so
 * that a check against a closed schema still refuses them. Members that are undefined go.
 */
export function inSigningOrder(schema: TSchema, value: unknown): unknown {
  if (KindGuard.IsBigInt(schema)) {
    return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  }
  if (KindGuard.IsUnion(schema)) return firstFitting(schema.anyOf, value);
  if (KindGuard.IsArray(schema)) {
    return Array.isArray(value) ? value.map((item: unknown) => inSigningOrder(schema.items, item)) : value;
  }
  if (!KindGuard.IsObject(schema) || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = new Map(Object.entries(value).filter(([, member]) => member !== undefined));
  const ordered: [string, unknown][] = [];
  for (const [key, member] of Object.entries(schema.properties)) {
    if (given.has(key)) ordered.push([key, inSigningOrder(member, given.get(key))]);
    given.delete(key);
  }
  return Object.fromEntries([...ordered, ...given]);
}

function firstFitting(members: readonly TSchema[], value: unknown): unknown {
  for (const member of members) {
    const ordered = inSigningOrder(member, value);
    if (Value.Check(member, ordered)) return ordered;
  }
  return value;
}
