/**
 * Exact decimals for a page that shows money: strings in, strings out, whole numbers of 10^-scale in between. A float
 * never touches an amount.
 */
type Scaled = { units: bigint; scale: number };

/** The interface's own rule for a decimal that is sent. */
export const SENT_DECIMAL = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

const FIGURE = /^(-?)(\d+)(?:\.(\d+))?$/;

function scaled(text: string): Scaled {
  const match = FIGURE.exec(text);
  if (match === null) throw new Error(`bug: "${text}" is no decimal`);
  const [, sign = "", whole = "0", fraction = ""] = match;
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

function written({ units, scale }: Scaled): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = withoutZeros(digits.slice(digits.length - scale));
  const text = fraction === "" ? whole : `${whole}.${fraction}`;
  return units < 0n && text !== "0" ? `-${text}` : text;
}

function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === "0") end -= 1;
  return fraction.slice(0, end);
}

function aligned(a: string, b: string): { left: bigint; right: bigint; scale: number } {
  const [one, two] = [scaled(a), scaled(b)];
  const scale = Math.max(one.scale, two.scale);
  return {
    left: one.units * 10n ** BigInt(scale - one.scale),
    right: two.units * 10n ** BigInt(scale - two.scale),
    scale,
  };
}

export function add(a: string, b: string): string {
  const { left, right, scale } = aligned(a, b);
  return written({ units: left + right, scale });
}

export function subtract(a: string, b: string): string {
  const { left, right, scale } = aligned(a, b);
  return written({ units: left - right, scale });
}

export function multiply(a: string, b: string): string {
  const [one, two] = [scaled(a), scaled(b)];
  return written({ units: one.units * two.units, scale: one.scale + two.scale });
}

/** Below, at or above zero when `a` is less than, equal to or more than `b`. */
export function compare(a: string, b: string): -1 | 0 | 1 {
  const { left, right } = aligned(a, b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** `a / b`, cut (never rounded up) after `decimals`; null where `b` is zero. */
export function divide(a: string, b: string, decimals: number): string | null {
  const { left, right } = aligned(a, b);
  if (right === 0n) return null;
  return written({ units: (left * 10n ** BigInt(decimals)) / right, scale: decimals });
}

/** Cut, never rounded, to at most `decimals`. */
export function cut(text: string, decimals: number): string {
  const { units, scale } = scaled(text);
  return scale <= decimals
    ? written({ units, scale })
    : written({ units: units / 10n ** BigInt(scale - decimals), scale: decimals });
}

/** At most `figures` significant figures and `decimals` decimals, cut; whole numbers stay whole. */
export function cutToFigures(text: string, figures: number, decimals: number): string {
  const fine = cut(text, decimals);
  const [whole = "0", fraction = ""] = fine.replace("-", "").split(".");
  const before = whole === "0" ? -(/^0*/.exec(fraction)?.[0].length ?? 0) : whole.length;
  return cut(fine, Math.min(decimals, Math.max(0, figures - before)));
}

export function isZero(text: string): boolean {
  return scaled(text).units === 0n;
}
