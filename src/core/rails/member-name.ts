/** A member of what is signed, as the interface writes it: `maxOrder` is `max_order`. */
export function memberName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
