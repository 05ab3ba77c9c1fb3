/**
 * What goes wrong on request. Every fault is one that clients of the real exchange have met; the folder's
 * README describes the file format for people who test their own retry logic with it.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** Longest wait that a rule can ask for, milliseconds. */
const MAX_WAIT_MS = 600_000;
/** Rules of one file. */
const MAX_RULES = 100;
/** Of the limits of connections that a file may set. */
const MAX_LIMIT = 10_000;

/** How far behind a server may be, milliseconds: as much of the past is kept. */
const MAX_LAG_MS = 120_000;
/** Servers of one balancer. */
const MAX_SERVERS = 20;
/** By how much a clock may be wrong, milliseconds. */
const MAX_WRONG_MS = 7 * 86_400_000;
/** Changes of the list of markets. */
const MAX_CHANGES = 100;

const Text = Type.String({ minLength: 1, maxLength: 500 });
const Lag = Type.Integer({ minimum: 0, maximum: MAX_LAG_MS });
const Milliseconds = Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS });

function fault<K extends string, P extends Parameters<typeof Type.Object>[0]>(kind: K, members: P) {
  return Type.Object({ kind: Type.Literal(kind), ...members }, { additionalProperties: false });
}

/** `executed`: whether the action was carried out before its answer came to grief. */
const RequestFault = Type.Union([
  fault("lose_answer", { executed: Type.Boolean() }),
  fault("delay", { ms: Milliseconds, executed: Type.Boolean() }),
  fault("reset", { executed: Type.Boolean() }),
  fault("bad_gateway", {
    status: Type.Union([Type.Literal(502), Type.Literal(503), Type.Literal(504)]),
    executed: Type.Boolean(),
  }),
  fault("status", {
    status: Type.Union([Type.Literal(400), Type.Literal(415), Type.Literal(422), Type.Literal(429), Type.Literal(500)]),
  }),
  fault("twice", {}),
  fault("refuse", {
    text: Text,
    usesNonce: Type.Optional(Type.Boolean()),
    copyAfterMs: Type.Optional(Milliseconds),
  }),
  fault("single_error", {
    text: Text,
    form: Type.Union([Type.Literal("statuses"), Type.Literal("err")]),
    usesNonce: Type.Optional(Type.Boolean()),
  }),
  fault("short_answer", { words: Type.Integer({ minimum: 0, maximum: 200 }) }),
  fault("modify_kills", { text: Text }),
  fault("cancel_misses", { withinMs: Milliseconds }),
  fault("agent_removed", {}),
  fault("post_only", { ms: Milliseconds }),
  fault("system_cancel", {
    status: Type.Union([
      Type.Literal("marginCanceled"),
      Type.Literal("liquidatedCanceled"),
      Type.Literal("scheduledCancel"),
      Type.Literal("siblingFilledCanceled"),
      Type.Literal("reduceOnlyCanceled"),
      Type.Literal("openInterestCapCanceled"),
      Type.Literal("delistedCanceled"),
      Type.Literal("selfTradeCanceled"),
    ]),
  }),
  fault("fills_first", {}),
  fault("part_fills", {
    percent: Type.Integer({ minimum: 1, maximum: 100 }),
    afterMs: Type.Optional(Milliseconds),
  }),
  fault("names_another", {}),
  fault("namesake", {}),
  fault("status_lag", { ms: Milliseconds }),
  fault("stuck_node", { every: Type.Integer({ minimum: 1, maximum: 1_000 }) }),
  fault("behind", { ms: Lag }),
  fault("balancer", { lagsMs: Type.Array(Lag, { minItems: 1, maxItems: MAX_SERVERS }) }),
  fault("clock", { wrongByMs: Type.Integer({ minimum: -MAX_WRONG_MS, maximum: MAX_WRONG_MS }) }),
  fault("forgets", { afterMs: Milliseconds }),
  fault("short_page", { rows: Type.Integer({ minimum: 1, maximum: 2_000 }) }),
  fault("new_word", { status: Type.String({ minLength: 1, maxLength: 60 }), word: Text }),
  fault("wrong_rest", {}),
  fault("another_order", {}),
]);

const FrameFault = Type.Union([
  fault("hello", {}),
  fault("late", { ms: Milliseconds }),
  fault("silent", { ms: Milliseconds }),
  fault("close", { code: Type.Integer({ minimum: 1_000, maximum: 4_999 }), reason: Type.String({ maxLength: 100 }) }),
  fault("drop", {}),
  fault("duplicate", {}),
  fault("reorder", {}),
]);

const MarketName = Type.String({ minLength: 1, maxLength: 40 });

function change<P extends Parameters<typeof Type.Object>[0]>(members: P) {
  return Type.Object({ afterMs: Milliseconds, ...members }, { additionalProperties: false });
}

