/** Which leverage is set in a market: the setting that was shown, and those that our own changes may have made since. */
import type { Account } from "../core/account.ts";
import { dexOf } from "../core/market.ts";
import type { LeverageSetting } from "../core/rails/wish.ts";
import type { With } from "../deps.ts";
import { exchangeTimeOf } from "../exchange/reads.ts";
import type { Store } from "../store/open.ts";
import { type LeverageChange, listLeverageChanges } from "../store/operations.ts";
import type { Leverage } from "../wire/answer/account.ts";

/** How long a setting that was read counts, milliseconds: others can change it, and without a position nothing tells of that. */
const SETTING_STANDS_MS = 60_000;
/** How far behind a change of ours a server may be, milliseconds. */
const BEHIND_MS = 5 * 60_000;

type ToKnow = With<"clock" | "exchange" | "picture" | "reads" | "settings" | "store">;
type LeverageOf = { account: Account; market: string };

/** How soon a setting is asked for again that is not what our last change has made of it: the server may have been behind. */
const ASKED_AGAIN_MS = 2_000;

/** Whether the setting that is shown is from after every change of ours, and is not, a while ago, what the last of them has put an end to. */
export function isSettingKnown(deps: ToKnow, asked: LeverageOf): boolean {
  const known = shownIn(deps, asked);
  if (known === null) return false;
  const [newest] = changesIn(deps.store, asked, known.timeMs);
  if (newest === undefined) return true;
  if (newest.expiresAtMs - deps.settings.timings.actionLifeMs >= known.timeMs) return false;
  const made = settingIn(newest);
  const isAsMade = made.leverage === known.value.value && made.isCross === (known.value.type === "cross");
  const isOpposed = newest.status === "succeeded" && !isAsMade;
  return !isOpposed || deps.exchange.nowMs() - known.timeMs < ASKED_AGAIN_MS;
}

/** Asks the exchange for the setting, before the transaction, where it is not known. */
export async function readSetting(deps: ToKnow, { account, market }: LeverageOf): Promise<void> {
  const read = await deps.reads.activeAsset(account.tradingAddress, market, "order");
  if (read.kind === "failed" || read.value.coin !== market) return;
  const { value, askedAtMs } = read;
  const mark = { timeMs: exchangeTimeOf(deps, askedAtMs), askedAtMs };
  deps.picture.take(account.tradingAddress, { part: "leverage", market, value: value.leverage }, mark);
}

/**
 * Every setting that may be in force: the one that is shown, and our own changes that the shown one may not include yet, from the newest
 * back to the last that is known to have been carried out. Null where no setting is shown.
 *
 * @param except id of the change that is asked for
 */
export function settingsOf(deps: ToKnow, asked: LeverageOf, except: string): LeverageSetting[] | null {
  const shown = shownIn(deps, asked);
  if (shown === null) return null;
  const { type, value } = shown.value;
  const changes = changesIn(deps.store, asked, shown.timeMs).filter(({ id }) => id !== except);
  const done = changes.findIndex(({ status }) => status === "succeeded");
  const open = done === -1 ? changes : changes.slice(0, done + 1);
  return [{ leverage: value, isCross: type === "cross" }, ...open.map(settingIn)];
}

type ShownLeverage = { value: Leverage; timeMs: number };

/** The setting as the state of a position tells it, where there is one that is fresh, or as it was last read, if that still counts: the newer. */
function shownIn(deps: ToKnow, { account, market }: LeverageOf): ShownLeverage | null {
  const nowMs = deps.exchange.nowMs();
  const state = deps.picture.state(account.tradingAddress, dexOf(market));
  const position = state?.value.positions.find(({ coin }) => coin === market);
  const isFresh = state !== null && nowMs - state.toldToMs <= deps.settings.timings.maxReadAgeMs;
  const held = isFresh && position !== undefined ? { ...state, value: position.leverage } : null;
  const last = deps.picture.leverage(account.tradingAddress, market);
  const read = last !== null && nowMs - last.timeMs <= SETTING_STANDS_MS ? last : null;
  return held !== null && (read === null || held.timeMs >= read.timeMs) ? held : read;
}

function changesIn(store: Store, { account, market }: LeverageOf, shownMs: number): LeverageChange[] {
  return listLeverageChanges(store, account.id, shownMs - BEHIND_MS).filter((change) => change.market === market);
}

function settingIn({ parameters }: LeverageChange): LeverageSetting {
  // Our own text: what `set-leverage` has put there.
  const asked = JSON.parse(parameters) as { leverage: number; margin_type: Leverage["type"] };
  return { leverage: asked.leverage, isCross: asked.margin_type === "cross" };
}
