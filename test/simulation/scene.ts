/** A run without a seed: the test says what becomes of every request, when processes die and what clients ask. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SocketEvents, SocketTransport } from "../../src/exchange/socket.ts";
import type { EngineOptions } from "../../src/paper/engine/options.ts";
import { type Bot, templateWith } from "./bots.ts";
import { openChance } from "./chance.ts";
import { fieldOf } from "./clients.ts";
import { type Crash, openDisk } from "./disk.ts";
import { type FeedWeather, openFeedLine } from "./feed-line.ts";
import { type Answered, type Ask, askDirectly, askOverHttp } from "./front.ts";
import { type History, openHistory } from "./history.ts";
import { type FateOf, type Network, openNetwork, PLAIN } from "./network.ts";
import { openPlainVenue, TAKER } from "./plain-venue.ts";
import { type Doom, type GatewayProcess, type Host, startProcess } from "./process.ts";
import { fakeSigners } from "./signers.ts";
import { makeTemplate, PARTIES, type Party, START_MS } from "./template.ts";
import { openTimeline, settleHttp, settleOnce, type Timeline } from "./timeline.ts";
import type { Venue } from "./venue.ts";
import type { Lens } from "./worlds/lens.ts";

/** A request of a client: its answer, once there is one. `lost` when its process died first. */
export type Call = { answer: Answered | "lost" | null };

export type Scene = {
  history: History;
  venue: Venue;
  network: Network;
  timeline: Timeline;
  readonly party: Party;
  readonly other: Party;
  /** Errors that a gateway logged while it lived. */
  readonly errors: readonly string[];
  /** The same, once: a scene that expects some looks at them and leaves none. */
  takeErrors(): string[];
  setFate(fate: FateOf): void;
  /** From now on reads are answered through this lens as well. */
  seeThrough(lens: Lens): void;
  /** The gateway's wall clock goes wrong by this much, milliseconds. */
  jumpClock(ms: number): void;
  pass(ms: number): Promise<void>;
  ask(key: string | null, ask: Ask, party?: Party): Call;
  /** Asks and waits until the answer is there; throws after a virtual minute. */
  tell(key: string | null, ask: Ask, party?: Party): Promise<Answered>;
  /** Breaks every websocket; the gateway connects anew by itself. */
  cutFeeds(): void;
  /** From now on the websockets that are open say nothing any more, or nothing but their answers to pings. */
  muteFeeds(how: { arePongsHeard: boolean }): void;
  kill(kind?: Crash, cut?: number): void;
  start(doom?: Partial<Doom>): Promise<void>;
  process(): GatewayProcess;
  isDead(): boolean;
  /** Rows of the gateway's database. */
  rows(sql: string): Record<string, unknown>[];
  close(): void;
};

export type SceneOptions = {
  seed?: number;
  /** Weight at the exchange; 0 = no limit. */
  weightPerMinute?: number;
  /** True follows the accounts over a websocket on which nothing goes wrong by itself. */
  hasFeed?: boolean;
  /** True answers a trigger without its native id. */
  areTriggersUnnamed?: boolean;
  /** Where two answers of the exchange are plausible. */
  engine?: Partial<EngineOptions>;
  /** True lets a fate answer a read of a store that is behind. */
  hasPast?: boolean;
  /** Keys with rails that are registered. */
  bots?: readonly Bot[];
  /** True asks through the whole HTTP edge. */
  isHttp?: boolean;
  /** Called when the exchange has executed an action, or a price has moved. */
  onChange?: () => void;
  /** True keeps all that happens, line by line. */
  isLogged?: boolean;
  /** Below which its databases lie; where temporary files do when it is left out. */
  directory?: string;
};

const CALM: FeedWeather = { latencyMs: 1, doubleRate: 0, cutRate: 0, silentRate: 0, endMs: 0 };

