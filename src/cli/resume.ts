import { ACCOUNT, chosenAccount } from "./account-choice.ts";
import { change, SEALING } from "./change.ts";
import type { Command } from "./command.ts";
import { places, reading } from "./directory.ts";
import { present } from "./output.ts";
import { OPERATING } from "./passphrase-input.ts";

export const resumeCommand: Command = {
  name: "resume",
  summary: "end a stop, or all stops of an account: what can increase is taken again; what was canceled stays canceled",
  options: {
    account: ACCOUNT,
    stop: { value: "STOP_ID", help: "one stop; all that stand when left out" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const at = places(input, outside);
    const account = reading(at, ({ store }) => chosenAccount(store, input));
    const stopId = input.value("stop")?.toLowerCase() ?? null;
    const done = await change({ input, outside, at }, "resume_trading", { accountId: account.id, stopId }, SEALING);
    const words = done.resumed.length === 0 ? "No stop stood" : `Ended ${done.resumed.join(", ")}`;
    present({ input, outside }, done, [`${words} of account ${account.id}.`]);
  },
};
