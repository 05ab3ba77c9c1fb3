/** Which way imports may go: down the floors, never up, type imports included. */
import { posix } from "node:path";
import type { Facts, Import } from "./source.ts";

export type Finding = { file: string; line: number; rule: string; reason: string };

type Door = { rooms: readonly string[]; reason: string };

/** A room's neighbours downstairs. A room may always import itself. */
const DOORS: Record<string, Door> = {
  core: { rooms: [], reason: "core/ is what is true about orders and money, and imports nothing" },
  wire: { rooms: ["core"], reason: "wire/ is bytes and imports only core/" },
  store: { rooms: ["core", "drizzle"], reason: "store/ is the SQL and imports only core/ (and the migrations)" },
  vault: { rooms: ["core", "wire"], reason: "vault/ holds the keys and imports only core/ and wire/" },
  exchange: { rooms: ["core", "wire"], reason: "exchange/ is the network and imports only core/ and wire/" },
  settle: { rooms: ["core", "wire", "store", "exchange", "deps.ts"], reason: "settle/ stands on store/ and exchange/" },
  write: {
    rooms: ["core", "wire", "store", "exchange", "settle", "deps.ts"],
    reason: "write/ stands on settle/, store/ and exchange/, and knows no verb",
  },
  actions: {
    rooms: ["core", "wire", "store", "exchange", "settle", "write", "deps.ts"],
    reason: "actions/ stands on write/, settle/, store/ and exchange/, and never sees a key",
  },
  ops: {
    rooms: ["core", "wire", "store", "vault", "exchange", "settle", "deps.ts"],
    reason: "ops/ stands on vault/, settle/, store/ and exchange/",
  },
  http: {
    rooms: ["core", "write", "actions", "ops", "deps.ts"],
    reason: "http/ translates; verbs are in actions/ and ops/",
  },
  paper: { rooms: ["core", "wire"], reason: "paper/ is another program and shares only core/ and wire/" },
  console: { rooms: ["core"], reason: "console/ is a client of /v1 like any other" },
  "config.ts": { rooms: ["core", "deps.ts"], reason: "config.ts only checks what the operator said" },
  "log.ts": { rooms: ["core", "config.ts", "deps.ts"], reason: "log.ts only knows its allow-list of fields" },
  "metrics.ts": { rooms: ["core", "deps.ts"], reason: "metrics.ts only knows its closed list" },
  "deps.ts": {
    rooms: ["core", "store", "vault", "exchange"],
    reason: "deps.ts is the type of the outside world",
  },
  "main.ts": { rooms: ["cli", "config.ts"], reason: "main.ts only picks the command" },
  "background.ts": {
    rooms: ["core", "store", "exchange", "settle", "write", "actions", "ops", "deps.ts"],
    reason: "background.ts says when what the deeds do is done",
  },
  "gateway.ts": {
    rooms: [
      "core",
      "wire",
      "store",
      "vault",
      "exchange",
      "settle",
      "write",
      "actions",
      "ops",
      "http",
      "background.ts",
      "config.ts",
      "deps.ts",
      "log.ts",
      "metrics.ts",
    ],
    reason: "gateway.ts composes everything but cli/, paper/ and console/",
  },
  cli: {
    rooms: [
      "core",
      "wire",
      "store",
      "vault",
      "exchange",
      "settle",
      "write",
      "actions",
      "ops",
      "http",
      "paper",
      "config.ts",
      "deps.ts",
      "gateway.ts",
      "log.ts",
      "metrics.ts",
    ],
    reason: "cli/ imports anything but console/ and main.ts",
  },
};

/** Files of cli/ that may start the paper exchange; the other commands have no business with it. */
const PAPER_STARTERS = new Set([
  "src/cli/paper.ts",
  "src/cli/paper-faults.ts",
  "src/cli/paper-scenes.ts",
  "src/cli/serve.ts",
  "src/cli/demo.ts",
  "src/cli/serve-paper.ts",
]);

/** What wallets sign and give is one thing for everybody; these need no library, so the page is no larger. */
const WALLETS = new Set(
  ["grant-data", "limited-grant-data", "signature", "wallet-form"].map((name) => `src/wire/${name}.ts`),
);

export function checkImports(facts: Facts): Finding[] {
  return facts.imports.flatMap((found) => {
    const reason = importFault(facts.path, found);
    return reason === null ? [] : [{ file: facts.path, line: found.line, rule: "import-direction", reason }];
  });
}

function importFault(path: string, found: Import): string | null {
  if (!found.specifier.startsWith(".")) return packageFault(path, found.specifier);
  if (!/\.(ts|sql|md|html|css|json)$/.test(found.specifier)) return `"${found.specifier}" lacks its file ending`;
  if (!path.startsWith("src/")) return null;
  const target = posix.join(posix.dirname(path), found.specifier);
  return (
    roomFault(path, target, found.typeOnly) ??
    (path === "src/deps.ts" && !found.typeOnly ? "deps.ts imports types only" : null)
  );
}

function packageFault(path: string, specifier: string): string | null {
  if (roomOf(path) !== "core" || !path.startsWith("src/")) return null;
  return `core/ imports nothing, and "${specifier}" is a package`;
}

function roomFault(path: string, target: string, typeOnly: boolean): string | null {
  const from = roomOf(path);
  const to = roomOf(target);
  if (path.startsWith("src/paper/engine/")) return engineFault(target);
  if (path === "src/http/console.ts" && to === "console") return null;
  if (from === "console" && (WALLETS.has(target) || (typeOnly && target.startsWith("src/http/schema/")))) return null;
  if (from === to) return null;
  const door = DOORS[from];
  if (door === undefined) return `${path} is in no room of the house`;
  if (!door.rooms.includes(to)) return `${door.reason}; ${target} is not among them`;
  if (to === "paper" && !PAPER_STARTERS.has(path)) return "only the commands that start the paper exchange import it";
  return null;
}

function engineFault(target: string): string | null {
  const inside = target.startsWith("src/paper/engine/");
  return inside || ["core", "wire"].includes(roomOf(target)) ? null : "paper/engine/ imports only core/ and wire/";
}

/** `core` for src/core/decimal.ts, `main.ts` for src/main.ts, `drizzle` for drizzle/0000_x.sql. */
export function roomOf(path: string): string {
  const parts = path.split("/");
  return (parts[0] === "src" ? parts[1] : parts[0]) ?? "";
}
