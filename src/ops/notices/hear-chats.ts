/**
 * What a Telegram chat may ask of its gateway, where its operator has allowed it: how things are, and a stop. Nothing that is
 * said there can loosen anything.
 */
import { botNameIn, type ChatUpdate, isForAnother, updatesIn } from "../../core/notice/chat-command.ts";
import { type NoticeTarget, pauseAfter, type Receiver } from "../../core/notice/notice.ts";
import type { With } from "../../deps.ts";
import { type OutsideAnswer, postOutside } from "../../exchange/outside-post.ts";
import { listAccounts } from "../../store/accounts.ts";
import { findReceiver, listReceivers } from "../../store/notice-receivers.ts";
import { endedStopSince } from "../../store/stops.ts";
import { stopByOperator } from "../stop-trading.ts";
import { isAccepted, openTarget, saidBy, type ToTell } from "./receivers.ts";

export type ToHearChats = ToTell &
  With<"log" | "state"> & {
    /** How things are, in words. */
    tellStatus(): string;
    /** There is a stop to carry out. */
    heedStops(): void;
  };

export type ChatHearing = { stop(): void };

/** Between two looks at who may ask, milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** An answer without news is held so long at the other end, seconds: less than a request may take. */
const HELD_S = 8;
const LONGEST_PAUSE_MS = 60_000;

export function openChatHearing(world: ToHearChats): ChatHearing {
  const running = new Set<string>();
  let isEnded = false;

  async function follow(id: string): Promise<void> {
    let next = 0;
    let failures = 0;
    let ownName: string | null = null;
    while (!isEnded) {
      const receiver = findReceiver(world.store, id);
      const target = receiver === null ? null : chatOf(world, receiver);
      if (receiver === null || target === null || !canStore(world)) return;
      // Before anything was heard alone: what waits there does not wait longer for a name.
      ownName ??= next === 0 ? await askOwnName(world, target) : null;
      const answer = await askUpdates(world, target, next);
      if (isEnded) return;
      const updates = readUpdates(answer);
      if (updates === null) {
        failures += 1;
        world.log.warn(
          { label: receiver.name, reason: saidBy(answer), attempts: failures },
          "a chat could not be read",
        );
        await world.clock.sleep(Math.min(LONGEST_PAUSE_MS, pauseAfter(failures)));
        continue;
      }
      failures = 0;
      for (const update of updates) {
        if (!isForAnother(update, ownName)) await obey(world, { receiver, target, update });
        next = update.updateId + 1;
      }
      // A server that does not hold its answer is not asked without a pause.
      await world.clock.sleep(LOOK_EVERY_MS);
    }
  }

  function look(): void {
    for (const receiver of listReceivers(world.store)) {
      const { id } = receiver;
      if (running.has(id) || chatOf(world, receiver) === null || !canStore(world)) continue;
      running.add(id);
      void follow(id)
        .catch((error: unknown) => world.log.error({ error: String(error) }, "a chat is not heard; it is tried again"))
        .finally(() => running.delete(id));
    }
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      await world.clock.sleep(LOOK_EVERY_MS);
      try {
        if (!isEnded) look();
      } catch (error) {
        world.log.error({ error: String(error) }, "who may ask in a chat could not be looked at");
      }
    }
  }

  void run();
  return {
    stop() {
      isEnded = true;
    },
  };
}

/** What is stored during the trial of an upgrade may be taken back. */
function canStore({ state }: With<"state">): boolean {
  return state.phase !== "trial" && state.phase !== "draining";
}

/** Null where nothing is to be heard there. */
function chatOf(world: Pick<ToTell, "keyring">, receiver: Receiver): NoticeTarget | null {
  if (receiver.kind !== "telegram") return null;
  const target = openTarget(world, receiver);
  return target?.takesCommands === true ? target : null;
}

/** Null where it was not told: a stop does not wait for a name. */
async function askOwnName(world: ToHearChats, target: NoticeTarget): Promise<string | null> {
  const json = jsonOf(await post(world, target, { method: "getMe", body: {} }));
  return json === null ? null : botNameIn(json);
}

function askUpdates(world: ToHearChats, target: NoticeTarget, offset: number): Promise<OutsideAnswer> {
  // One at a time: an answer has no more room than a long message needs.
  const asked = { offset, limit: 1, timeout: HELD_S, allowed_updates: ["message"] };
  return post(world, target, { method: "getUpdates", body: asked });
}

type ChatCall = { method: "getMe" | "getUpdates" | "sendMessage"; body: Readonly<Record<string, unknown>> };

function post(
  world: ToHearChats,
  { url, isPrivateAllowed }: NoticeTarget,
  { method, body }: ChatCall,
): Promise<OutsideAnswer> {
  return postOutside(world, {
    url: url.replace(/\/sendMessage$/, `/${method}`),
    isPrivateAllowed,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

function readUpdates(answer: OutsideAnswer): ChatUpdate[] | null {
  const json = jsonOf(answer);
  return json === null ? null : updatesIn(json);
}

/** Null where it is none. */
function jsonOf(answer: OutsideAnswer): unknown {
  if (answer.kind !== "answered" || !isAccepted(answer)) return null;
  try {
    return JSON.parse(answer.body);
  } catch {
    return null;
  }
}

type SaidInChat = { receiver: Receiver; target: NoticeTarget; update: ChatUpdate };

async function obey(world: ToHearChats, { receiver, target, update }: SaidInChat): Promise<void> {
  const { chat, command, writtenAtMs } = update;
  // Other chats hear nothing, not even a no.
  if (chat !== target.chat || command === null || isFromBefore(world, receiver, writtenAtMs)) return;
  const text =
    command === "other" ? WORDS : command === "status" ? world.tellStatus() : stopAll(world, receiver, update);
  world.log.info({ label: receiver.name, event: `chat_${command}` }, "a chat has asked");
  const answer = await post(world, target, { method: "sendMessage", body: { chat_id: target.chat, text } });
  if (!isAccepted(answer))
    world.log.warn({ label: receiver.name, reason: saidBy(answer) }, "a chat could not be answered");
}

/** What was written before it might ask is nothing. Of a time that lies ahead nothing is: the clock was set back, and a stop is heard. */
function isFromBefore({ clock }: ToHearChats, { createdAtMs }: Receiver, writtenAtMs: number): boolean {
  return createdAtMs <= clock.nowMs() && writtenAtMs < createdAtMs - SECOND_MS;
}

/** Telegram tells times in whole seconds. */
const SECOND_MS = 1_000;
const WORDS =
  "This does nothing, and nothing was stopped. status: how things are. stop: nothing that could make a position larger is sent any more.";

/** Every account. One that comes late, after a stop has been ended, asks for nothing: it may be of before that. */
function stopAll(world: ToHearChats, { name }: Receiver, { writtenAtMs }: ChatUpdate): string {
  const since = { sinceMs: writtenAtMs, untilMs: world.clock.nowMs() };
  const lines = listAccounts(world.store)
    .filter(({ kind }) => kind !== "copy")
    .map(({ id, label }) => {
      if (endedStopSince(world.store, id, since))
        return `${label}: a stop was ended after you wrote this. Write stop again if you mean it.`;
      stopByOperator(world, { accountId: id, keyHash: null, keepsProtection: true }, `telegram ${name}`);
      return `${label}: stopped. What protects positions stays.`;
    });
  world.heedStops();
  return [...lines, "Only postern resume or the owner's signature ends a stop."].join("\n");
}
