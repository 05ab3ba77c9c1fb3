/** What a person is in the middle of. It begins with a session and goes with it; only the order's draft outlives a reload. */
import { DEFAULT_MAX_AGE_S, DEFAULT_SAME_WITHIN_S, type WantedHook } from "../../core/hook/hook.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../../core/worst-price.ts";
import { member } from "../api/request.ts";
import type {
  AgentRenewal,
  ApiHook,
  ApiOrder,
  ApiPosition,
  ApiProposal,
  ApiStop,
  ApiTrade,
  ListedApiKey,
} from "../api/resources.ts";
import type { PlainGrant } from "../wallet/grant.ts";
import type { Interval } from "./candles.ts";
import { newRailsForm, type RailsForm } from "./rails-form.ts";

export type OrderDraft = {
  market: string;
  side: "buy" | "sell";
  kind: "limit" | "market";
  /** Basis points from the best price, as typed; of an order at market. */
  slippageBps: string;
  size: string;
  price: string;
  timeInForce: "gtc" | "alo" | "ioc";
  isReduceOnly: boolean;
  trigger: "none" | "stop_loss" | "take_profit";
  triggerPrice: string;
  isTriggerMarket: boolean;
  /** Triggers of the stop and of the profit that enter with it; empty for none. */
  stopPrice: string;
  profitPrice: string;
};

export type OrderForm = { draft: OrderDraft; isBusy: boolean; isTouched: boolean; failure: string | null };

/** Orders that are chosen, by id, and whether it is asked if they are to be canceled. */
export type Selection = { ids: ReadonlySet<string>; isAsking: boolean; isBusy: boolean; failures: readonly string[] };

export type LeverageForm = {
  leverage: string;
  marginType: "cross" | "isolated";
  margin: string;
  isBusy: boolean;
  failure: string | null;
};

export type TwapForm = { market: string; side: "buy" | "sell"; size: string; minutes: string; isBusy: boolean };

/** How an open order is to be changed. */
export type Modification = {
  order: ApiOrder;
  price: string;
  size: string;
  triggerPrice: string;
  mayPlace: boolean;
  isBusy: boolean;
  failure: string | null;
};

/** One signature that is asked of the owner. */
export type Signing = {
  isBusy: boolean;
  failure: string | null;
  /** The typed data for a wallet that is elsewhere, once it was asked for. */
  elsewhere: string | null;
  pasted: string;
};

/** A key that was made here: shown until the person has it, and gone then. */
export type NewKey = { apiKey: string; grant: PlainGrant; signing: Signing; isRegistered: boolean };

/** `cancelsOrders`: what the key has placed and could make a position larger goes with it. */
export type RevocationForm = { key: ListedApiKey; cancelsOrders: boolean; signing: Signing };

/** The approval of the next agent key. */
export type RenewalForm = {
  /** Null until the gateway has answered. */
  renewal: AgentRenewal | null;
  failure: string | null;
  validDays: string;
  signing: Signing;
};

/** A stop that is asked about, or asked for. */
export type StopForm = { keepsProtection: boolean; isBusy: boolean; failure: string | null };

/** What is held under a stop, to be closed. */
export type FlattenForm = {
  stop: ApiStop;
  /** Basis points, as typed. */
  slippageBps: string;
  isBusy: boolean;
  failure: string | null;
};

/** Triggers for a position that is held; an empty price asks for none. */
export type ProtectForm = {
  /** As it was when the dialog was opened, as with all forms here that are opened for something: `standing` has it as it is. */
  position: ApiPosition;
  /** Null is all that is held, as that moves. */
  size: string | null;
  stopPrice: string;
  profitPrice: string;
  isBusy: boolean;
  failure: string | null;
};

/** A position that is to be closed, whole or in part. */
export type CloseForm = {
  position: ApiPosition;
  /** As typed. */
  percent: string;
  /** Basis points, as typed. */
  slippageBps: string;
  isBusy: boolean;
  failure: string | null;
};

/** What the owner says of an order that an agent has proposed. */
export type Deciding = { proposal: ApiProposal; decision: "approve" | "refuse"; signing: Signing };

/** Everything that is open, to be canceled by one request; an empty market is every one. */
export type CancelAllForm = {
  market: string;
  touches: "own" | "all";
  keepsProtection: boolean;
  isBusy: boolean;
  failure: string | null;
};

/** Another stop, or profit, of a trade that lives. */
export type TradeForm = {
  trade: ApiTrade;
  stopPrice: string;
  profitPrice: string;
  isBusy: boolean;
  failure: string | null;
};

