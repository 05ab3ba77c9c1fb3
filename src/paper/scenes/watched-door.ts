/** The exchange's door with every request noted, over HTTP and over the websocket. */
import { memberOf } from "../exchange/decode.ts";
import { type ExactJson, parseJsonText } from "../exchange/json-text.ts";
import type { PaperExchange } from "../paper-exchange.ts";
import { isListRead } from "./met.ts";
import type { Scene } from "./scene.ts";
import type { Asked, SceneLog } from "./scene-log.ts";

export type WatchedDoor = {
  readonly paper: PaperExchange;
  /** Resolves when nothing is under way any more, or after so long. */
  quiet(sleep: (ms: number) => Promise<void>, mostMs: number): Promise<void>;
};

const QUIET_STEP_MS = 100;

export function watchedDoor(paper: PaperExchange, { afterList }: Scene, log: SceneLog): WatchedDoor {
  let underWay = 0;
  async function counted<T>(work: Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  }
  function note(on: Asked["on"], json: ExactJson): void {
    const type = memberOf(on === "info" ? json : (memberOf(json, "action") ?? null), "type");
    log.asked.push({ on, type: typeof type === "string" ? type : null, atMs: paper.nowMs() });
  }
  async function handle(request: Request, address?: string): Promise<Response> {
    const hadList = log.asked.some(({ type }) => isListRead(type));
    const json = parseJsonText(await request.clone().text()) ?? null;
    note(new URL(request.url).pathname === "/exchange" ? "exchange" : "info", json);
    const response = await counted(paper.handle(request, address));
    const hasList = log.asked.some(({ type }) => isListRead(type));
    if (afterList !== null && hasList && !hadList) paper.setFaults({ rules: [], marketChanges: [afterList] });
    return response;
  }
  const connect: PaperExchange["connect"] = (peer, address) => {
    const socket = paper.connect(peer, address);
    if (socket === null) return null;
    return {
      closed: () => socket.closed(),
      receive(frame) {
        const posted = postOf(frame);
        if (posted !== null) note(posted.on, posted.payload);
        return counted(socket.receive(frame));
      },
    };
  };
  return {
    paper: { ...paper, handle, connect },
    async quiet(sleep, mostMs) {
      for (let waitedMs = 0; underWay > 0 && waitedMs < mostMs; waitedMs += QUIET_STEP_MS) await sleep(QUIET_STEP_MS);
    },
  };
}

function postOf(frame: string): { on: Asked["on"]; payload: ExactJson } | null {
  const json = parseJsonText(frame) ?? null;
  if (memberOf(json, "method") !== "post") return null;
  const request = memberOf(json, "request") ?? null;
  return {
    on: memberOf(request, "type") === "info" ? "info" : "exchange",
    payload: memberOf(request, "payload") ?? null,
  };
}
