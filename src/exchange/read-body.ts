/** The answer's body as text, or why there is none. A body is only used whole. */
export type Body = { kind: "text"; text: string } | { kind: "too_large" } | { kind: "not_utf8" };

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
  return decode(chunks);
}

function decode(chunks: readonly Uint8Array[]): Body {
  const only = chunks[0];
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: "not_utf8" };
  }
}
