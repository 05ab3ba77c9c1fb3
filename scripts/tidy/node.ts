/** A node of a syntax tree as plain data: its published type is a union of 200 shapes that nobody here tells apart. */
export type Node = { type: string; start: number; [key: string]: unknown };

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
