import { isOfGrant } from "../../core/rails/grammar.ts";
import { memberName } from "../../core/rails/member-name.ts";
import { RAILS_MEMBERS } from "../../core/rails/rails.ts";

/**
 * What a model is shown of what others have written: names and figures pass, and no sentence does, because a text can be
 * an instruction to whoever reads it.
 */
const PLAIN = /^[A-Za-z0-9@:./_+-]*$/;
const MAX_CHARACTERS = 96;
/** Stands in every resource on paper as well, where a model would take it for the truth; each result says the true one. */
const INTERFACE_NETWORK = "exchange_mainnet";
const NOT_SHOWN = "not_shown";
/** The member that holds what a key is held to, in every resource that has it. */
const RAILS = "rails";
/** Deeper than any resource of the interface. */
const MAX_DEPTH = 12;

export function plain(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return isPlain(value) ? value : NOT_SHOWN;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return NOT_SHOWN;
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== INTERFACE_NETWORK)
      .map(([name, each]) => [
        isPlain(name) ? name : NOT_SHOWN,
        name === RAILS ? plainRails(each) : plain(each, depth + 1),
      ]),
  );
}

/** The owner's words, which have blanks and commas: shown where each has the one form that a grant can give it. */
function plainRails(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return plain(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const member = RAILS_MEMBERS.find((known) => memberName(known) === name);
      const isTheirs = member !== undefined && typeof each === "string" && isOfGrant(member, each);
      return [isPlain(name) ? name : NOT_SHOWN, isTheirs ? each : plain(each)];
    }),
  );
}

export function isPlain(text: string): boolean {
  return text.length <= MAX_CHARACTERS && PLAIN.test(text);
}
