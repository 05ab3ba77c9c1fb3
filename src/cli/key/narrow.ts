import { parseNarrowing } from "../../core/rails/grammar.ts";
import { RAILS_MEMBERS, type RailsText } from "../../core/rails/rails.ts";
import { inOneForm } from "../../core/rails/wished-grant.ts";
import { change } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT, Misuse } from "../command.ts";
import { places } from "../directory.ts";
import { present } from "../output.ts";
import { keyHashOf, optionOf } from "./key-options.ts";
import { RAILS_OPTIONS } from "./limited-grant.ts";

const { bot: _bot, days: _days, ...RAILS } = RAILS_OPTIONS;

/** What is proposed for a grant is no default here: a rail that is not named stays as it is. */
const NARROWED = Object.fromEntries(
  Object.entries(RAILS).map(([name, { value, help }]) => [name, { value, help: help.split("; ")[0] ?? help }]),
);

export const keyNarrow: Command = {
  name: "key narrow",
  summary: "make the rails of a key's bot tighter, at once; only a later grant of the owner loosens them again",
  options: {
    ...NARROWED,
    "cancel-orders": { value: null, help: "what the bot has placed and could still make a position larger goes" },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: ["KEY_HASH"],
  async run(input, outside) {
    const keyHash = keyHashOf(input.positionals[0] ?? "");
    const named = RAILS_MEMBERS.flatMap((member) => {
      const value = optionOf(member) in NARROWED ? input.value(optionOf(member)) : null;
      return value === null ? [] : [[member, value] as const];
    });
    if (named.length === 0) throw new Misuse('name at least one rail, as in --max-order "100 USD"');
    const rails: Partial<RailsText> = inOneForm(Object.fromEntries(named));
    const parsed = parseNarrowing(rails);
    if (parsed.kind === "fault") throw new Misuse(`--${optionOf(parsed.member)} must be ${parsed.rule}`);
    const given = { keyHash, rails, cancelOrders: input.isSet("cancel-orders") };
    const done = await change({ input, outside, at: places(input, outside) }, "narrow_key", given);
    const held = Object.entries(done.rails).map(([name, value]) => `  ${name}  ${value}`);
    const orders = done.stop === null ? "Its orders stay as they are." : "What could increase is being canceled.";
    present({ input, outside }, { key_hash: keyHash, ...done }, [`Held from now on to:`, ...held, orders]);
  },
};
