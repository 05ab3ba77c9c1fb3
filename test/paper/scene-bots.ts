/** Bots that live in the test's own process and in its time: one that doubles, one that is careful, one that sleeps. */

import type { PaperExchange } from "../../src/paper/paper-exchange.ts";
import { type Played, playScene } from "../../src/paper/scenes/play.ts";
import type { Scene } from "../../src/paper/scenes/scene.ts";
import type { BotEnd } from "../../src/paper/scenes/verdict.ts";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import type { Action } from "../../src/wire/action/index.ts";
import { type StillClock, stillClock } from "../support/still-clock.ts";
import { START_MS } from "./support.ts";

const PRIVATE_KEY = new Uint8Array(32).fill(0x51);
const ADDRESS = addressOfKey(PRIVATE_KEY);
const TIMEOUT_MS = 10_000;
const STEP_MS = 500;
const ACTION_LIFE_MS = 600_000;

/** JSON of the exchange: tests name the members that they want. */
// biome-ignore lint/suspicious/noExplicitAny: shapes of the exchange's answers are held against types elsewhere
type Shown = any;

/** What a bot can do; every refusal, silence and error is `null`. */
export type Hands = {
  readonly scene: string;
  word(name: string): string;
  isBuy: boolean;
  act(action: Action): Promise<Statuses | null>;
  info(request: object): Promise<Shown>;
  /** Signed size of the position, as it is shown. */
  position(): Promise<number | null>;
  pause(ms: number): Promise<void>;
  /** Texts of the frames of one stream from now on, which breaks as it breaks. */
  follow(type: string): string[];
};

export type Statuses = readonly unknown[];
export type Bot = (hands: Hands) => Promise<BotEnd>;

/** Plays one scene to its end, with the clock running as fast as it can. */
export async function play(scene: Scene, bot: Bot, seed = 1): Promise<Played> {
  const clock = stillClock(START_MS);
  let paper: PaperExchange | null = null;
  const playing = playScene(
    scene,
    { seed, seconds: 60 },
    {
      nowMs: () => clock.nowMs(),
      sleep: (ms) => clock.sleep(ms),
      account: { address: ADDRESS, privateKey: "0x" },
      serve(opened) {
        paper = opened;
        return { url: "http://paper.test", stop: async () => undefined };
      },
      runBot: (variables) => bot(handsOf(paper as unknown as PaperExchange, variables, clock)),
    },
  );
  let isOver = false;
  void playing.finally(() => (isOver = true)).catch(() => undefined);
  while (!isOver) await clock.advance(STEP_MS);
  return playing;
}

function handsOf(paper: PaperExchange, variables: Record<string, string>, clock: StillClock): Hands {
  const signers = openSigners({ network: "paper", keys: [{ address: ADDRESS, privateKey: PRIVATE_KEY }] });
  let nonce = 0;
  async function post(path: string, body: string): Promise<Shown> {
    const patience = new AbortController();
    const headers = { "content-type": "application/json" };
    const request = new Request(`http://paper.test${path}`, { method: "POST", headers, body, signal: patience.signal });
    const answer = paper.handle(request, "local").then((response): Shown => (response.ok ? response.json() : null));
    const late = clock.sleep(TIMEOUT_MS).then(() => {
      patience.abort();
      return null;
    });
    return Promise.race([answer.catch(() => null), late]);
  }
  const info = (request: object) => post("/info", JSON.stringify(request));
  return {
    scene: variables["SCENE"] ?? "",
    word: (name) => variables[`SCENE_${name}`] ?? "",
    isBuy: variables["SCENE_SIDE"] === "buy",
    info,
    async act(action) {
      nonce = Math.max(nonce + 1, clock.nowMs());
      const signing = { agentAddress: ADDRESS, vaultAddress: null, expiresAfter: nonce + ACTION_LIFE_MS };
      const answer = await post("/exchange", signers.sign({ ...signing, action, nonce }));
      return answer?.response?.data?.statuses ?? null;
    },
    async position() {
      const state = await info({ type: "clearinghouseState", user: ADDRESS });
      if (state === null) return null;
      const row = state.assetPositions.find(({ position }: Shown) => position.coin === variables["SCENE_MARKET"]);
      return Number(row?.position.szi ?? "0");
    },
    pause: (ms) => clock.sleep(ms),
    follow(type) {
      const frames: string[] = [];
      const socket = paper.connect({ send: (text) => void frames.push(text), close: () => undefined });
      void socket?.receive(JSON.stringify({ method: "subscribe", subscription: { type, user: ADDRESS } }));
      return frames;
    },
  };
}
