/**
 * True for errors that come up before the first byte of a request can leave: the name was not found, nobody listens,
 * or the certificate was refused in the handshake.
 *
 * Not among them: ECONNRESET (the same code whether the request was unread, read or half answered), timeouts, and
 * EPROTO, which Bun 1.4.5 also reports for a TLS stream that breaks after the request was received.
 */
export function provesNothingLeft(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && BEFORE_FIRST_BYTE.has(code);
}

/** Short and safe to log; never the server's text. */
export function describeError(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown error");
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** System codes of a failed look-up or connect, and the certificate errors of X509_verify_cert_error_string(3). */
const BEFORE_FIRST_BYTE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
