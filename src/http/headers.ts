/** What every answer says besides itself. */

const REQUEST_ID_BYTES = 16;

export function newRequestId(randomBytes: (count: number) => Uint8Array): string {
  return `req_${Buffer.from(randomBytes(REQUEST_ID_BYTES)).toString("hex")}`;
}

const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
} as const;

const NO_CONTENT_ALLOWED = "default-src 'none'; frame-ancestors 'none'";

export function setCommonHeaders(headers: Headers, requestId: string): void {
  headers.set("X-Request-Id", requestId);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", NO_CONTENT_ALLOWED);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}
