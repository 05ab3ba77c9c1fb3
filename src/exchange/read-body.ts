/** The answer's body as text, or why there is none. A body is only used whole. */
export type Body = { kind: "text"; text: string } | { kind: "too_large" } | { kind: "not_utf8" };

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads until the end or until `maxBytes` (after decompression) are exceeded. Throws when the connection breaks. */
export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { kind: "text", text: "" };
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    byteCount += value.byteLength;
    if (byteCount > maxBytes) {
      // The rest is of no interest; an error while giving it up changes nothing.
      reader.cancel().catch(() => {});
      return { kind: "too_large" };
    }
    chunks.push(value);
  }
  const only = chunks[0];
  return decodeBody(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
}

export function decodeBody(bytes: Uint8Array): Body {
  try {
    return { kind: "text", text: STRICT_UTF8.decode(bytes) };
  } catch {
    return { kind: "not_utf8" };
  }
}
