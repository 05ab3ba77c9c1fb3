/** Copies of the tree to plant bugs in: the tree itself is never touched, and may be edited meanwhile. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Change } from "./mutant.ts";

const ROOT = join(import.meta.dir, "../..");
/** Large, or of one place only. */
const NOT_COPIED: ReadonlySet<string> = new Set([".git", "node_modules", "dist"]);

/** A copy of a tree in a directory of its own, with the packages of this one. Whoever asks removes it. */
export function copyTree(from: string = ROOT): string {
  const directory = mkdtempSync(join(tmpdir(), "postern-planted-"));
  for (const name of readdirSync(from)) {
    if (!NOT_COPIED.has(name)) cpSync(join(from, name), join(directory, name), { recursive: true, filter: isCopied });
  }
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return directory;
}

/** Packages of a script of its own lie below it, and may be installed just now: what is listed there is gone a moment later. */
function isCopied(path: string): boolean {
  return basename(path) !== "node_modules";
}

/** Texts of the files that these changes make of a tree, by path; a text that is not there exactly once is a fault. */
export function changedTexts(
  directory: string,
  changes: readonly Change[],
): { texts: ReadonlyMap<string, string>; fault: string | null } {
  const texts = new Map<string, string>();
  for (const { file, find, put } of changes) {
    const text = texts.get(file) ?? readFileSync(join(directory, file), "utf8");
    const times = text.split(find).length - 1;
    if (times !== 1) return { texts, fault: `${file} holds ${times} times and not once: ${find}` };
    texts.set(
      file,
      text.replace(find, () => put),
    );
  }
  return { texts, fault: null };
}

/** Makes the changes in a directory; null, or why they could not be made. */
export function plant(directory: string, changes: readonly Change[]): string | null {
  const { texts, fault } = changedTexts(directory, changes);
  if (fault !== null) return fault;
  for (const [file, text] of texts) writeFileSync(join(directory, file), text);
  return null;
}

/** Takes them back: the files are again those of the tree that the copy was made of. */
export function restore(directory: string, from: string, changes: readonly Change[]): void {
  for (const { file } of changes) cpSync(join(from, file), join(directory, file));
}