/** What happens to the list of markets, so long after the rules came into force. */
const MarketChange = Type.Union([
  change({ swap: Type.Tuple([MarketName, MarketName]) }),
  change({ coin: MarketName, sizeDecimals: Type.Integer({ minimum: 0, maximum: 8 }) }),
  change({ coin: MarketName, isDelisted: Type.Boolean() }),
]);

/** What one client address may have over websockets; what is left out is as at the exchange. */
const SocketLimits = Type.Object(
  {
    connections: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    newConnectionsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    users: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    subscriptions: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
  },
  { additionalProperties: false },
);

/** `type` is an action type, an info type or a channel; without it the rule is about all of them. */
const Occasion = {
  type: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
};

const RequestRule = Type.Object(
  { on: Type.Union([Type.Literal("exchange"), Type.Literal("info")]), ...Occasion, fault: RequestFault },
  { additionalProperties: false },
);
const FrameRule = Type.Object(
  { on: Type.Literal("ws"), ...Occasion, fault: FrameFault },
  { additionalProperties: false },
);

const FaultFile = Type.Object(
  {
    rules: Type.Array(Type.Union([RequestRule, FrameRule]), { maxItems: MAX_RULES }),
    /** Weight that one address may use a minute before it is answered 429; the exchange allows 1,200. */
    ipWeightPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    socketLimits: Type.Optional(SocketLimits),
    marketChanges: Type.Optional(Type.Array(MarketChange, { maxItems: MAX_CHANGES })),
    /**
     * How states (positions, balances, open orders) come over the websocket: the real exchange sends them every few seconds, and
     * perhaps on change as well.
     */
    states: Type.Optional(
      Type.Object(
        { onChange: Type.Boolean(), everyTicks: Type.Integer({ minimum: 1, maximum: 1_000 }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export type FaultFile = Static<typeof FaultFile>;
export type FaultRule = FaultFile["rules"][number];
export type RequestFault = Static<typeof RequestFault>;
export type MarketChange = Static<typeof MarketChange>;
export type FrameFault = Static<typeof FrameFault>;

export const NO_FAULTS: FaultFile = { rules: [] };

/** Throws with the place of the first mistake. */
export function parseFaults(value: unknown): FaultFile {
  const mistake = Value.Errors(FaultFile, value).First();
  if (mistake !== undefined) throw new Error(`faults${mistake.path}: ${mistake.message}`);
  return Value.Decode(FaultFile, value);
}

type Counted<R> = { readonly rule: R; seen: number };

/** Told which rule strikes. */
export type Struck = (rule: FaultRule) => void;

/** The rules with how often each has had its chance. */
export type Faults = {
  readonly file: FaultFile;
  readonly tell: Struck;
  readonly requests: Counted<Static<typeof RequestRule>>[];
  readonly frames: Counted<Static<typeof FrameRule>>[];
};

export function startFaults(file: FaultFile, tell: Struck = () => undefined): Faults {
  const faults: Faults = { file, tell, requests: [], frames: [] };
  for (const rule of file.rules) {
    if (rule.on === "ws") faults.frames.push({ rule, seen: 0 });
    else faults.requests.push({ rule, seen: 0 });
  }
  return faults;
}

/** The fault that strikes this request: of the first rule that is due. Every matching rule counts the request. */
export function requestFault(faults: Faults, on: "exchange" | "info", type: string | null): RequestFault | null {
  const entries = faults.requests.filter(({ rule }) => rule.on === on);
  return told(faults, struck(entries, type));
}

/**
 * The fault that strikes a frame about to be sent: of the first rule that is due. Every matching rule counts the frame.
 */
export function frameFault(faults: Faults, channel: string): FrameFault | null {
  const entries = faults.frames.filter(({ rule }) => rule.fault.kind !== "hello");
  return told(faults, struck(entries, channel));
}

/** Whether a connection that opens is greeted; such a rule counts connections. */
export function isGreeted(faults: Faults): boolean {
  const greetings = faults.frames.filter(({ rule }) => rule.fault.kind === "hello");
  return told(faults, struck(greetings, null)) !== null;
}

function told<R extends FaultRule>(faults: Faults, rule: R | null): R["fault"] | null {
  if (rule === null) return null;
  faults.tell(rule);
  return rule.fault;
}

/** The rule that is due: of those that match, the first; every one of them counts. */
function struck<R extends FaultRule>(counted: Counted<R>[], type: string | null): R | null {
  let found: R | null = null;
  for (const entry of counted) {
    const { rule } = entry;
    if (rule.type !== undefined && rule.type !== type) continue;
    const turn = entry.seen - (rule.skip ?? 0);
    entry.seen += 1;
    const isDue = turn >= 0 && (rule.times === undefined || turn < rule.times);
    if (isDue && found === null) found = rule;
  }
  return found;
}
