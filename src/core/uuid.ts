/** A random UUID (version 4) of 16 random bytes. */
export function newUuid(bytes: Uint8Array): string {
  const hex = [...bytes].map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  return uuidOfHex(hex.map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/** Of any version. */
export const LOWER_CASE_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** In lower case. */
export function isUuid(text: string): boolean {
  return LOWER_CASE_UUID.test(text);
}

/** Of its 32 hex digits. */
export function uuidOfHex(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
