import type { Hook, HookMode } from "../../core/hook/hook.ts";
import { listHooks } from "../../store/hooks.ts";
import type { Store } from "../../store/open.ts";
import { chosenAccount } from "../account-choice.ts";
import { Failure, type Input, Misuse } from "../command.ts";

/** The hook that is named, by its name or id, of the account that is chosen; one that is revoked only by its id. */
export function chosenHook(store: Store, input: Input): Hook {
  const account = chosenAccount(store, input);
  const named = input.positionals[0] ?? "";
  const found = listHooks(store, account.id).find(
    ({ id, name, state }) => id === named || (name === named && state !== "revoked"),
  );
  if (found === undefined) throw new Failure(`account ${account.id} has no hook ${named}: see postern hook list`);
  return found;
}

/** Seconds of an option as milliseconds. */
export function secondsOf(input: Input, name: string, otherwise: number): number {
  const text = input.value(name) ?? String(otherwise);
  if (!/^[0-9]{1,6}$/.test(text)) throw new Misuse(`--${name} is a whole number of seconds`);
  return Number(text) * 1_000;
}

export function modeOf(text: string): HookMode {
  if (text !== "order" && text !== "target") throw new Misuse("--mode is order or target");
  return text;
}
