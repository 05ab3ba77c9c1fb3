/** A Telegram chat that asks its gateway, against a server that keeps updates as Telegram's does: until later ones are asked for. */
import { afterEach, expect, test } from "bun:test";
import { openKeyring } from "../../../src/ops/keyring.ts";
import { openChatHearing } from "../../../src/ops/notices/hear-chats.ts";
import { addReceiver, openTarget, purposeOf } from "../../../src/ops/notices/receivers.ts";
import { statusWords } from "../../../src/ops/notices/status-words.ts";
import { resumeTrading } from "../../../src/ops/stop-trading.ts";
import { inTransaction } from "../../../src/store/commit.ts";
import { insertReceiver, listReceivers } from "../../../src/store/notice-receivers.ts";
import { listStandingStops } from "../../../src/store/stops.ts";
import { ACCOUNTS, openRig } from "../../http/rig.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { until } from "./rig.ts";

const TOKEN = `123456:${"A".repeat(35)}`;
const CHAT = "-42";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Sent = { chat_id: string; text: string };

/** `fault`: what is answered instead, once. */
function openTelegram(me: string | null = null) {
  const kept: { update_id: number; message?: object }[] = [];
  const sent: Sent[] = [];
  const asked: Record<string, unknown>[] = [];
  const faults: Response[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown> & { offset: number; limit: number };
      const { pathname } = new URL(request.url);
      if (pathname === `/bot${TOKEN}/sendMessage`) {
        sent.push({ chat_id: String(body["chat_id"]), text: String(body["text"]) });
        return Response.json({ ok: true, result: {} });
      }
      if (pathname === `/bot${TOKEN}/getMe` && me !== null)
        return Response.json({ ok: true, result: { username: me } });
      if (pathname !== `/bot${TOKEN}/getUpdates`) return new Response(null, { status: 404 });
      asked.push(body);
      const fault = faults.shift();
      if (fault !== undefined) return fault;
      while (kept[0] !== undefined && kept[0].update_id < body.offset) kept.shift();
      return Response.json({ ok: true, result: kept.slice(0, body.limit) });
    },
  });
  return { kept, sent, asked, faults, server };
}

function openChat({ takesCommands = true, me = null }: { takesCommands?: boolean; me?: string | null } = {}) {
  const rig = openRig();
  const telegram = openTelegram(me);
  const { store, clock, randomBytes } = rig.deps;
  // Of a directory without agents: those of the rig are sealed by nobody.
  const keyring = openKeyring({
    store: openMemoryStore(),
    network: "paper",
    vaultKey: { bytes: new Uint8Array(32).fill(5) },
    randomBytes,
  });
  const id = "telegram-1";
  const url = `http://telegram.test:${telegram.server.port}/bot${TOKEN}/sendMessage`;
  const target = { url, secret: TOKEN, chat: CHAT, isPrivateAllowed: true, takesCommands };
  const begin = { cursor: 0, failures: 0, failingSinceMs: null, nextAtMs: 0, parkedAtMs: null };
  const row = {
    id,
    name: "chat",
    kind: "telegram",
    host: "telegram.test",
    ...begin,
    createdAtMs: clock.nowMs(),
  } as const;
  const sealed = keyring.sealText(purposeOf(id), JSON.stringify(target));
  inTransaction(store, () => insertReceiver(store, { ...row, sealed }, "operator"));
  let heeded = 0;
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const world = {
    ...rig.deps,
    network: "paper" as const,
    keyring,
    log: { debug: note, info: note, warn: note, error: note },
    resolve: async () => ["127.0.0.1"],
    tellStatus: () => statusWords(rig.deps),
    heedStops: () => {
      heeded += 1;
    },
  };
  let hearing = openChatHearing(world);
  let number = 100;
  closing.push(async () => {
    hearing.stop();
    await telegram.server.stop(true);
  });
  return {
    rig,
    telegram,
    world,
    lines,
    heeded: () => heeded,
    stops: () => listStandingStops(store, ACCOUNTS.main),
    /** Somebody writes, so many seconds after now. */
    write(text: string, { chat = Number(CHAT), seconds = 0 }: { chat?: number; seconds?: number } = {}) {
      const date = Math.floor(clock.nowMs() / 1_000) + seconds;
      telegram.kept.push({ update_id: number++, message: { chat: { id: chat }, text, date } });
    },
    restart() {
      hearing.stop();
      hearing = openChatHearing(world);
    },
    /** Until everything that was written has been read. */
    read: () => until(rig, () => telegram.kept.length === 0),
  };
}

test.each<[text: string, me: string | null, stops: number]>([
  ["/stop@other_bot", "desk_bot", 0],
  ["/stop@Desk_Bot", "desk_bot", 1],
  ["/stop@desk_bot now", "desk_bot", 1],
  ["/stop", "desk_bot", 1],
  ["stop @other_bot", "desk_bot", 1],
  ["/stop@other_bot", null, 1],
])("of %p a bot that is called %p makes so many stops: %p", async (text, me, stops) => {
  const chat = openChat({ me });
  chat.write(text);
  await chat.read();
  expect([chat.stops().length, chat.telegram.sent.length]).toEqual([stops, stops]);
});

test("it is told how things are, in words that name what is held and no key", async () => {
  const chat = openChat();
  chat.write("/status");
  await chat.read();
  expect(chat.telegram.sent).toHaveLength(1);
  const [told] = chat.telegram.sent;
  expect(told?.chat_id).toBe(CHAT);
  expect(told?.text).toContain("Postern ");
  expect(told?.text).toMatch(/main: orders are /);
  expect(told?.text).toContain("not known: 0");
  expect(chat.stops()).toEqual([]);
});

