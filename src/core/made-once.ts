/**
 * What `make` makes of an object that nobody changes, made when it is first asked for and kept while the object itself is: the
 * same object is the same state, and a new state is a new object.
 */
export function madeOnce<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const made = new WeakMap<Of, { value: Value }>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known.value;
    const value = make(of);
    made.set(of, { value });
    return value;
  };
}

/** What was made last of parts that nobody changes, while each of them is the same. */
export function whileSame<Value>(): (parts: readonly unknown[], make: () => Value) => Value {
  let last: { parts: readonly unknown[]; value: Value } | null = null;
  return (parts, make) => {
    const isSame = last?.parts.length === parts.length && last.parts.every((part, nth) => part === parts[nth]);
    if (last === null || !isSame) last = { parts, value: make() };
    return last.value;
  };
}
