/** What is shown by the executable or a stage of CI: minutes each, run by hand with --stages. */
import { type Break, inFile } from "./break.ts";

const TIMING = { stage: ["bun", "scripts/timing.ts"] };
const SMOKE = { stage: ["bash", "-c", "bun scripts/build.ts && bun scripts/smoke.ts dist/postern 120"] };
const SUPPLY = { stage: ["bash", "-c", "bun scripts/build.ts && scripts/stages/50-supply-chain"] };
const HOSTILE = { stage: ["bash", "-c", "bun scripts/build.ts && scripts/stages/45-hostile"] };

export const STAGE_BREAKS: readonly Break[] = [
  {
    row: "S02",
    name: "a key that is like a registered one is refused later",
    changes: inFile(
      "src/actions/authenticate.ts",
      "  const key = findApiKey(deps.store, hash);\n",
      '  const key = findApiKey(deps.store, hash);\n  const isLike = deps.store.$client.query<{ n: number }, [string]>("SELECT count(*) AS n FROM api_keys WHERE key_hash >= ?").get(apiKey.startsWith("api_trade_a1a1a1a1") ? "0" : "f");\n  if (isLike?.n === -1) throw new Error("bug: a negative count");\n',
    ),
    seenBy: TIMING,
  },
  {
    row: "S26",
    name: "the unit keeps all capabilities",
    changes: inFile("scripts/systemd/postern.service", "CapabilityBoundingSet=\n", ""),
    seenBy: SUPPLY,
  },
  {
    row: "S26",
    name: "the unit may make namespaces",
    changes: inFile("scripts/systemd/postern.service", "RestrictNamespaces=yes\n", ""),
    seenBy: SUPPLY,
  },
  {
    row: "S26",
    name: "a line of the unit that systemd does not know",
    changes: inFile("scripts/systemd/postern.service", "LimitCORE=0", "LimitCORES=0"),
    seenBy: SUPPLY,
  },
  {
    row: "S27",
    name: "a bunfig.toml of the working directory is read",
    changes: inFile("scripts/build.ts", "autoloadBunfig: false", "autoloadBunfig: true"),
    seenBy: SMOKE,
  },
  {
    row: "S27",
    name: "a .env of the working directory is read",
    changes: inFile("scripts/build.ts", "autoloadDotenv: false", "autoloadDotenv: true"),
    seenBy: SMOKE,
  },
  {
    row: "S28",
    name: "the same commit gives other bytes",
    changes: inFile(
      "scripts/build.ts",
      "version: values.version, commit: commitOf(ROOT).id",
      "version: values.version, commit: `${commitOf(ROOT).id}-${Date.now()}`",
    ),
    seenBy: SUPPLY,
  },
  {
    row: "S28",
    name: "a package whose scripts run",
    changes: inFile("package.json", '"trustedDependencies": [],', '"trustedDependencies": ["esbuild"],'),
    seenBy: SUPPLY,
  },
  {
    row: "S36",
    name: "long headers are refused by the runtime and not by us",
    changes: inFile(
      "scripts/build.ts",
      "    execArgv: [`--max-http-header-size=${MAX_HEADER_BYTES}`],",
      "    execArgv: [],",
    ),
    seenBy: SMOKE,
  },
  {
    row: "S36",
    name: "after a storm there is no place for an order",
    changes: inFile("src/http/server.ts", "      places.leave();\n", ""),
    seenBy: HOSTILE,
  },
];
