/** What is told to people outside: some of the log of events, and what the gateway has noticed of itself. */

export const RECEIVER_KINDS = ["webhook", "ntfy", "telegram"] as const;
export type ReceiverKind = (typeof RECEIVER_KINDS)[number];

/** What the gateway has noticed of itself, under the type `notice` in the log of events. */
export const CONDITIONS = {
  writes_stopped: "Orders are not taken",
  disk: "The disk is full, or takes no writes",
  unknown: "What became of an order is not known for more than a minute",
  liquidation: "A position is near its liquidation price",
  replica: "The replica does not keep up",
  feed_stale: "An account's live feed has been silent for more than a minute",
  receiver_parked: "A receiver of notices could not be reached for three days, and is told nothing more",
  test: "A test",
} as const;
export type Condition = keyof typeof CONDITIONS;

/** By their type; what is not here is told to nobody. */
const EVENTS: Readonly<Record<string, string | ((data: Notice["data"]) => string)>> = {
  "agent.expiring": "An agent key ends soon",
  "key.registered": "An API key was registered",
  "key.narrowed": "A bot is held to tighter rails",
  "key.blocked": "An API key was blocked",
  "key.revoked": "An API key was revoked",
  "key.held": "An API key is on hold since a restore",
  "key.released": "An API key that was on hold may be used again",
  "key.expiring": "An API key ends soon",
  "rail.refused": "A rail has refused what a bot asked",
  "rail.tripped": tripTitle,
  "heartbeat.missed": "A heartbeat was missed",
  "stop.created": "Trading was stopped",
  "proposal.created": "An order waits for your approval",
};

/** The type of a row of the log that is a notice of the gateway's own. */
export const NOTICE_TYPE = "notice";

export type Receiver = {
  id: string;
  name: string;
  kind: ReceiverKind;
  /** Host that it is sent to; the rest of the address is sealed. */
  host: string;
  /** Sealed under a key that only the passphrase gives. */
  sealed: string;
  /** Everything up to this event is told. */
  cursor: number;
  failures: number;
  /** Since when nothing has been taken, unix milliseconds; null where the last was taken. */
  failingSinceMs: number | null;
  nextAtMs: number;
  parkedAtMs: number | null;
  createdAtMs: number;
};

/** What is sealed of a receiver. */
export type NoticeTarget = {
  url: string;
  /** Webhook: what it is signed with. ntfy: its access token, or null. Telegram: the bot's token. */
  secret: string | null;
  /** Of Telegram. */
  chat: string | null;
  /** Addresses of a private network are allowed, and plain HTTP to them. */
  isPrivateAllowed: boolean;
  /** Of Telegram: what stands in the chat may ask how things are, and for a stop. Missing in what was sealed before there was that. */
  takesCommands?: boolean;
};

export type Notice = { id: string; type: string; atMs: number; title: string; data: Readonly<Record<string, unknown>> };

export type LoggedEvent = { id: number; type: string; atMs: number; resourceId: string; payload: string | null };

/** Null for what is told to nobody. */
export function noticeOf({ id, type, atMs, resourceId, payload }: LoggedEvent): Notice | null {
  const told = type === NOTICE_TYPE ? titleOf(resourceId) : EVENTS[type];
  if (told === undefined) return null;
  // Only we write it.
  const data = payload === null ? {} : (JSON.parse(payload) as Notice["data"]);
  const title = typeof told === "string" ? told : told(data);
  const named = type === NOTICE_TYPE ? `gateway.${resourceId}` : type;
  return { id: String(id), type: named, atMs, title, data };
}

/** The same event tells that a bot may not increase, and that it may again. */
function tripTitle({ cause, cleared_at: clearedAt }: Notice["data"]): string {
  const isOver = typeof clearedAt === "string";
  if (cause === "restored")
    return isOver
      ? "A bot that had been held since a restore may increase again"
      : "A bot increases nothing before the next UTC day: what it had used is not known since a restore";
  return isOver ? "A bot that had lost its limit of the day may increase again" : "A bot has lost its limit of the day";
}

function titleOf(condition: string): string | undefined {
  return Object.hasOwn(CONDITIONS, condition) ? CONDITIONS[condition as Condition] : undefined;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60 * 60_000;
/** After so long without one that was taken a receiver is told nothing more. */
const PARKED_AFTER_MS = 3 * 86_400_000;

/** Before the next try, after so many that failed. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
}

/**
 * Whether a receiver is told nothing more after so many tries that failed. By the pauses that were waited between them: no clock that was
 * ahead for a moment makes days of minutes, and a gateway that was not running has tried nothing.
 */
export function isParkedAfter(failures: number): boolean {
  let waitedMs = 0;
  for (let nth = 1; nth < failures && waitedMs < PARKED_AFTER_MS; nth += 1) waitedMs += pauseAfter(nth);
  return waitedMs >= PARKED_AFTER_MS;
}

/** What a person has to see of a resource that has more than can be shown; of every other the first members are. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  "proposal.created": ["network", "account_label", "bot", "in_words", "expires_at", "id"],
};

/** For a person: the title, and each figure on a line of its own; an account by its label, where it is known. */
export function wordsOf({ type, title, data }: Notice): string {
  const named = MEMBERS[type]?.map((name): [string, unknown] => [name, data[name]]);
  const hasLabel = typeof data["account_label"] === "string";
  const lines = (named ?? Object.entries(data)).flatMap(([name, value]) => {
    const isShown = name !== "object" && !(name === "account" && hasLabel);
    const isOfOne = typeof value === "string" || typeof value === "number";
    return isShown && isOfOne ? [`${name === "account_label" ? "account" : name}: ${shown(String(value))}`] : [];
  });
  return [title, ...lines.slice(0, MAX_LINES)].join("\n");
}

const MAX_LINES = 12;
/** An order in words is never cut. */
const MAX_SHOWN = 400;

/** Nothing that steers a terminal or looks like markup. */
function shown(text: string): string {
  return text.replace(/[^A-Za-z0-9@:/._%+, ()-]/g, "?").slice(0, MAX_SHOWN);
}
