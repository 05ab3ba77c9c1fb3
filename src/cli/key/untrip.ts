import { ACCOUNT, chosenAccount } from "../account-choice.ts";
import { change, SEALING } from "../change.ts";
import { type Command, required } from "../command.ts";
import { places, reading } from "../directory.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

export const keyUntrip: Command = {
  name: "key untrip",
  summary: "let a bot increase again that has lost its limit of the day; what it loses from now on counts anew",
  options: {
    bot: { value: "NAME", help: "the bot, as its grant names it" },
    account: ACCOUNT,
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const account = reading(at, ({ store }) => chosenAccount(store, input));
    const wanted = { accountId: account.id, bot: required(input, "bot") };
    const done = await change({ input, outside, at }, "clear_trip", wanted, SEALING);
    present({ input, outside }, done, [`The bot ${done.bot} may increase again; what was canceled stays canceled.`]);
  },
};
