import { ApiError } from "../core/errors.ts";

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
