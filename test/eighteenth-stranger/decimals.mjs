// Exact figures: whole numbers of 10^-12.
const DIGITS = 12;
export const ONE = 10n ** BigInt(DIGITS);

export function dec(text) {
  const minus = text.startsWith("-");
  const [whole, part = ""] = (minus ? text.slice(1) : text).split(".");
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(part) || part.length > DIGITS) throw new Error(`no decimal: ${text}`);
  const figure = BigInt(whole) * ONE + BigInt(part.padEnd(DIGITS, "0"));
  return minus ? -figure : figure;
}

export function mul(a, b) {
  return (a * b) / ONE;
}

/** As the exchange writes a figure, cut to so many decimals: "25.0", "0.015". */
export function txt(figure, decimals = DIGITS) {
  const minus = figure < 0n;
  const step = 10n ** BigInt(DIGITS - decimals);
  const cut = ((minus ? -figure : figure) / step) * step;
  const part = (cut % ONE).toString().padStart(DIGITS, "0").replace(/0+$/, "");
  return `${minus && cut > 0n ? "-" : ""}${cut / ONE}.${part === "" ? "0" : part}`;
}

/** As Postern writes it: no zeros at the end. */
export function plain(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

export function abs(figure) {
  return figure < 0n ? -figure : figure;
}
