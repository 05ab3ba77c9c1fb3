import type { Venue } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { clearinghouseOf } from "./clearinghouse-state.ts";
import { infoRequest, type ReadContext } from "./request.ts";
import { spotStateOf } from "./spot-state.ts";

/** A user's sub-accounts with their state on the native dex. Null, not an empty list, for somebody without any. */
export const subAccounts = infoRequest({ user: required(address) }, (context, { user }) =>
  rowsOf(context, user, (venue, subAccount) => ({
    clearinghouseState: clearinghouseOf(venue, { user: subAccount, dex: 0, nowMs: context.nowMs }),
  })),
);

/** A user's sub-accounts with their state on every dex; null for somebody without any. */
export const subAccounts2 = infoRequest({ user: required(address) }, (context, { user }) =>
  rowsOf(context, user, (venue, subAccount) => ({
    dexToClearinghouseState: venue.dexes.map((dex) => [
      dex.name,
      clearinghouseOf(venue, { user: subAccount, dex: dex.index, nowMs: context.nowMs }),
    ]),
  })),
);

type States = (venue: Venue, subAccount: string) => Record<string, unknown>;

function rowsOf({ venue }: ReadContext, user: string, states: States): unknown[] | null {
  const addresses = venue.accounts.get(user)?.subAccounts ?? [];
  if (addresses.length === 0) return null;
  return addresses.map((subAccountUser) => {
    const account = venue.accounts.get(subAccountUser) ?? null;
    return {
      name: account?.name ?? "",
      subAccountUser,
      master: user,
      ...states(venue, subAccountUser),
      spotState: spotStateOf(venue, account),
    };
  });
}
