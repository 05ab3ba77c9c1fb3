/** State as JSON text and back: maps, sets and bigints are tagged, everything else is itself. */

export function stateText(state: unknown): string {
  return JSON.stringify(state, (_key, value: unknown) => {
    if (typeof value === "bigint") return { $n: value.toString() };
    if (value instanceof Map) return { $m: [...value] };
    if (value instanceof Set) return { $s: [...value] };
    return value;
  });
}

export function parseState(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (value === null || typeof value !== "object") return value;
    if ("$n" in value && typeof value.$n === "string") return BigInt(value.$n);
    // Entries were written from a Map by stateText.
    if ("$m" in value && Array.isArray(value.$m)) return new Map(value.$m as [unknown, unknown][]);
    if ("$s" in value && Array.isArray(value.$s)) return new Set(value.$s);
    return value;
  });
}