test.each(["/stop", "stop", " Stop ", "/stop@my_gateway_bot", "/stop now", "Stop!", "STOP EVERYTHING", "stop\nplease"])(
  "%j stops every account, and says what ends it",
  async (text) => {
    const chat = openChat();
    chat.write(text);
    await chat.read();
    expect(chat.stops()).toMatchObject([{ scope: "account", keyHash: null }]);
    expect(chat.heeded()).toBe(1);
    expect(chat.telegram.sent[0]?.text).toContain("stopped. What protects positions stays.");
    expect(chat.telegram.sent[0]?.text).toContain("postern resume");
  },
);

test.each([
  ["another chat", { text: "/stop", chat: 43 }],
  ["what was written before it might ask", { text: "/stop", seconds: -60 }],
  ["another chat that writes more", { text: "stop now", chat: 43 }],
])("%s stops nothing, and is answered nothing", async (_what, { text, ...some }) => {
  const chat = openChat();
  chat.write(text, some);
  await chat.read();
  expect([chat.stops(), chat.telegram.sent]).toEqual([[], []]);
});

test.each(["/resume", "resume", "hello", "do not stop now", "stopper", "stop-loss moved?", "/", "!"])(
  "%j stops nothing, and whoever wrote it is told so, and which words there are",
  async (text) => {
    const chat = openChat();
    chat.write(text);
    await chat.read();
    expect(chat.stops()).toEqual([]);
    expect(chat.telegram.sent.map(({ text: told }) => told)).toEqual([
      expect.stringMatching(/nothing was stopped\. status: how things are\. stop:/),
    ]);
  },
);

test("a status is one however politely it is asked for", async () => {
  const chat = openChat();
  chat.write("/status please");
  await chat.read();
  expect(chat.telegram.sent[0]?.text).toContain("Postern ");
});

test("a stop that is delivered again after a death is the same, and none once it was ended", async () => {
  const chat = openChat();
  chat.write("/stop");
  await until(chat.rig, () => chat.telegram.sent.length === 1);
  const [first] = chat.stops();
  // It died before it asked for what comes next: the update is still there.
  chat.restart();
  await until(chat.rig, () => chat.telegram.sent.length === 2);
  expect(chat.stops()).toEqual(first === undefined ? [] : [first]);
  resumeTrading(chat.world, { accountId: ACCOUNTS.main, stopId: null });
  chat.restart();
  await until(chat.rig, () => chat.telegram.sent.length === 3);
  expect(chat.stops()).toEqual([]);
  expect(chat.telegram.sent[2]?.text).toContain("Write stop again if you mean it");
  await chat.rig.clock.advance(2_000);
  chat.write("/stop");
  await chat.read();
  expect(chat.stops()).toHaveLength(1);
});

test("a stop is heard although the chat was allowed to ask, or a stop was ended, by a clock that was ahead", async () => {
  const chat = openChat();
  chat.rig.clock.stepWall(-3_600_000);
  chat.write("/stop");
  await chat.read();
  expect(chat.stops()).toHaveLength(1);
  await chat.rig.clock.advance(2_000);
  resumeTrading(chat.world, { accountId: ACCOUNTS.main, stopId: null });
  chat.rig.clock.stepWall(-60_000);
  chat.write("/stop");
  await chat.read();
  expect(chat.stops()).toHaveLength(1);
});

test("what cannot be read is asked for again after a pause, and what was read is not", async () => {
  const chat = openChat();
  chat.telegram.faults.push(new Response("no", { status: 502 }), new Response("<html>"), Response.json({ ok: false }));
  chat.write("/status");
  chat.write("/status");
  await chat.read();
  expect(chat.telegram.sent).toHaveLength(2);
  expect(chat.telegram.asked.map(({ limit, timeout, allowed_updates: of }) => [limit, timeout, of])).toContainEqual([
    1,
    8,
    ["message"],
  ]);
  expect(chat.lines.join()).toContain("a chat could not be read");
});

test("who was not allowed to ask is not heard, nobody is during the trial of an upgrade, and the token is in no log", async () => {
  const deaf = openChat({ takesCommands: false });
  deaf.write("/stop");
  await until(deaf.rig, () => false, 500);
  expect([deaf.telegram.asked, deaf.stops()]).toEqual([[], []]);
  const trial = openChat();
  trial.rig.deps.state.phase = "trial";
  trial.write("/stop");
  await until(trial.rig, () => false, 500);
  expect([trial.telegram.asked, trial.stops()]).toEqual([[], []]);
  trial.rig.deps.state.phase = "ready";
  trial.telegram.faults.push(new Response("no", { status: 500 }));
  await trial.read();
  expect(trial.stops()).toHaveLength(1);
  expect(trial.lines.join()).not.toContain(TOKEN.slice(7));
});

test("that a chat may ask is sealed, and of no other receiver", () => {
  const { world } = openChat();
  const wanted = { name: "desk", url: "https://receiver.test/x", token: null, chat: null, isPrivateAllowed: true };
  expect(() => addReceiver(world, { ...wanted, kind: "webhook", takesCommands: true })).toThrow(
    "a Telegram chat alone",
  );
  addReceiver(world, {
    ...wanted,
    name: "t",
    kind: "telegram",
    url: null,
    token: TOKEN,
    chat: CHAT,
    takesCommands: true,
  });
  const made = listReceivers(world.store).find(({ name }) => name === "t");
  expect(made === undefined ? null : openTarget(world, made)).toMatchObject({ takesCommands: true });
});
