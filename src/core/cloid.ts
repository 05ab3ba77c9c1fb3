/** A UUID and the client order id made of the same 128 bits. */
import { isUuid, uuidOfHex } from "./uuid.ts";

/** In lower case, as all are that we sign and keep. */
const CLOID = /^0x[0-9a-f]{32}$/;

export function isCloid(text: string): boolean {
  return CLOID.test(text);
}

/** The client order id of an order: `0x` and the same 32 hex digits. */
export function cloidOf(uuid: string): string {
  const id = uuid.toLowerCase();
  if (!isUuid(id)) throw new Error("bug: not a uuid");
  return `0x${id.replaceAll("-", "")}`;
}

/** The id whose client order id this is; null when the text is no client order id. */
export function uuidOfCloid(cloid: string): string | null {
  const id = cloid.toLowerCase();
  return isCloid(id) ? uuidOfHex(id.slice(2)) : null;
}
