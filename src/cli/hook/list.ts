import { listAccounts } from "../../store/accounts.ts";
import { botOf } from "../../store/bots.ts";
import { listHooks } from "../../store/hooks.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places, reading } from "../directory.ts";
import { columns, isoTime, present } from "../output.ts";

export const hookList: Command = {
  name: "hook list",
  summary: "hooks, the bots that they act as, and what they take",
  options: { "data-dir": DATA_DIRECTORY, json: JSON_OUTPUT },
  positionals: [],
  async run(input, outside) {
    const hooks = reading(places(input, outside), ({ store }) =>
      listAccounts(store).flatMap(({ id: accountId }) =>
        listHooks(store, accountId).map((hook) => ({
          id: hook.id,
          account: accountId,
          name: hook.name,
          bot: botOf(store, hook.keyHash),
          mode: hook.mode,
          market: hook.market,
          max_age_s: hook.maxAgeMs / 1_000,
          sources: hook.sources,
          rehearsal: hook.isRehearsal,
          state: hook.state,
          created_at: isoTime(hook.createdAtMs),
        })),
      ),
    );
    const rows = hooks.map(({ id, name, bot, mode, market, state }) => [
      id,
      name,
      bot ?? "-",
      mode,
      market ?? "any",
      state,
    ]);
    present({ input, outside }, { hooks }, columns([["ID", "NAME", "BOT", "MODE", "MARKET", "STATE"], ...rows]));
  },
};
