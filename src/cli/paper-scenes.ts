/** `paper --scenes`: does your bot double? Each scene is an exchange, an account and a start of the bot of its own. */
import { writeFileSync } from "node:fs";
import { SCENES } from "../paper/scenes/list.ts";
import { type Played, playScene, type Surroundings } from "../paper/scenes/play.ts";
import { junitOf, rowOf, summaryOf } from "../paper/scenes/report.ts";
import type { Scene } from "../paper/scenes/scene.ts";
import { servePaper } from "../paper/server.ts";
import { addressOfKey } from "../vault/signers.ts";
import { sha256Hex } from "../wire/sha256.ts";
import { type Command, Failure, type Input, Misuse } from "./command.ts";
import { columns, present } from "./output.ts";
import type { Outside } from "./outside.ts";
import { type BotEnded, runBot } from "./run-bot.ts";

export const SCENE_OPTIONS = {
  scenes: { value: null, help: "play scenes against a bot and judge it by the exchange's log; alone it lists them" },
  bot: { value: "COMMAND", help: "with --scenes: starts the bot, once a scene, with SCENE_ variables" },
  scene: { value: "NAME,…", help: "with --scenes: only these; a * stands for any end" },
  seconds: { value: "N", help: "with --scenes: what a bot has for a scene, 60 by default" },
  jobs: { value: "N", help: "with --scenes: scenes at once, 4 by default" },
  junit: { value: "FILE", help: "with --scenes: the verdicts for CI" },
} as const satisfies Command["options"];

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;
const DEFAULT_JOBS = 4;
const MAX_JOBS = 32;

export async function playScenes(input: Input, seed: number, outside: Outside): Promise<void> {
  const scenes = chosen(input.value("scene"));
  const command = input.value("bot");
  if (command === null) {
    listScenes(scenes, { input, outside });
    return;
  }
  const seconds = wholeNumber(input, "seconds", { otherwise: DEFAULT_SECONDS, most: MAX_SECONDS });
  const jobs = wholeNumber(input, "jobs", { otherwise: DEFAULT_JOBS, most: MAX_JOBS });
  const playing = { command, seed, seconds };
  const played = await inTurns(scenes, jobs, (scene) => playOne(scene, playing, outside));
  const junit = input.value("junit");
  if (junit !== null) writeReport(junit, junitOf(played));
  const summary = summaryOf(played);
  const words = `${summary.passed} passed, ${summary.failed} failed, ${summary["not exercised"]} not exercised`;
  const facts = { seed, passed: summary.passed, failed: summary.failed, not_exercised: summary["not exercised"] };
  present({ input, outside }, { ...facts, scenes: played.map(sceneFacts) }, [...columns(played.map(rowOf)), words]);
  if (summary.failed > 0) throw new Failure(`${summary.failed} of ${played.length} scenes failed`);
  if (summary.passed === 0) throw new Failure("the bot met nothing of any scene: nothing is shown");
}

function chosen(names: string | null): readonly Scene[] {
  if (names === null) return SCENES;
  const wanted = names.split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => !SCENES.some((scene) => isNamed(scene, name)));
  if (unknown !== undefined) throw new Misuse(`there is no scene ${unknown}; --scenes alone lists them`);
  return SCENES.filter((scene) => wanted.some((name) => isNamed(scene, name)));
}

function isNamed({ name }: Scene, wanted: string): boolean {
  return wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}

type ListCommand = { readonly input: Input; readonly outside: Outside };

function listScenes(scenes: readonly Scene[], shown: ListCommand): void {
  const rows = columns(scenes.map(({ name, task, story }) => [name, task, story]));
  const facts = { scenes: scenes.map(({ name, task, story }) => ({ name, task, story })) };
  present(shown, facts, [...rows, "", "--bot 'COMMAND' plays them; src/paper/README.md says what the bot is told."]);
}

function wholeNumber(input: Input, name: string, { otherwise, most }: { otherwise: number; most: number }): number {
  const text = input.value(name);
  if (text === null) return otherwise;
  const value = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Misuse(`--${name} is a whole number of 1 to ${most}`);
  return value;
}

/** At most so many at once; the results are in the order of the scenes. */
async function inTurns(
  scenes: readonly Scene[],
  jobs: number,
  play: (scene: Scene) => Promise<Played>,
): Promise<Played[]> {
  const results: Played[] = [];
  const waiting = [...scenes.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, scene] = next;
      results[index] = await play(scene);
    }
  }
  await Promise.all(Array.from({ length: jobs }, () => work()));
  return results;
}

type Playing = { readonly command: string; readonly seed: number; readonly seconds: number };

async function playOne(scene: Scene, { command, seed, seconds }: Playing, outside: Outside): Promise<Played> {
  const { clock, every } = outside;
  const ends: BotEnded[] = [];
  const around: Surroundings = {
    nowMs: () => clock.nowMs(),
    sleep: (ms) => clock.sleep(ms),
    account: accountOf(scene, seed),
    serve: (paper) => servePaper(paper, { hostname: "127.0.0.1", port: 0, every }),
    async runBot(variables, limitMs) {
      const ended = await runBot({ command, variables, limitMs }, outside);
      ends.push(ended);
      return ended;
    },
  };
  const played = await playScene(scene, { seed, seconds }, around);
  const errors = ends.map((ended) => ended.errors).join("");
  return { ...played, output: `${played.output}${errors}` };
}

/** Money that is none: anybody can reckon the key. */
function accountOf({ name }: Scene, seed: number): Surroundings["account"] {
  const privateKey = sha256Hex(`postern scene ${seed} ${name}`);
  return { address: addressOfKey(Uint8Array.fromHex(privateKey)), privateKey: `0x${privateKey}` };
}

function sceneFacts({ scene, verdict, why, tookMs, orders, requests, busiestSecond, output }: Played) {
  const counted = { orders_taken: orders, requests, busiest_second: busiestSecond, took_ms: tookMs };
  return { scene, verdict, why, ...counted, output };
}

function writeReport(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new Failure(`--junit ${path}: ${error instanceof Error ? error.message : "cannot be written"}`);
  }
}
