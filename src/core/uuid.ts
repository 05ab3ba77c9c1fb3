/** A random UUID (version 4) of 16 random bytes. */
export function newUuid(bytes: Uint8Array): string {
  const hex = [...bytes].map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  const text = hex.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Of any version, in lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
