import { createHash } from "node:crypto";

/** What happened in a run, line by line with its virtual time. Off, it costs nothing. */
export type History = {
  note(text: () => string): void;
  lines(): readonly string[];
  hash(): string;
};

export function openHistory(isOn: boolean, nowMs: () => number): History {
  const lines: string[] = [];
  return {
    note(text) {
      if (isOn) lines.push(`${(nowMs() / 1_000).toFixed(3).padStart(9)}  ${text()}`);
    },
    lines: () => lines,
    hash: () => createHash("sha256").update(lines.join("\n")).digest("hex"),
  };
}
