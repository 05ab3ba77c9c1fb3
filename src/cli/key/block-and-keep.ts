import { afterRelease } from "../../ops/since-backup.ts";
import { change, SEALING } from "../change.ts";
import { type Command, DATA_DIRECTORY, JSON_OUTPUT } from "../command.ts";
import { places } from "../directory.ts";
import { isoTime, present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";
import { keyHashOf } from "./key-options.ts";
import { ordersOfEndedKey } from "./orders-of-ended-key.ts";

export const keyBlock: Command = {
  name: "key block",
  summary: "the emergency brake: refuse an API key at once and for good, without a signature",
  options: {
    "cancel-orders": { value: null, help: "what it has placed and could still make a position larger goes as well" },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: ["KEY_HASH"],
  async run(input, outside) {
    const keyHash = keyHashOf(input.positionals[0] ?? "");
    const done = await change({ input, outside, at: places(input, outside) }, "block_key", {
      keyHash,
      cancelOrders: input.isSet("cancel-orders"),
    });
    const { accountId, stopId } = done;
    present({ input, outside }, { key_hash: keyHash, account: accountId, state: "blocked", stop: stopId }, [
      `Blocked ${keyHash}.`,
      ...ordersOfEndedKey(stopId),
    ]);
  },
};

export const keyKeep: Command = {
  name: "key keep",
  summary: "release an API key that a restore put on hold",
  options: {
    "accept-older-rails": {
      value: null,
      help: "of a key with rails: those of the snapshot, whatever was signed or narrowed since; today counts as used",
    },
    ...OPERATING,
  },
  positionals: ["KEY_HASH"],
  async run(input, outside) {
    const keyHash = keyHashOf(input.positionals[0] ?? "");
    const given = { keyHash, takesOlderRails: input.isSet("accept-older-rails") };
    const done = await change({ input, outside, at: places(input, outside) }, "keep_key", given, SEALING);
    const { accountId: account, knownUntilMs } = done;
    const facts = { key_hash: keyHash, account, state: "active", known_until: isoTime(knownUntilMs) };
    present({ input, outside }, facts, [`Kept ${keyHash}: it works again.`, ...afterRelease(account, knownUntilMs)]);
  },
};
