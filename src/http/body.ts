import type { Clock } from "../core/clock.ts";
import { ApiError } from "../core/errors.ts";
import { parseStrictJson } from "./strict-json.ts";

/** A body that takes longer is given up, one in chunks at its next piece; a silent one by the connection's timeout. */
const MAX_BODY_MS = 10_000;

/** Pieces of a body in chunks: each costs as much as a kilobyte, and a client may make them one byte long. */
const MAX_PIECES = 256;

/** `maxBytes`: of the body. Bun's own limit is set above ours, so that this one answers. */
export type BodyLimits = { maxBytes: number; clock: Clock };

/**
 * The JSON value of a request's body; undefined when there is none. Throws what spec 2.9 answers with; `onLeft` is
 * called when some of it was left unread.
 */
export async function readJsonBody(request: Request, limits: BodyLimits, onLeft?: () => void): Promise<unknown> {
  const bytes = await readBytes(request, limits).catch((error: unknown) => {
    onLeft?.();
    throw error;
  });
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  const parsed = parseStrictJson(bytes);
  if (parsed.kind === "fault") throw new ApiError("invalid_json", `The body is not usable JSON: ${parsed.reason}.`);
  return parsed.value;
}

function requireJson(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ApiError("invalid_content_type", "Content-Encoding is not supported; send the body as it is.");
  }
  if (!/^application\/json *(; *charset=("utf-8"|utf-8) *)?$/i.test(headers.get("content-type") ?? "")) {
    throw new ApiError("invalid_content_type", "Content-Type must be application/json, in UTF-8.");
  }
}

/** A length that the client announces proves nothing: what has arrived is measured as well. */
export async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  if (announced === null) return request.body === null ? new Uint8Array(0) : readPieces(request.body, limits);
  if (Number(announced) > limits.maxBytes) throw tooLarge(limits);
  return readWhole(request, limits);
}

/** In one piece, which costs a fraction of a stream. */
async function readWhole(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const timer = limits.clock.timer(MAX_BODY_MS);
  try {
    const body = await Promise.race([request.arrayBuffer().catch(cutOff), timer.up]);
    if (body === undefined) throw tooSlow();
    if (body.byteLength > limits.maxBytes) throw tooLarge(limits);
    return new Uint8Array(body);
  } finally {
    timer.cancel();
  }
}

/** Counts what really arrives. */
async function readPieces(stream: ReadableStream<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  const { clock, maxBytes } = limits;
  const startedMs = clock.elapsedMs();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of piecesOf(stream)) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(limits);
    if (clock.elapsedMs() - startedMs > MAX_BODY_MS) throw tooSlow();
    pieces.push(piece);
    if (pieces.length > MAX_PIECES) throw tooManyPieces();
  }
  return Buffer.concat(pieces, length);
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    // Only the stream itself fails in here: what the caller throws ends this generator without passing by.
    cutOff();
  }
}

function cutOff(): never {
  throw new ApiError("invalid_json", "The body was cut off before its end.");
}

function tooSlow(): ApiError {
  return new ApiError("invalid_json", `The body did not arrive within ${MAX_BODY_MS / 1_000} seconds.`);
}

function tooManyPieces(): ApiError {
  return new ApiError("invalid_json", `The body came in more than ${MAX_PIECES} pieces.`);
}

function tooLarge({ maxBytes }: BodyLimits): ApiError {
  return new ApiError("body_too_large", `The body of this request may have at most ${maxBytes} bytes.`);
}