/** An open gateway with a healthy exchange, ready for writes. */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { seed = 1, weightPerMinute = 0, hasFeed = false, areTriggersUnnamed = false } = options;
  const triggerReply = areTriggersUnnamed ? "waitingForTrigger" : "resting";
  const directory = mkdtempSync(join(options.directory ?? tmpdir(), "postern-scene-"));
  const template = join(directory, "template.db");
  makeTemplate(template);
  const { bots = [], isHttp = false } = options;
  const withBots = bots.length === 0 ? template : templateWith(bots, { template, path: join(directory, "bots.db") });
  const chance = openChance(seed);
  const timeline = openTimeline(isHttp ? settleHttp : settleOnce);
  const history = openHistory(options.isLogged === true, timeline.nowMs);
  const disk = openDisk({ directory, name: "scene", template: withBots, isAlone: true });
  const venue = openPlainVenue({
    seed,
    nowMs: () => START_MS + timeline.nowMs(),
    plainTriggerReply: triggerReply,
    engine: options.engine ?? {},
    hasPast: options.hasPast ?? false,
    onChange: () => options.onChange?.(),
  });
  const lenses: Lens[] = [];
  const worlds = { ...PLAIN, lenses };
  const network = openNetwork({ timeline, venue, chance: chance.split(), history, worlds });
  const errors: string[] = [];
  const [party, other] = PARTIES;
  if (party === undefined || other === undefined) throw new Error("bug: a scene without parties");
  let clockErrorMs = 0;
  let current: GatewayProcess | null = null;
  let born = 0;
  const lines = new Map<SocketEvents, (text: string) => boolean>();
  const host: Host = {
    timeline,
    network,
    disk,
    history,
    signers: fakeSigners,
    clockErrorMs: () => clockErrorMs,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => chance.between(0, 255)),
    onError: (text) => void errors.push(text),
    onDeath: () => {
      current = null;
    },
    doomsEndMs: Number.POSITIVE_INFINITY,
    exchangeWeightPerMinute: weightPerMinute,
    socketOf: hasFeed ? openLine : null,
  };

  /** A line that the test can cut. */
  function openLine(onDeath: (run: () => void) => void): SocketTransport {
    const connectLine = openFeedLine({ timeline, hub: venue.hub, chance, history, weather: CALM }, onDeath);
    return (url, events) => {
      lines.set(events, () => true);
      return connectLine(url, {
        ...events,
        onText: (text) => {
          if (lines.get(events)?.(text) === true) events.onText(text);
        },
      });
    };
  }

  function living(): GatewayProcess {
    if (current === null) throw new Error("there is no gateway");
    return current;
  }

  function ask(key: string | null, asked: Ask, by: Party = scene.party): Call {
    const call: Call = { answer: null };
    const process = living();
    process.onDeath(() => {
      call.answer ??= "lost";
    });
    (isHttp ? askOverHttp : askDirectly)(process, by, key, asked).then(
      (answered) => {
        if (process.isAlive()) call.answer ??= answered;
      },
      (error: unknown) => {
        if (process.isAlive()) errors.push(String(error));
      },
    );
    return call;
  }

  const scene: Scene = {
    history,
    venue,
    network,
    timeline,
    party,
    other,
    errors,
    ask,
    setFate: (fate) => network.setFate(fate),
    takeErrors: () => errors.splice(0),
    seeThrough: (lens) => void lenses.push(lens),
    jumpClock: (ms) => {
      clockErrorMs += ms;
    },
    pass: (ms) => timeline.runUntil(timeline.nowMs() + ms),
    async tell(key, asked, by) {
      const call = ask(key, asked, by);
      for (let waited = 0; call.answer === null && waited < 60_000; waited += 10) await scene.pass(10);
      if (call.answer === null || call.answer === "lost") throw new Error(`no answer to ${JSON.stringify(asked)}`);
      return call.answer;
    },
    cutFeeds() {
      for (const events of [...lines.keys()]) {
        lines.delete(events);
        events.onClose("cut by the test");
      }
    },
    muteFeeds({ arePongsHeard }) {
      for (const events of lines.keys()) lines.set(events, (text) => arePongsHeard && text.includes('"pong"'));
    },
    kill: (kind = "kill", cut = 1) => living().die(kind, cut),
    async start(doom) {
      born += 1;
      const full: Doom | null =
        doom === undefined ? null : { atStatement: null, atPoint: 1, pointName: null, kind: "kill", cut: 1, ...doom };
      current = startProcess(host, born, full);
      await scene.pass(500);
    },
    process: living,
    isDead: () => current === null,
    rows: (sql) => living().gateway.deps.store.$client.query<Record<string, unknown>, []>(sql).all(),
    close() {
      current?.die("kill", 1);
      disk.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await scene.start();
  return scene;
}

/** A plain limit order in BTC. */
export function limit(side: "buy" | "sell", price: number, size = "0.01"): Extract<Ask, { kind: "place" }> {
  return {
    kind: "place",
    market: "BTC",
    side,
    size,
    price: String(price),
    timeInForce: "gtc",
    trigger: null,
    reduceOnly: false,
  };
}

/** Somebody else trades in BTC. */
export function trade(
  scene: Pick<Scene, "venue">,
  who: string,
  order: { isBuy: boolean; price: number; size: string },
): void {
  const { isBuy, price, size } = order;
  const tif = who === TAKER ? ("Ioc" as const) : ("Gtc" as const);
  const orders = [{ a: 0, b: isBuy, p: String(price), s: size, r: false, t: { limit: { tif } }, c: null }];
  const action = { type: "order" as const, orders, grouping: "na" as const, builder: null };
  // Decimals of these texts are canonical; the brand is the engine's.
  scene.venue.act(who, action as unknown as Parameters<Venue["act"]>[1]);
}

/** Members of an answer's body. */
export function shown({ status, body }: Answered): {
  http: number;
  id: string;
  status: string;
  oid: string | null;
  filled: string | null;
  error: string | null;
} {
  return {
    http: status,
    id: fieldOf(body, "id") ?? "",
    status: fieldOf(body, "status") ?? "",
    oid: fieldOf(body, "exchange_order_id"),
    filled: fieldOf(body, "filled_size"),
    error: fieldOf(body, "error"),
  };
}

/** Actions of a type that reached the exchange's engine, in order. */
export function executed(scene: Scene, type: string) {
  return scene.venue.log.filter(({ input }) => input.action.type === type);
}

/** Orders of the party that live at the exchange now. */
export function liveOrders(scene: Scene): number[] {
  return [...scene.venue.account(scene.party.account.tradingAddress).openOids];
}

/** As the row stands: a read by the client would look for itself. */
export function statusHere(s: Scene, id: string): Record<string, unknown> | undefined {
  return s.rows(`select status, filled_size from orders where id = '${id}'`)[0];
}