/** As it is typed. */
export type HookDraft = {
  name: string;
  /** Of the bot as which it acts. */
  keyHash: string;
  mode: "order" | "target";
  /** Empty where each alert names one. */
  market: string;
  maxAgeS: string;
  sameWithinS: string;
  slippageBps: string;
  /** Networks, `tradingview`, or empty for anywhere. */
  sources: string;
  isRehearsal: boolean;
  /** How the sender reaches the port of the hooks; empty while that is not known. */
  base: string;
};

/** What stands in the address is shown until the person has it, and gone then. */
export type MadeHook = {
  secret: string;
  hook: WantedHook;
  account: string;
  issuedAtMs: number;
  signing: Signing;
  isRegistered: boolean;
};

export type HookForm = {
  draft: HookDraft;
  isTouched: boolean;
  made: MadeHook | null;
  ending: { hook: ApiHook; signing: Signing } | null;
};

/** A stop that its owner ends. */
export type ResumptionForm = { stop: ApiStop; signing: Signing };

export type Forms = {
  order: OrderForm;
  selection: Selection;
  leverage: LeverageForm;
  twap: TwapForm;
  newKey: { mayWrite: boolean; made: NewKey | null; failure: string | null };
  limitedKey: RailsForm;
  hook: HookForm;
  /** Null while its dialog is closed, as below. */
  modification: Modification | null;
  revocation: RevocationForm | null;
  stop: StopForm | null;
  flatten: FlattenForm | null;
  resumption: ResumptionForm | null;
  protect: ProtectForm | null;
  close: CloseForm | null;
  cancelAll: CancelAllForm | null;
  deciding: Deciding | null;
  trade: TradeForm | null;
  /** Null while there is nothing to renew. */
  renewal: RenewalForm | null;
  /** The filter of the history, where it folds. */
  isFilterShown: boolean;
  /** A file of it is on its way. */
  isFileMade: boolean;
  /** The dialog that tells the keys. */
  isHelpShown: boolean;
  /** Days of the chart of the total. */
  equityDays: 1 | 7 | 30;
  /** Of a candle. */
  interval: Interval;
  /** Market of the chart of fills; empty is that of the newest. */
  chartMarket: string;
};

const EMPTY: OrderDraft = {
  market: "BTC",
  side: "buy",
  kind: "limit",
  slippageBps: "50",
  size: "",
  price: "",
  timeInForce: "gtc",
  isReduceOnly: false,
  trigger: "none",
  triggerPrice: "",
  isTriggerMarket: true,
  stopPrice: "",
  profitPrice: "",
};

const DRAFT_STORE = "postern.draft";

export function newForms(storage: Storage): Forms {
  return {
    order: { draft: keptDraft(storage), isBusy: false, isTouched: false, failure: null },
    selection: newSelection(),
    leverage: { leverage: "", marginType: "cross", margin: "", isBusy: false, failure: null },
    twap: { market: "BTC", side: "buy", size: "", minutes: "30", isBusy: false },
    newKey: { mayWrite: true, made: null, failure: null },
    limitedKey: newRailsForm(),
    hook: newHookForm(),
    modification: null,
    revocation: null,
    stop: null,
    flatten: null,
    resumption: null,
    protect: null,
    close: null,
    cancelAll: null,
    deciding: null,
    trade: null,
    renewal: null,
    equityDays: 1,
    isFilterShown: false,
    isFileMade: false,
    isHelpShown: false,
    interval: "15m",
    chartMarket: "",
  };
}

export function newHookForm(): HookForm {
  const draft: HookDraft = {
    name: "tradingview",
    keyHash: "",
    mode: "order",
    market: "",
    maxAgeS: String(DEFAULT_MAX_AGE_S),
    sameWithinS: String(DEFAULT_SAME_WITHIN_S),
    slippageBps: String(DEFAULT_SLIPPAGE_BPS),
    sources: "tradingview",
    isRehearsal: true,
    base: "",
  };
  return { draft, isTouched: false, made: null, ending: null };
}

export function newSelection(): Selection {
  return { ids: new Set(), isAsking: false, isBusy: false, failures: [] };
}

export function newSigning(): Signing {
  return { isBusy: false, failure: null, elsewhere: null, pasted: "" };
}

export function keepDraft(storage: Storage, draft: OrderDraft): void {
  storage.setItem(DRAFT_STORE, JSON.stringify(draft));
}

function keptDraft(storage: Storage): OrderDraft {
  try {
    const kept: unknown = JSON.parse(storage.getItem(DRAFT_STORE) ?? "{}");
    const entries = Object.entries(EMPTY).map(([name, standard]) => [name, member(kept, name) ?? standard]);
    // Each member is one of ours, of the type that the form wrote.
    return Object.fromEntries(entries) as OrderDraft;
  } catch {
    return { ...EMPTY };
  }
}
