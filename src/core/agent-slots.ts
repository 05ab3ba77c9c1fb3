/** What the owner should know of the account's agents at the exchange before signing for another one. */

/** Of the exchange's list; null where it does not say until when. */
export type NamedAgent = { name: string; address: string; validUntilMs: number | null };

export type AgentSlots = {
  /** Null when the exchange could not be asked. */
  listed: readonly NamedAgent[] | null;
  /** Of the account; each gives it two places more. Null when that could not be asked. */
  subAccounts: number | null;
};

/** The agent that is to be approved; `address` null while its key is not made. */
export type WantedAgent = { name: string; address: string | null };

export type SlotNotice = {
  /** Whether something that trades now may stop, or the exchange will refuse. */
  isWarning: boolean;
  words: string;
};

const NAMED_PLACES = 3;
const PLACES_PER_SUB_ACCOUNT = 2;

/**
 * What the approval does to the agents that are there, or null when nothing. The same name replaces.
 *
 * @param own addresses of the agents that this gateway has or had
 */
export function noticeOf(
  { listed, subAccounts }: AgentSlots,
  wanted: WantedAgent,
  own: readonly string[],
): SlotNotice | null {
  if (listed === null) {
    const words =
      "The exchange could not be asked which agents this account has: look at its own page (API) before you sign.";
    return { isWarning: true, words };
  }
  const holder = listed.find(({ name }) => name === wanted.name);
  if (holder !== undefined) return holder.address === wanted.address ? null : replacing(holder, own);
  const places = NAMED_PLACES + PLACES_PER_SUB_ACCOUNT * (subAccounts ?? 0);
  if (listed.length < places) return null;
  const names = listed.map(({ name }) => name).join(", ");
  const verb = subAccounts === null ? "may refuse" : "refuses";
  const words = `All ${places} places for named agents are taken (${names}): the exchange ${verb} another. Remove one that nobody needs on its own page (API) first.`;
  return { isWarning: true, words };
}

function replacing({ name, address }: NamedAgent, own: readonly string[]): SlotNotice {
  if (own.includes(address)) {
    return {
      isWarning: false,
      words: `With this approval the exchange forgets ${address}, this gateway's key before.`,
    };
  }
  const words = `The exchange has an agent named ${name} already, ${address}, which is not of this gateway. With this approval it is replaced, and whatever trades with it stops.`;
  return { isWarning: true, words };
}
