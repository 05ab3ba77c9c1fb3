import { ApiError } from "../core/errors.ts";
import { UUID } from "./schema/common.ts";

const NATIVE_ID = /^[0-9]{1,20}$/;
const CLIENT_ID = /^0x[0-9a-fA-F]{32}$/;

/** The id in an order's path, lower case: a UUID, a native order id or a client order id. */
export function readOrderId(text: string): string {
  if (UUID.test(text) || NATIVE_ID.test(text) || CLIENT_ID.test(text)) return text.toLowerCase();
  throw new ApiError(
    "invalid_id",
    "The id must be a UUID, a native order id (1 to 20 digits) or 0x and 32 hex characters.",
  );
}

export function readOperationId(text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new ApiError("invalid_id", "The id must be the UUID of an operation.");
}
