/** What holds of a bot now, beside what is about to be signed: a word of the owner that loosens must not do it unsaid. */
import { parseRails, printRails } from "../../core/rails/grammar.ts";
import { narrowed } from "../../core/rails/narrow.ts";
import { RAILS_MEMBERS, type RailsText } from "../../core/rails/rails.ts";
import { type LimitedKey, type RailsDraft, type RailsForm, railsTextOf, typedDraft } from "./rails-form.ts";
import type { State } from "./state.ts";

/** As it is narrowed, by whichever of its keys; null for a bot that has none. */
export function railsNow({ keys }: Pick<State, "keys">, bot: string): RailsText | null {
  const own = (keys.value ?? []).filter(({ limits }) => limits?.bot === bot);
  const { limits } = own.find(({ state }) => state === "active") ?? own[0] ?? { limits: null };
  return limits === null ? null : railsTextOf(limits);
}

/** `isWider`: signed so, it allows what is refused now. */
export type RailBeside = { name: keyof RailsText; now: string; isWider: boolean };

/** Each line in which what is wished is not what holds now. */
export function besideNow(now: RailsText, wish: RailsText): RailBeside[] {
  const [held, wished] = [parseRails(now), parseRails(wish)];
  // Of what is no rails nothing is known to be tighter: a bot whose lists have nothing in common says `nothing`.
  const common =
    held.kind === "rails" && wished.kind === "rails" ? printRails(narrowed(wished.rails, held.rails)) : null;
  return RAILS_MEMBERS.filter((name) => name !== "bot" && now[name] !== wish[name]).map((name) => {
    return { name, now: now[name], isWider: common === null || common[name] !== wish[name] };
  });
}

/** Whether what holds is not what it was when the form was filled, or the grant was written. */
export function isBaseChanged(base: RailsText | null, now: RailsText | null): boolean {
  if (base === null || now === null) return base !== now;
  return RAILS_MEMBERS.some((name) => base[name] !== now[name]);
}

/** Why what was written down is not to be signed any more; null while it may be. */
export function grantChanged(state: Pick<State, "keys">, { text, base }: LimitedKey): string | null {
  const now = railsNow(state, text.bot);
  // Signed again after an answer that was lost it may be what holds already.
  if (!isBaseChanged(base, now) || !isBaseChanged(text, now)) return null;
  return `What ${text.bot} is held to has changed since this was written: signed as it stands it would not be what holds. Go back to the form.`;
}

/** Takes over what holds now in every line that nobody has typed in since the form was filled. */
export function lookAnew(state: Pick<State, "keys">, form: RailsForm): void {
  const now = railsNow(state, form.draft.bot);
  if (form.base === null || now === null) return;
  const { days } = form.draft;
  // Each has every member of the draft.
  const [before, after] = [form.base, now].map((text) => typedDraft({ ...text, days })) as [RailsDraft, RailsDraft];
  for (const name of RAILS_MEMBERS) if (form.draft[name] === before[name]) form.draft[name] = after[name];
  form.base = now;
}
