/** A UUID and the client order id made of the same 128 bits. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CLOID = /^0x([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** The client order id of an order: `0x` and the same 32 hex digits. */
export function cloidOf(uuid: string): string {
  if (!UUID.test(uuid)) throw new Error("bug: not a uuid");
  return `0x${uuid.replaceAll("-", "").toLowerCase()}`;
}

/** The id whose client order id this is; null when the text is no client order id. */
export function uuidOfCloid(cloid: string): string | null {
  const parts = CLOID.exec(cloid);
  return parts === null ? null : parts.slice(1).join("-").toLowerCase();
}
