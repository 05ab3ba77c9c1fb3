/** The two words that a chat may say to its gateway. Of everything else that stands there nothing is kept. */

/** `other`: whatever else was written. */
export type ChatCommand = "status" | "stop" | "other";

/** One message, or whatever else an update tells. */
export type ChatUpdate = {
  /** Telegram's number of it: asking for the next ones says that those before are done with. */
  updateId: number;
  /** Null where it is no message. */
  chat: string | null;
  /** Null where nothing was written: a picture, somebody who has come. */
  command: ChatCommand | null;
  /** The bot that it was written to by name, as groups with several do; null where it names none. */
  addressee: string | null;
  /** When it was written, by Telegram's clock, unix milliseconds in whole seconds; 0 where it does not say. */
  writtenAtMs: number;
};

/** Of an answer to `getUpdates` as JSON; null where it is none. */
export function updatesIn(answer: unknown): ChatUpdate[] | null {
  const result = member(answer, "result");
  if (member(answer, "ok") !== true || !Array.isArray(result)) return null;
  return result.flatMap((update) => {
    const updateId = member(update, "update_id");
    return typeof updateId === "number" && Number.isSafeInteger(updateId) ? [updateIn(update, updateId)] : [];
  });
}

function updateIn(update: unknown, updateId: number): ChatUpdate {
  const message = member(update, "message");
  const [chat, text, date] = [member(member(message, "chat"), "id"), member(message, "text"), member(message, "date")];
  return {
    updateId,
    chat: typeof chat === "number" || typeof chat === "string" ? String(chat) : null,
    command: typeof text === "string" ? commandIn(text) : null,
    addressee: typeof text === "string" ? addresseeIn(text) : null,
    writtenAtMs: typeof date === "number" ? date * 1_000 : 0,
  };
}

/** By its first word: `/stop`, `stop`, `/stop@name` as groups write it, `Stop!` and `stop all of it`. Who is in a hurry writes more than the word. */
function commandIn(text: string): ChatCommand {
  const [, word = ""] = /^\/?([a-z]{1,32})(?![a-z0-9_-])/i.exec(text.trim()) ?? [];
  const said = word.toLowerCase();
  return said === "status" || said === "stop" ? said : "other";
}

function addresseeIn(text: string): string | null {
  return /^\/[a-z0-9_]{1,32}@([a-z0-9_]{1,64})/i.exec(text.trim())?.[1] ?? null;
}

/** The name of the bot that asks, by an answer to `getMe`; null where it says none. */
export function botNameIn(answer: unknown): string | null {
  const name = member(member(answer, "result"), "username");
  return member(answer, "ok") === true && typeof name === "string" && name !== "" ? name : null;
}

/** Nobody's but another's: where its own name is not known what names a bot is taken to be for this one. */
export function isForAnother({ addressee }: Pick<ChatUpdate, "addressee">, ownName: string | null): boolean {
  return addressee !== null && ownName !== null && addressee.toLowerCase() !== ownName.toLowerCase();
}

function member(value: unknown, name: string): unknown {
  // Any object may be asked for any name.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
