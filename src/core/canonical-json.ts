/**
 * JSON text that is the same for the same content: members sorted at every depth, no spaces, absent members left
 * out. (`JSON.stringify(value, keys)` is not it: its key list also filters nested objects.)
 */

export type CanonicalValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly CanonicalValue[]
  | { readonly [key: string]: CanonicalValue | undefined };

/** Deepest nesting that is written; a request body has three levels. */
const MAX_DEPTH = 32;

/** Throws `bug:` on numbers that JSON cannot hold and on values that nest too deep. */
export function canonicalJson(value: CanonicalValue): string {
  return write(value, 0);
}

function write(value: CanonicalValue, depth: number): string {
  if (depth > MAX_DEPTH) throw new Error("bug: value nests too deep for canonical JSON");
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error("bug: number that JSON cannot hold");
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

/** `Array.isArray` narrows a readonly array to `any[]`. */
function isArray(value: CanonicalValue): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
