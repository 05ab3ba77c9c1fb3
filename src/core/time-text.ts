const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z)?$/;

/** ISO 8601 in UTC, to the day, second or millisecond, as unix milliseconds; null for anything else, a day that no month has included. */
export function parseTime(text: string): number | null {
  if (!TIME.test(text)) return null;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return null;
  return new Date(ms).toISOString().startsWith(text.replace(/Z$/, "")) ? ms : null;
}
