/** What a bot's key is to be held to, as it is typed: nothing of it is signed before it has the one form of each rail. */
import { parseRails } from "../../core/rails/grammar.ts";
import type { LimitedGrantText } from "../../core/rails/limited-grant.ts";
import { lossBoundWords } from "../../core/rails/loss-bound.ts";
import { memberName } from "../../core/rails/member-name.ts";
import { misnamedAmong, unlistedAmong } from "../../core/rails/misnamed-markets.ts";
import { RAILS_MEMBERS, type RailsText, type RailVerb, VERBS } from "../../core/rails/rails.ts";
import { inOneForm, MAX_DAYS, PROPOSED_DAYS, PROPOSED_RAILS } from "../../core/rails/wished-grant.ts";
import type { ApiMarket, KeyLimits, ListedApiKey } from "../api/resources.ts";
import type { Signing } from "./forms.ts";

export type RailsDraft = Record<keyof RailsText | "days", string>;

/** A key whose grant is to be signed, or has been. */
export type LimitedKey = {
  /** Null where the key is its holder's already, and only its rails are signed anew. */
  apiKey: string | null;
  text: LimitedGrantText;
  /** What the bot was held to when it was written; null for a new bot. */
  base: RailsText | null;
  days: number;
  signing: Signing;
  isRegistered: boolean;
};

export type RailsForm = {
  draft: RailsDraft;
  isTouched: boolean;
  isBusy: boolean;
  failure: string | null;
  /** The network that this page asks from; null where none is proposed, undefined until the gateway has said. */
  asksFrom: string | null | undefined;
  /** The key whose rails are signed anew; null for a key that is to be made. */
  replaces: ListedApiKey | null;
  /** What held when the form was filled with it; null for a key that is to be made. */
  base: RailsText | null;
  made: LimitedKey | null;
};

export function newRailsForm(): RailsForm {
  const draft = { ...PROPOSED_RAILS, bot: "grid-1", markets: "BTC,ETH", days: String(PROPOSED_DAYS) };
  return {
    draft: typedDraft(draft),
    isTouched: false,
    isBusy: false,
    failure: null,
    asksFrom: undefined,
    replaces: null,
    base: null,
    made: null,
  };
}

/** The rails that hold now, to be changed. */
export function draftOf(limits: KeyLimits): RailsDraft {
  return typedDraft({ ...railsTextOf(limits), days: String(PROPOSED_DAYS) });
}

/** Units stand beside the fields. */
export function typedDraft(draft: RailsDraft): RailsDraft {
  const typed = Object.entries(draft).map(([name, text]) => [name, text.replace(/ (USD|%)$/, "")]);
  // Every member of the draft is a text.
  return Object.fromEntries(typed) as RailsDraft;
}

/** As the owner has signed them. */
export function railsTextOf({ rails }: KeyLimits): RailsText {
  const members = new Map<string, string>(Object.entries(rails));
  // The interface has every rail under its own name.
  return Object.fromEntries(RAILS_MEMBERS.map((name) => [name, members.get(memberName(name)) ?? ""])) as RailsText;
}

export type RailsFormReading =
  | { kind: "wish"; rails: RailsText; days: number; bound: string }
  | { kind: "fault"; member: keyof RailsDraft; rule: string };

export function wishOf(draft: RailsDraft): RailsFormReading {
  const { days, ...typed } = draft;
  const rails = inOneForm(typed);
  const parsed = parseRails(rails);
  if (parsed.kind === "fault") return parsed;
  if (!/^[1-9][0-9]{0,2}$/.test(days) || Number(days) > MAX_DAYS)
    return { kind: "fault", member: "days", rule: `1 to ${MAX_DAYS}` };
  return { kind: "wish", rails, days: Number(days), bound: lossBoundWords(parsed.rails) };
}

/**
 * What is wrong with the names of markets in a form, in words; null while the list of markets is not known. `isRefused`: the gateway would
 * refuse the grant for it, so no wallet is asked to sign it. The others may be listed later.
 */
export function marketsFault(
  markets: readonly Pick<ApiMarket, "market" | "pair">[] | null,
  draft: Pick<RailsDraft, "markets">,
): { words: string; isRefused: boolean } | null {
  if (markets === null || markets.length === 0) return null;
  const names = draft.markets.split(/[\s,]/).filter((name) => name !== "");
  const listed = {
    own: markets.map(({ market }) => market),
    pairs: markets.flatMap(({ market, pair }) => (pair === null ? [] : [[pair, market] as const])),
  };
  const misnamed = misnamedAmong(listed, names);
  if (misnamed !== null) return { words: `Markets ${misnamed}.`, isRefused: true };
  const unlisted = unlistedAmong(listed, names);
  if (unlisted.length === 0) return null;
  const each = unlisted.map(({ name, nearest }) => (nearest === null ? name : `${name} (did you mean ${nearest}?)`));
  return { words: `No market here: ${each.join(", ")}.`, isRefused: false };
}

/**
 * What a thief of the key could lose its owner in a day, in words, by the texts of a grant; empty where they are no
 * rails.
 */
export function boundWords(text: RailsText): string {
  const parsed = parseRails(text);
  return parsed.kind === "rails" ? lossBoundWords(parsed.rails) : "";
}

/** What proposes and approves is no trader's. */
export function offeredVerbs(): readonly RailVerb[] {
  return VERBS.filter((verb) => !["propose", "approve"].includes(verb));
}
