/** Comma-separated values (RFC 4180), as spreadsheets read them. */

export type CsvCell = string | number | boolean | null;

const FIGURE = /^-?[0-9]+(\.[0-9]+)?$/;
/** What a spreadsheet may take for a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/;

/** One line with its end. A text that a spreadsheet would run begins with an apostrophe; figures are left as they are. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return "";
  const text = String(cell);
  const safe = FORMULA.test(text) && !FIGURE.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
