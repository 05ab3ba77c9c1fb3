/** What a gateway may answer a client, and what the client then does: the same for each language. */

/** What stands in the place of the gateway does with one request. */
export type Reply =
  | { status: number; body: object; retryAfterS?: number }
  /** The request went through, and its answer is lost. */
  | { cut: true }
  /** Somebody between answers. */
  | { html: number }
  /** Pieces of a stream, or its bytes one by one, and then its end; an open one stays silent. */
  | { stream: readonly string[]; ends: "whole" | "cut" | "never"; isInBytes?: true };

/** A method by its name in TypeScript; that of Python has the same words. */
export type Call =
  | { do: string; id?: string; with?: object; key?: string }
  | { all: string }
  | { follow: string | null; take: number };

export type Told = { code: string; outcome: string; status: number | null } | { result: unknown };

export type Scene = {
  name: string;
  calls: readonly Call[];
  /** In their order; those of streams are for `/v1/events` alone. */
  replies: readonly Reply[];
  told: readonly Told[];
  /** Method and path; of a write its key, `A` being the first that was seen; of a stream the place that it goes on from. */
  asked: readonly string[];
  /** Milliseconds. */
  slept: readonly number[];
  silentAfterMs?: number;
};

export const ORDER = { id: "o1", object: "order", status: "open", size: "0.001" };
export const UNKNOWN = { ...ORDER, status: "unknown" };
export const FILLED = { ...ORDER, status: "filled" };
export const CANCELED = { ...ORDER, status: "canceled" };
export const GET = "GET /v1/orders/o1";
/** 120 seconds of patience: half a second, doubled up to eight. */
export const PAUSES = [500, 1_000, 2_000, 4_000, ...Array<number>(14).fill(8_000)];

export function refused(status: number, code: string, retryAfterS?: number): Reply {
  const body = { error: { type: "some_error", code, message: "in words" } };
  return { status, body, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}

export function listed(...data: object[]): Reply {
  return { status: 200, body: { object: "list", data, has_more: false, next_cursor: null } };
}
