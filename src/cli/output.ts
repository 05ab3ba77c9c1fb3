import { type TypedData, walletForm } from "../wire/wallet-form.ts";
import type { Input } from "./command.ts";
import type { Outside } from "./outside.ts";

/** One JSON object on one line when a script asked for it, else lines for a person. */
export function present(
  { input, outside }: { input: Input; outside: Outside },
  facts: Readonly<Record<string, unknown>>,
  lines: readonly string[],
): void {
  outside.print(input.isSet("json") ? `${JSON.stringify(facts)}\n` : `${lines.map(printable).join("\n")}\n`);
}

/** What would steer a terminal, or begin a line of its own, is shown instead: texts of the exchange are not ours. */
export function printable(line: string): string {
  return line.replace(CONTROLS, escaped);
}

/** Control characters, line and paragraph separators, and what turns the direction of writing round. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Columns of a table, each as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/**
 * What a command prints of something to sign. `typed_data` is for wallets and viem; `ethers` holds the three arguments of
 * ethers' `signTypedData`, which makes the domain's type itself and refuses data that has it.
 */
export function signable(data: TypedData) {
  const { domain, types, message } = data;
  return { typed_data: walletForm(data), ethers: { domain, types, message } };
}

/** Something to sign as lines that a person copies. */
export function signableLines(data: TypedData): string[] {
  return [
    ...JSON.stringify(walletForm(data), null, 2).split("\n"),
    "",
    "(For ethers' signTypedData(domain, types, message), leave EIP712Domain out of the types; --json prints it so.)",
  ];
}

export function isoTime(ms: number | null): string {
  return ms === null ? "-" : new Date(ms).toISOString();
}
