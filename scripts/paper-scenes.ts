/**
 * `bun run paper-scenes`: every scene of `postern paper --scenes` against three bots, one with @nktkas/hyperliquid, one with ccxt, both
 * as a careful user of them would write it (scripts/paper-scenes/careful.ts), and one with Postern; prints the table of src/paper/README.md,
 * and ends with exit code 1 where a bot fails that the table there says does not.
 *
 *   --bot ccxt,nktkas,postern   only these
 *   --scene NAME,…  --seed N    as the command takes them
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HERE = import.meta.dir;
const README = readFileSync(join(HERE, "../src/paper/README.md"), "utf8");
const PROGRAM = join(HERE, "../dist/postern");
const BOTS = ["nktkas", "ccxt", "postern"];
/** Scenes at once: what most of them take is waiting. */
const JOBS = 6;

type Row = { scene: string; verdict: string; why: string };

const { values } = parseArgs({
  options: { bot: { type: "string" }, scene: { type: "string" }, seed: { type: "string" } },
});
const chosen = values.bot?.split(",") ?? BOTS;
const unknown = chosen.find((bot) => !BOTS.includes(bot));
if (unknown !== undefined) throw new Error(`there is no bot ${unknown}`);

const verdicts = new Map<string, Row[]>();
for (const bot of chosen) verdicts.set(bot, await play(bot));
console.log(table());
const surprises = [...verdicts].flatMap(([bot, rows]) =>
  rows.filter((row) => isSurprise(bot, row)).map(({ scene }) => `${bot}: ${scene}`),
);
for (const surprise of surprises) console.error(`not as src/paper/README.md has it: ${surprise}`);
process.exit(surprises.length === 0 ? 0 : 1);

/** A failure that the published table does not have. */
function isSurprise(bot: string, { scene, verdict }: Row): boolean {
  const published = README.split("\n").find((line) => line.startsWith(`| ${scene} |`));
  const cells = published?.split("|").map((text) => text.trim()) ?? [];
  return verdict === "failed" && !cells[BOTS.indexOf(bot) + 2]?.includes("failed");
}

/** One bot after the other: they share the machine with their exchanges. */
async function play(bot: string): Promise<Row[]> {
  const command = `exec '${process.execPath}' '${join(HERE, "paper-scenes", `bot-${bot}.ts`)}'`;
  const words = ["paper", "--scenes", "--json", "--jobs", String(JOBS), "--bot", command];
  const more = [...option("scene"), ...option("seed")];
  const child = Bun.spawn([PROGRAM, ...words, ...more], { stdout: "pipe", stderr: "inherit" });
  const text = await child.stdout.text();
  if (!text.startsWith("{")) throw new Error(`${bot}: no verdicts`);
  // The documented output of --json.
  const { scenes } = JSON.parse(text) as { scenes: Row[] };
  for (const { scene, verdict, why } of scenes) console.error(`${bot}: ${scene}: ${verdict}: ${why}`);
  return scenes;
}

function option(name: "scene" | "seed"): string[] {
  const value = values[name];
  return value === undefined ? [] : [`--${name}`, value];
}

function table(): string {
  const [first = []] = [...verdicts.values()];
  const rows = first.map(({ scene }, at) => [scene, ...[...verdicts.values()].map((one) => cell(one[at]))]);
  const counts = [...verdicts.values()].map(
    (one) => `${one.filter(({ verdict }) => verdict === "passed").length} of ${one.length}`,
  );
  const lines = [["scene", ...verdicts.keys()], ["---", ...chosen.map(() => "---")], ...rows, ["passed", ...counts]];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The verdict, and of a failure its kind. */
function cell(row: Row | undefined): string {
  if (row === undefined) return "";
  return row.verdict === "failed" ? `**failed**: ${row.why.split(/[:;]/)[0]}` : row.verdict;
}
