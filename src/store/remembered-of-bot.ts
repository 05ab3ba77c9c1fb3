/** What is kept in memory of each bot, as `remembered` keeps it. */
import type { Store } from "./open.ts";
import { remembered } from "./remembered.ts";

export type BotName = { accountId: string; bot: string };

export type RememberedOfBot<Value> = {
  find(store: Store, of: BotName): Value | null;
  /** Forgets what was just written. */
  drop(store: Store, of: BotName): void;
};

export function rememberedOfBot<Value>(
  read: (store: Store, of: BotName) => Value | null,
  as: typeof remembered = remembered,
): RememberedOfBot<Value> {
  const kept = as<Value>((store, name) => {
    const [accountId = "", bot = ""] = name.split(" ");
    return read(store, { accountId, bot });
  });
  let last = { accountId: "", bot: "", name: " " };
  /** Made once for all that is asked about a bot in a row: each new text is hashed anew when it is looked up. */
  const nameOf = ({ accountId, bot }: BotName): string => {
    if (last.accountId !== accountId || last.bot !== bot) last = { accountId, bot, name: `${accountId} ${bot}` };
    return last.name;
  };
  return {
    find: (store, of) => kept.find(store, nameOf(of)),
    drop: (store, of) => kept.drop(store, nameOf(of)),
  };
}
