import type { Account } from "../../core/account.ts";
import type { Hook, HookMode } from "../../core/hook/hook.ts";
import { listHooks } from "../../store/hooks.ts";
import type { Store } from "../../store/open.ts";
import { Failure, type Input, Misuse } from "../command.ts";

/** The hook of this account with that name or id; one that is revoked only by its id. */
export function chosenHook(store: Store, account: Account, named: string): Hook {
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
