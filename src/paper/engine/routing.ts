/** Which subject executes which action. */

import { createSubAccount, reserveRequestWeight, setMode, setReferrer } from "./account-settings.ts";
import type { ActionInput, L1Action, UserSignedAction, VenueReply } from "./action.ts";
import { approveAgent } from "./agents.ts";
import { approveBuilderFee } from "./builder.ts";
import { cancelOrders, scheduleCancel } from "./cancels.ts";
import { placeBatch } from "./groupings.ts";
import { topUpIsolatedMargin, updateIsolatedMargin } from "./isolated-margin.ts";
import { updateLeverage } from "./leverage.ts";
import type { RequestCharge } from "./limits.ts";
import { modifyBatch, modifyOrder } from "./modify.ts";
import type { Address, VenueAccount } from "./state.ts";
import {
  sendAsset,
  spotSend,
  subAccountSpotTransfer,
  subAccountTransfer,
  usdClassTransfer,
  usdSend,
  withdraw,
} from "./transfers.ts";
import type { Turn } from "./turn.ts";
import { cancelTwap, placeTwap } from "./twap.ts";
import { units } from "./units.ts";

const DONE: VenueReply = { status: "ok", response: { type: "default" } };
const MODES = { i: "disabled", u: "unifiedAccount", p: "portfolioMargin" } as const;

/** How much an action counts toward the address limit: the length of its array. */
export function weightOf(action: ActionInput["action"]): RequestCharge {
  switch (action.type) {
    case "order":
      return { count: Math.max(1, action.orders.length), isCancel: false };
    case "cancel":
    case "cancelByCloid":
      return { count: Math.max(1, action.cancels.length), isCancel: true };
    case "batchModify":
      return { count: Math.max(1, action.modifies.length), isCancel: false };
    default:
      return { count: 1, isCancel: action.type === "twapCancel" || action.type === "scheduleCancel" };
  }
}

export function routeL1(turn: Turn, account: VenueAccount, action: L1Action, signer: Address): VenueReply {
  switch (action.type) {
    case "order":
      return placeBatch(turn, account, action);
    case "cancel":
    case "cancelByCloid":
      return cancelOrders(turn, account, action);
    case "modify":
      return modifyOrder(turn, account, action);
    case "batchModify":
      return modifyBatch(turn, account, action);
    case "scheduleCancel":
      return scheduleCancel(turn, account, action.time);
    case "updateLeverage":
      return updateLeverage(turn, account, action);
    case "updateIsolatedMargin":
      return updateIsolatedMargin(turn, account, action.asset, action.ntli);
    case "topUpIsolatedOnlyMargin":
      return topUpIsolatedMargin(turn, account, action.asset, units(action.leverage));
    case "twapOrder":
      return placeTwap(turn, account, action);
    case "twapCancel":
      return cancelTwap(turn, account, action.a, action.t);
    case "noop":
      return DONE;
    default:
      return routeSetting(turn, account, action, signer);
  }
}

type SettingAction = Extract<
  L1Action,
  {
    type:
      | "reserveRequestWeight"
      | "setReferrer"
      | "agentSetAbstraction"
      | "createSubAccount"
      | "subAccountTransfer"
      | "subAccountSpotTransfer";
  }
>;

function routeSetting(turn: Turn, account: VenueAccount, action: SettingAction, signer: Address): VenueReply {
  switch (action.type) {
    case "reserveRequestWeight":
      // Measured: an agent is refused, with its own address in the text.
      if (turn.venue.agents.has(signer)) {
        return { status: "err", response: `Must deposit before performing actions. User: ${signer}` };
      }
      return reserveRequestWeight(turn, account, action.weight, action.destination);
    case "setReferrer":
      return setReferrer(turn, account, action.code);
    case "agentSetAbstraction":
      return setMode(turn, account, MODES[action.abstraction]);
    case "createSubAccount":
      return createSubAccount(turn, account, action.name);
    case "subAccountTransfer":
      return subAccountTransfer(turn, account, action, action.usd);
    case "subAccountSpotTransfer":
      return subAccountSpotTransfer(turn, account, action, { token: action.token, amount: units(action.amount) });
  }
}

/** `account` is the signer's own: an agent has none, which was refused before. */
export function routeUserSigned(
  turn: Turn,
  account: VenueAccount,
  action: UserSignedAction,
  nonce: number,
): VenueReply {
  switch (action.type) {
    case "approveAgent":
      return approveAgent(turn, account, action.agentAddress, action.agentName);
    case "approveBuilderFee":
      return approveBuilderFee(turn, account, action.builder, action.maxFeeRate);
    case "userSetAbstraction": {
      const target = ownedAccount(turn, account, action.user);
      return target === null ? notOwned(action.user) : setMode(turn, target, action.abstraction);
    }
    case "usdSend":
      return usdSend(turn, account, action.destination, units(action.amount));
    case "withdraw3":
      return withdraw(turn, account, units(action.amount), nonce);
    case "spotSend":
      return spotSend(turn, account, { ...action, amount: units(action.amount) });
    case "usdClassTransfer": {
      const source = action.subAccount === null ? account : ownedAccount(turn, account, action.subAccount);
      if (source === null) return notOwned(action.subAccount);
      return usdClassTransfer(turn, source, units(action.amount), action.toPerp);
    }
    case "sendAsset": {
      const source = action.fromSubAccount === null ? account : ownedAccount(turn, account, action.fromSubAccount);
      if (source === null) return notOwned(action.fromSubAccount);
      return sendAsset(turn, source, { ...action, amount: units(action.amount) });
    }
  }
}

function ownedAccount(turn: Turn, account: VenueAccount, address: Address): VenueAccount | null {
  if (address === account.address) return account;
  const other = turn.venue.accounts.get(address);
  return other !== undefined && other.master === account.address ? other : null;
}

function notOwned(address: Address | null): VenueReply {
  return { status: "err", response: `Must deposit before performing actions. User: ${address}` };
}
