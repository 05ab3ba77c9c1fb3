import { afterRelease } from "../../ops/since-backup.ts";
import { ACCOUNT } from "../account-choice.ts";
import { change, SEALING } from "../change.ts";
import type { Command } from "../command.ts";
import { places, reading } from "../directory.ts";
import { isoTime, present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";
import { chosenHook } from "./options.ts";

export const hookKeep: Command = {
  name: "hook keep",
  summary: "release a hook that a restore put on hold, once the key that it acts as is released",
  options: { account: ACCOUNT, ...OPERATING },
  positionals: ["HOOK"],
  async run(input, outside) {
    const at = places(input, outside);
    const { id } = reading(at, ({ store }) => chosenHook(store, input));
    const done = await change({ input, outside, at }, "keep_hook", { id }, SEALING);
    const { account, knownUntilMs, ...hook } = done;
    present({ input, outside }, { ...hook, account, known_until: isoTime(knownUntilMs) }, [
      `Kept hook ${done.name} (${done.id}): it takes alerts again.`,
      ...afterRelease(account, knownUntilMs),
    ]);
  },
};

export const hookRevoke: Command = {
  name: "hook revoke",
  summary: "end a hook for good; alerts that were not carried out yet go with it, orders stay",
  options: { account: ACCOUNT, ...OPERATING },
  positionals: ["HOOK"],
  async run(input, outside) {
    const at = places(input, outside);
    const { id } = reading(at, ({ store }) => chosenHook(store, input));
    const done = await change({ input, outside, at }, "revoke_hook", { id }, SEALING);
    present({ input, outside }, done, [`Hook ${done.name} (${done.id}) takes nothing any more.`]);
  },
};
