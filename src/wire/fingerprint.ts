import { type CanonicalValue, canonicalJson } from "../core/canonical-json.ts";
import { sha256Hex } from "./sha256.ts";

/** Rules by which a print was made; a stored print is only compared with one made by the same rules. */
const VERSION = "v1";

export type FingerprintInput = {
  /** Name of the route, not its path. */
  route: string;
  /** Id in the path as the client sent it, or null. */
  pathId: string | null;
  /** The checked body: defaults filled in, decimals normalised, market as sent. */
  body: CanonicalValue;
};

/** What makes two requests under one Idempotency-Key the same. A pure function of the request. */
export function fingerprint({ route, pathId, body }: FingerprintInput): string {
  const text = canonicalJson({ route, pathId: pathId === null ? null : pathId.toLowerCase(), body });
  return `${VERSION}:${sha256Hex(text)}`;
}
