import { ApiError, ERROR_STATUS, ERROR_TYPE } from "../core/errors.ts";
import type { With } from "../deps.ts";

/** Spec 2.9: the only body that a failure has. */
export function errorText({ code, message, orders }: ApiError): string {
  const error = { type: ERROR_TYPE[ERROR_STATUS[code]], code, message };
  return JSON.stringify({ error: orders.length === 0 ? error : { ...error, orders } });
}

/** Whatever was thrown, as the refusal that the client reads. Only what is not ours is logged: a refusal is no fault. */
export function toApiError(deps: With<"log">, thrown: unknown, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const code = isStorageFault(thrown) ? "storage_unavailable" : "internal_error";
  deps.log.error({ request_id: requestId, code, error: firstLine(thrown) }, "request failed");
  const message =
    code === "storage_unavailable"
      ? "The gateway's database cannot be used right now; nothing was sent, and what was asked for was not written down and does not hold. Ask for the same again, under the same Idempotency-Key, once its operator has made room for it: /readyz says when."
      : "The gateway failed on this request; nothing was sent. Give the operator the X-Request-Id.";
  return new ApiError(code, message);
}

/** Wrappers around an error that are looked through. */
const MAX_CAUSES = 4;

function isStorageFault(thrown: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth += 1) {
    if ("code" in error && typeof error.code === "string" && error.code.startsWith("SQLITE_")) return true;
    error = error.cause;
  }
  return false;
}

/** The rest of a database error's message holds the values of its statement. */
function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : "something that is no Error was thrown";
  return text.split("\n", 1)[0] ?? "";
}
