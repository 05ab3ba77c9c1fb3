// Amounts are whole numbers of 1e-8; ids are bigints, so that none is rounded on its way through JSON.

const UNIT = 100000000n;

export function units(text) {
  const negative = text.startsWith("-");
  const [whole, fraction = ""] = (negative ? text.slice(1) : text).split(".");
  const value = BigInt(whole) * UNIT + BigInt(fraction.padEnd(8, "0").slice(0, 8));
  return negative ? -value : value;
}

/** As the gateway writes it: without zeros at the end. */
export function plain(value) {
  const size = value < 0n ? -value : value;
  const fraction = (size % UNIT).toString().padStart(8, "0").replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${size / UNIT}${fraction === "" ? "" : `.${fraction}`}`;
}

/** As the exchange writes it: whole numbers keep `.0`. */
export function wire(value) {
  const text = plain(value);
  return text.includes(".") ? text : `${text}.0`;
}

export function times(a, b) {
  return (a * b) / UNIT;
}

export function over(a, b) {
  return b === 0n ? 0n : (a * UNIT) / b;
}

export function absolute(value) {
  return value < 0n ? -value : value;
}

export function read(text) {
  return JSON.parse(text.replace(/([:[,]\s*)(\d{15,20})(?=\s*[,\]}])/g, '$1"#$2"'), (_, v) =>
    typeof v === "string" && /^#\d+$/.test(v) ? BigInt(v.slice(1)) : v,
  );
}

export function write(value) {
  return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `@@${v}@@` : v)).replace(/"@@(\d+)@@"/g, "$1");
}

export function least(a, b) {
  // Math.min takes no bigint.
  if (a < b) return a;
  return b;
}
