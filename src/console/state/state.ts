/** Everything that the page shows, in one place. Views read it; it changes by what is read, by time and by what a person does. */
import type { Intention } from "../api/intentions.ts";
import type {
  ApiAccount,
  ApiHook,
  ApiMarket,
  ApiOperation,
  ApiOrder,
  ApiPosition,
  ApiProposal,
  ApiStop,
  ApiTrade,
  ApiTwap,
  ListedApiKey,
  Performance,
  Status,
  Story,
  TypedDataDescription,
  WhoAmI,
} from "../api/resources.ts";
import type { SetupState } from "../setup/progress.ts";
import type { Wallet } from "../wallet/discover.ts";
import type { Candles } from "./candles.ts";
import { emptyFills, type FillBook } from "./fills.ts";
import { type Forms, newForms } from "./forms.ts";
import type { Live } from "./live.ts";
import type { WatchedMarket } from "./market-live.ts";
import { newTimeline, type Timeline } from "./timeline-lists.ts";

/** What was read last, and what became of the last attempt to read it. */
export type Loaded<Value> = {
  value: Value | null;
  /** Unix milliseconds of the last good reading. */
  readAtMs: number | null;
  /** Unix milliseconds of when it was so, where the answer says that this is some time ago. */
  asOfMs: number | null;
  /** Words of the last failure when the last attempt failed; the value is then as last known. */
  failure: string | null;
};

export type StreamState = { kind: "idle" | "connecting" | "live" } | { kind: "broken"; why: string; sinceMs: number };

export type Toast = {
  tone: "good" | "bad" | "plain";
  text: string;
  /** Whether what it asks for is past; null where it asks for nothing. */
  isOver: ((state: State) => boolean) | null;
};

export type EquityPoint = { atMs: number; equity: string };

export type ScreenRoute = { screen: string; argument: string };

export type Session = {
  apiKey: string;
  me: WhoAmI;
  /** Why the key opens nothing any more: from then on nothing is asked for by itself. */
  refused: string | null;
};

export type State = {
  nowMs: number;
  route: ScreenRoute;
  session: Session | null;
  signIn: { isBusy: boolean; failure: string | null };
  connection: StreamState;
  /** Of the gateway, whoever is signed in. */
  description: Loaded<TypedDataDescription>;
  account: Loaded<ApiAccount>;
  positions: Loaded<ApiPosition[]>;
  openOrders: Loaded<ApiOrder[]>;
  history: Loaded<ApiOrder[]>;
  operations: Loaded<ApiOperation[]>;
  /** Those that have not ended. */
  trades: Loaded<ApiTrade[]>;
  twaps: Loaded<ApiTwap[]>;
  keys: Loaded<ListedApiKey[]>;
  hooks: Loaded<ApiHook[]>;
  status: Loaded<Status>;
  stops: Loaded<ApiStop[]>;
  /** The newest 100 that agents have asked for. */
  proposals: Loaded<ApiProposal[]>;
  /** Booked by the gateway: each of the last days, and today by bot and key. */
  performance: { byDay: Loaded<Performance>; today: Loaded<Performance> };
  markets: Loaded<ApiMarket[]>;
  prices: Loaded<Map<string, string>>;
  story: Loaded<Story> & { id: string | null };
  fills: FillBook;
  equity: Loaded<EquityPoint[]>;
  timeline: Timeline;
  intentions: Intention[];
  notices: Toast[];
  wallets: readonly Wallet[];
  setup: SetupState | null;
  forms: Forms;
  /** The market of the order form while its screen is open. */
  watched: WatchedMarket | null;
  candles: Candles | null;
  /** What keeps the page true while somebody is signed in. */
  live: Live | null;
  /** For each list that is being read what was told since it was asked for: its answer may be of before that. */
  meanwhile: Set<(() => void)[]>;
};

export function emptyLoaded<Value>(): Loaded<Value> {
  return { value: null, readAtMs: null, asOfMs: null, failure: null };
}

export function emptyState(nowMs: number, storage: Storage): State {
  return {
    nowMs,
    route: { screen: "now", argument: "" },
    session: null,
    signIn: { isBusy: false, failure: null },
    connection: { kind: "idle" },
    description: emptyLoaded(),
    ...emptyReadings(),
    forms: newForms(storage),
    live: null,
    meanwhile: new Set(),
    watched: null,
    candles: null,
    intentions: [],
    notices: [],
    wallets: [],
    setup: null,
  };
}

/** What belongs to an account and goes when it does. */
export function emptyReadings() {
  return {
    account: emptyLoaded<ApiAccount>(),
    positions: emptyLoaded<ApiPosition[]>(),
    openOrders: emptyLoaded<ApiOrder[]>(),
    history: emptyLoaded<ApiOrder[]>(),
    operations: emptyLoaded<ApiOperation[]>(),
    trades: emptyLoaded<ApiTrade[]>(),
    twaps: emptyLoaded<ApiTwap[]>(),
    keys: emptyLoaded<ListedApiKey[]>(),
    hooks: emptyLoaded<ApiHook[]>(),
    status: emptyLoaded<Status>(),
    stops: emptyLoaded<ApiStop[]>(),
    proposals: emptyLoaded<ApiProposal[]>(),
    performance: { byDay: emptyLoaded<Performance>(), today: emptyLoaded<Performance>() },
    markets: emptyLoaded<ApiMarket[]>(),
    prices: emptyLoaded<Map<string, string>>(),
    story: { ...emptyLoaded<Story>(), id: null },
    fills: emptyFills(),
    equity: emptyLoaded<EquityPoint[]>(),
    timeline: newTimeline(),
  };
}
