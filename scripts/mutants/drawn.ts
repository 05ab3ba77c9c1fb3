/** So many of a list, in an order that a text decides: the same ones whoever draws them. */
export function drawn<Each>(
  all: readonly Each[],
  nameOf: (each: Each) => string,
  { count, by }: { count: number; by: string },
): Each[] {
  const rank = (each: Each) => new Bun.CryptoHasher("sha256").update(`${by} ${nameOf(each)}`).digest("hex");
  return all.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count);
}
