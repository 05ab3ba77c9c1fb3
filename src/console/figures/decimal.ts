/** The exact decimals of `core/decimal` for figures as they come: strings in, strings out. A float never touches an amount. */
import {
  decimal,
  add as exactAdd,
  compare as exactCompare,
  divide as exactDivide,
  multiply as exactMultiply,
  subtract as exactSubtract,
  isZero as isExactZero,
  truncate,
} from "../../core/decimal.ts";

/** The interface's own rule for a decimal that is sent. */
export const SENT_DECIMAL = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

export function add(a: string, b: string): string {
  return exactAdd(decimal(a), decimal(b));
}

export function subtract(a: string, b: string): string {
  return exactSubtract(decimal(a), decimal(b));
}

export function multiply(a: string, b: string): string {
  return exactMultiply(decimal(a), decimal(b));
}

/** Below, at or above zero when `a` is less than, equal to or more than `b`. */
export function compare(a: string, b: string): -1 | 0 | 1 {
  return exactCompare(decimal(a), decimal(b));
}

/** `a / b`, cut (never rounded up) after `decimals`; null where `b` is zero. */
export function divide(a: string, b: string, decimals: number): string | null {
  return isZero(b) ? null : exactDivide(decimal(a), decimal(b), decimals);
}

/** Cut, never rounded, to at most `decimals`. */
export function cut(text: string, decimals: number): string {
  return truncate(decimal(text), decimals);
}

/** At most `figures` significant figures and `decimals` decimals, cut; whole numbers stay whole. */
export function cutToFigures(text: string, figures: number, decimals: number): string {
  const fine = cut(text, decimals);
  const [whole = "0", fraction = ""] = fine.replace("-", "").split(".");
  const before = whole === "0" ? -(/^0*/.exec(fraction)?.[0].length ?? 0) : whole.length;
  return cut(fine, Math.min(decimals, Math.max(0, figures - before)));
}

export function isZero(text: string): boolean {
  return isExactZero(decimal(text));
}
