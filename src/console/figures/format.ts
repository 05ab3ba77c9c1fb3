/** Figures as people read them. Nothing here feeds a calculation. */
import { cut, isZero } from "./decimal.ts";

/** Shown where there is nothing to show. */
export const NOTHING = "–";

const GROUP = 3;

/** Thin enough not to break the alignment of a column of figures. */
function grouped(whole: string): string {
  const first = whole.length % GROUP || GROUP;
  const groups = [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += GROUP) groups.push(whole.slice(at, at + GROUP));
  return groups.join(",");
}

/** `-1234.5` as `-1,234.5`. */
export function figure(text: string | null | undefined): string {
  if (text === null || text === undefined) return NOTHING;
  const [whole = "", fraction] = text.replace("-", "").split(".");
  const sign = text.startsWith("-") ? "−" : "";
  return `${sign}${grouped(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Money of the account: always so many decimals, cut, so that a column lines up at the point. */
export function money(text: string | null | undefined, decimals = 2): string {
  if (text === null || text === undefined) return NOTHING;
  const [whole = "0", fraction = ""] = cut(text, decimals).split(".");
  return figure(decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, "0")}`);
}

/** What was lost: a day that has won has lost nothing. Null stays what is not known. */
export function lossOf(amount: string | null): string | null {
  return amount?.startsWith("-") === true ? "0" : amount;
}

/** With a plus where something was won. */
export function signedMoney(text: string | null | undefined, decimals = 2): string {
  if (text === null || text === undefined) return NOTHING;
  return text.startsWith("-") || isZero(text) ? money(text, decimals) : `+${money(text, decimals)}`;
}

/** Up and down for the eye; the sign in front says the same to those who see no colour. */
export function tone(text: string | null | undefined): "gain" | "loss" | "" {
  if (text === null || text === undefined || isZero(text)) return "";
  return text.startsWith("-") ? "loss" : "gain";
}

const TWO = 2;

function padded(value: number, digits = TWO): string {
  return String(value).padStart(digits, "0");
}

/** Local time of day, with the date when it was not today. */
export function time(iso: string | null | undefined, nowMs: number): string {
  if (iso === null || iso === undefined) return NOTHING;
  const then = new Date(iso);
  const clock = `${padded(then.getHours())}:${padded(then.getMinutes())}:${padded(then.getSeconds())}`;
  return then.toDateString() === new Date(nowMs).toDateString() ? clock : `${date(then)} ${clock}`;
}

/** Local date and time to the minute. */
export function dateAndTime(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return NOTHING;
  const then = new Date(iso);
  return `${date(then)} ${padded(then.getHours())}:${padded(then.getMinutes())}`;
}

function date(then: Date): string {
  return `${then.getFullYear()}-${padded(then.getMonth() + 1)}-${padded(then.getDate())}`;
}

const STEPS: readonly [seconds: number, letter: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** `75` as `1 min 15 s`; two units at most. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  for (const [index, [size, letter]] of STEPS.entries()) {
    if (whole < size) continue;
    const [nextSize, nextLetter] = STEPS[index + 1] ?? [1, "s"];
    const rest = Math.floor((whole % size) / nextSize);
    return rest === 0
      ? `${Math.floor(whole / size)} ${letter}`
      : `${Math.floor(whole / size)} ${letter} ${rest} ${nextLetter}`;
  }
  return `${whole} s`;
}

export function ageOf(iso: string, nowMs: number): string {
  return duration((nowMs - Date.parse(iso)) / 1_000);
}

const SHOWN_HEX = 8;

/** The front and the end of a long id: enough to tell two apart. */
export function shortId(text: string): string {
  return text.length <= 2 * SHOWN_HEX ? text : `${text.slice(0, SHOWN_HEX)}…${text.slice(-4)}`;
}
