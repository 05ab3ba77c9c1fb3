/** The websocket between gateway and exchange: late, doubled, cut or silent, but never out of order within a connection. */
import type { SocketTransport } from "../../src/exchange/socket.ts";
import { connect, disconnect, type Hub, receive, type SocketConnection } from "../../src/paper/ws.ts";
import type { Chance } from "./chance.ts";
import { Crashed } from "./disk.ts";
import type { History } from "./history.ts";
import type { Timeline } from "./timeline.ts";
import { type Odd, oddFrame } from "./worlds/odd.ts";

export type FeedWeather = {
  latencyMs: number;
  doubleRate: number;
  /** Chance that a new connection breaks, or falls silent without breaking, after a while. */
  cutRate: number;
  silentRate: number;
  /** How frames arrive in a run that is odd. */
  odd?: Odd | null;
  /** All is well from then on, milliseconds of virtual time. */
  endMs: number;
};

/** A process that dies of a frame has nobody left to tell. */
function unlessDead(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Crashed)) throw error;
  }
}

type Parts = {
  timeline: Timeline;
  hub: Hub;
  chance: Chance;
  history: History;
  weather: FeedWeather;
  /** Told of every frame that a living gateway gets. */
  onHeard?(frame: string): void;
};

/** Longest life of a connection that is going to fail, milliseconds. */
const MAX_LIFE_MS = 20_000;

export function openFeedLine(parts: Parts, onDeath: (run: () => void) => void): SocketTransport {
  const { timeline, hub, chance, history, weather } = parts;
  const { odd } = weather;
  const isOdd = () => timeline.nowMs() < weather.endMs;
  const latency = () => (timeline.nowMs() < weather.endMs ? chance.between(1, weather.latencyMs) : 2);

  return (_url, events) => {
    let connection: SocketConnection | null = null;
    let isOver = false;
    let isSilent = false;
    let lastDueMs = 0;

    /** In the order in which they were sent; frames of one channel may be late by themselves. */
    function inOrder(run: () => void, lateMs: number): void {
      if (lateMs === 0) lastDueMs = Math.max(lastDueMs, timeline.nowMs() + latency());
      timeline.after(Math.max(lastDueMs, timeline.nowMs()) + lateMs - timeline.nowMs(), run);
    }

    function end(reason: string | null): void {
      if (isOver) return;
      isOver = true;
      if (connection !== null) disconnect(hub, connection);
      if (reason !== null) events.onClose(reason);
    }

    function deliver(text: string): void {
      const copies = timeline.nowMs() < weather.endMs && chance.isLucky(weather.doubleRate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        const frame = isOdd() && odd ? oddFrame(odd, chance, text) : { text, lateMs: 0 };
        inOrder(() => {
          if (isOver || isSilent) return;
          history.note(() => `feed      ${frame.text.slice(0, 300)}`);
          parts.onHeard?.(frame.text);
          unlessDead(() => events.onText(frame.text));
        }, frame.lateMs);
      }
    }

    timeline.after(latency(), () => {
      if (isOver) return;
      connection = connect(hub, { send: deliver, close: (_code, reason) => end(reason) }, "gateway");
      if (connection === null) return;
      if (timeline.nowMs() < weather.endMs && chance.isLucky(weather.cutRate)) {
        timeline.after(chance.between(1, MAX_LIFE_MS), () => end("reset"));
      }
      if (timeline.nowMs() < weather.endMs && chance.isLucky(weather.silentRate)) {
        timeline.after(chance.between(1, MAX_LIFE_MS), () => {
          isSilent = true;
        });
      }
      events.onOpen();
    });
    onDeath(() => end(null));
    return {
      send: (text) =>
        timeline.after(latency(), () => {
          if (!isOver && connection !== null) void receive(hub, connection, text);
        }),
      close: () => timeline.after(1, () => end("closed")),
    };
  };
}
