import { sqliteVersion } from "../store/sqlite-version.ts";
import { chooseEcdsa } from "../vault/ecdsa.ts";
import { type Command, JSON_OUTPUT } from "./command.ts";

// Put in by the build; a run from source has neither.
declare const POSTERN_VERSION: string | undefined;

export const VERSION = typeof POSTERN_VERSION === "string" ? POSTERN_VERSION : "development";
declare const POSTERN_COMMIT: string | undefined;

export function postern(): { version: string; commit: string } {
  return {
    version: VERSION,
    commit: typeof POSTERN_COMMIT === "string" ? POSTERN_COMMIT : "unknown",
  };
}

export const versionCommand: Command = {
  name: "version",
  summary: "version, commit, Bun and SQLite versions, and what signs",
  options: { json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const facts = { ...postern(), bun: Bun.version, sqlite: sqliteVersion(), signing: chooseEcdsa().kind };
    const lines = Object.entries(facts).map(([name, value]) => `${name} ${value}\n`);
    outside.print(input.isSet("json") ? `${JSON.stringify(facts)}\n` : lines.join(""));
  },
};
