import { ApiError } from "../core/errors.ts";

/** What every answer says besides itself. */

const REQUEST_ID_BYTES = 16;

export function newRequestId(randomBytes: (count: number) => Uint8Array): string {
  return `req_${Buffer.from(randomBytes(REQUEST_ID_BYTES)).toString("hex")}`;
}

const SECURITY_HEADERS = Object.entries({
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
});

const NO_CONTENT_ALLOWED = "default-src 'none'; frame-ancestors 'none'";

export function setCommonHeaders(headers: Headers, requestId: string): void {
  headers.set("X-Request-Id", requestId);
  for (const [name, value] of SECURITY_HEADERS) headers.set(name, value);
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", NO_CONTENT_ALLOWED);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

/** Spec 4 and 8; visible ASCII only, so that two headers, which arrive joined by a space, are none. */
const KEY = /^[\x21-\x7e]{8,128}$/;

export function readIdempotencyKey(headers: Headers): string {
  const key = headers.get("idempotency-key");
  if (key === null || key === "") {
    throw new ApiError(
      "idempotency_key_required",
      "Idempotency-Key header required: 8 to 128 characters, new for each action.",
    );
  }
  if (!KEY.test(key)) {
    throw new ApiError(
      "invalid_idempotency_key",
      "Idempotency-Key must be one header of 8 to 128 visible ASCII characters without spaces.",
    );
  }
  return key;
}

/** As it was sent with a request; null where it is not asked for. */
export function readKeyParameter(key: string | null): string | null {
  if (key === null || KEY.test(key)) return key;
  throw new ApiError("invalid_parameter", "idempotency_key must be 8 to 128 visible ASCII characters without spaces.");
}
